"""Operations against a real broker: submitted once, run once, ended with a reason."""

import asyncio
import secrets
from collections.abc import Mapping

import pytest

from compute_worker.operations import delivery
from compute_worker.operations.broker import BrokerLimits, ensure_stores
from compute_worker.operations.intake import MOST_PUT_BACKS
from compute_worker.operations.model import OperationKind, OperationRecord, OperationState
from compute_worker.operations.ports import Job, ProgressReporter
from shared.errors import Code, LecternError


class Recording:
    """A handler that keeps what it was given and does what it is told."""

    def __init__(self, *outcomes: str | LecternError | Exception) -> None:
        self.jobs: list[Job] = []
        self._outcomes = list(outcomes)

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        self.jobs.append(job)
        await progress.report(phase="working", done=1, total=2)
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


class Blocking:
    """A handler that works until it is cancelled."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return ""


@pytest.fixture
def key() -> str:
    return secrets.token_hex(8)


async def finished(operations, operation_id: str) -> OperationRecord:
    async with asyncio.timeout(15):
        async for record in operations.queue.watch(operation_id):
            last = record
    return last


async def test_a_submitted_operation_runs_and_keeps_its_result(operations, key):
    handler = Recording("result/1")
    async with operations.runner(handler):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {"n": 1})
        done = await finished(operations, record.operation_id)
    assert (done.state, done.result_ref, done.attempt) == (OperationState.SUCCEEDED, "result/1", 1)
    assert handler.jobs[0].arguments == {"n": 1}


async def test_submitting_twice_gives_one_operation_and_one_run(operations, key):
    first = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    second = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    handler = Recording("result", "never")
    async with operations.runner(handler):
        await finished(operations, first.operation_id)
        third = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    assert first.operation_id == second.operation_id
    assert third.state is OperationState.SUCCEEDED
    assert len(handler.jobs) == 1


async def test_a_finished_operation_runs_again_when_its_result_is_gone(operations, key):
    async def gone(ref: str) -> bool:
        return False

    handler = Recording("old", "new")
    async with operations.runner(handler):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        await finished(operations, record.operation_id)
        again = await operations.queue.submit(OperationKind.DOCUMENT, key, {}, result_exists=gone)
        done = await finished(operations, again.operation_id)
    assert (done.run, done.result_ref) == (2, "new")


async def test_a_failure_that_may_pass_is_tried_again(operations, key):
    handler = Recording(LecternError(Code.UNAVAILABLE, "Not now."), "at last")
    async with operations.runner(handler):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        done = await finished(operations, record.operation_id)
    assert (done.state, done.attempt) == (OperationState.SUCCEEDED, 2)


async def test_a_failure_for_good_ends_with_its_reason_and_runs_again_only_when_asked(operations, key):
    error = LecternError(Code.INVALID_ARGUMENT, "The file is empty.", reason="DOCUMENT_EMPTY")
    handler = Recording(error, "fine")
    async with operations.runner(handler):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        done = await finished(operations, record.operation_id)
        same = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        again = await operations.queue.submit(OperationKind.DOCUMENT, key, {}, again=True)
        retried = await finished(operations, again.operation_id)
    assert done.failure is not None
    assert (done.failure.code, done.failure.message) == ("DOCUMENT_EMPTY", "The file is empty.")
    assert same.state is OperationState.FAILED
    assert retried.state is OperationState.SUCCEEDED


async def test_an_unexpected_error_tells_the_user_nothing_of_the_inside(operations, key):
    handler = Recording(RuntimeError("secret detail"))
    async with operations.runner(handler):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        done = await finished(operations, record.operation_id)
    assert done.failure is not None
    assert done.failure.code == "INTERNAL"
    assert "secret detail" not in done.failure.message


async def test_cancel_reaches_a_running_job_on_another_worker(operations, another_worker, key):
    handler = Blocking()
    async with operations.runner(handler), another_worker as other:
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        await asyncio.wait_for(handler.started.wait(), 10)
        await other.queue.cancel(record.operation_id)
        await asyncio.wait_for(handler.cancelled.wait(), 10)
        assert (await operations.queue.get(record.operation_id)).state is OperationState.CANCELLED


async def test_a_cancelled_operation_that_was_queued_never_runs(operations, key):
    record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    await operations.queue.cancel(record.operation_id)
    other = await operations.queue.submit(OperationKind.DOCUMENT, key + "b", {})
    handler = Recording("b")
    async with operations.runner(handler):
        await finished(operations, other.operation_id)
    assert [job.operation_id for job in handler.jobs] == [other.operation_id]


async def test_a_job_of_a_stopped_worker_is_taken_up_by_another(operations, another_worker, key):
    blocked = Blocking()
    async with operations.runner(blocked, worker_id="first"):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        await asyncio.wait_for(blocked.started.wait(), 10)
    handler = Recording("done by the second")
    async with another_worker as other, other.runner(handler, worker_id="second"):
        done = await finished(operations, record.operation_id)
    assert (done.state, done.worker_id) == (OperationState.SUCCEEDED, "second")


async def test_a_job_that_kills_its_workers_ends_failed(operations, open_worker, key):
    record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    for worker in ("first", "second"):
        blocked = Blocking()
        async with open_worker() as dying, dying.runner(blocked, worker_id=worker):
            await asyncio.wait_for(blocked.started.wait(), 10)
            await dying.broker.client.close()
    async with operations.runner(Recording(), worker_id="third"):
        done = await finished(operations, record.operation_id)
    assert done.failure is not None
    assert done.failure.code == "WORKER_LOST"


async def test_being_stopped_on_purpose_uses_up_no_attempt(operations, key):
    record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    for worker in ("first", "second", "third"):
        blocked = Blocking()
        async with operations.runner(blocked, worker_id=worker, max_attempts=1):
            await asyncio.wait_for(blocked.started.wait(), 10)
    async with operations.runner(Recording("done"), worker_id="fourth", max_attempts=1):
        done = await finished(operations, record.operation_id)
    assert (done.state, done.attempt, done.worker_id) == (OperationState.SUCCEEDED, 1, "fourth")


async def test_a_worker_that_was_paused_leaves_the_job_to_the_one_that_took_it_over(
    operations, open_worker, key, monkeypatch
):
    monkeypatch.setattr(delivery, "RECORD_BEAT_SECONDS", 0)
    busy = {"heartbeat_seconds": 3.0, "max_concurrent": 1}
    paused, second = Blocking(), Blocking()
    record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    async with open_worker() as first, first.runner(paused, worker_id="paused", **busy):
        await asyncio.wait_for(paused.started.wait(), 10)  # its next sign of life comes too late
        async with operations.runner(second, worker_id="second"):
            await asyncio.wait_for(second.started.wait(), 10)
            await asyncio.wait_for(paused.cancelled.wait(), 10)
            waiting = await operations.broker.jetstream.stream_info("lectern_jobs")
            assert waiting.state.messages == 1  # it is the second's to settle
        async with operations.runner(Recording("done"), worker_id="third"):
            done = await finished(operations, record.operation_id)
    assert (done.state, done.worker_id) == (OperationState.SUCCEEDED, "third")


async def test_a_full_queue_is_told_and_is_no_limbo(operations, key):
    jetstream = operations.broker.jetstream
    await ensure_stores(jetstream, BrokerLimits(jobs_max_bytes=1))
    try:
        with pytest.raises(LecternError) as caught:
            await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    finally:
        await ensure_stores(jetstream, BrokerLimits())
    assert (caught.value.code, caught.value.reason) == (Code.RESOURCE_EXHAUSTED, "QUEUE_FULL")
    refused = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    assert refused.failure is not None
    assert refused.failure.code == "QUEUE_FULL"
    async with operations.runner(Recording("later")):
        again = await operations.queue.submit(OperationKind.DOCUMENT, key, {}, again=True)
        assert (await finished(operations, again.operation_id)).result_ref == "later"


def begun_once(arguments: Mapping[str, object]) -> int | None:
    return 1 if arguments.get("format") == "pdf" else None


async def test_a_job_with_attempts_of_its_own_is_begun_as_often_as_these_say(operations, key):
    away = LecternError(Code.UNAVAILABLE, "Not now.")
    handler = Recording(away, away, "ok")
    async with operations.runner(handler, own_attempts=begun_once):
        once = await operations.queue.submit(OperationKind.DOCUMENT, key, {"format": "pdf"})
        assert (await finished(operations, once.operation_id)).attempt == 1
        usual = await operations.queue.submit(OperationKind.DOCUMENT, key + "b", {"format": "epub"})
        assert (await finished(operations, usual.operation_id)).attempt == 2


async def test_more_attempts_reach_a_queue_that_was_made_for_fewer(operations, key):
    async with operations.runner(Recording("first"), max_attempts=1):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        await finished(operations, record.operation_id)
    async with operations.runner(Recording("then"), max_attempts=5):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key + "b", {})
        await finished(operations, record.operation_id)
        consumer = await operations.broker.jetstream.consumer_info("lectern_jobs", "worker-document")
    assert consumer.config.max_deliver == 5 + 1 + MOST_PUT_BACKS


async def test_an_operation_without_a_heartbeat_is_replaced(operations, key):
    record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    operations.queue._stale_seconds = -1
    replaced = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    assert (replaced.operation_id, replaced.run) == (record.operation_id, 2)
    handler = Recording("one", "two")
    async with operations.runner(handler):
        await finished(operations, record.operation_id)
    assert len(handler.jobs) == 1


async def test_an_unknown_operation_is_not_found(operations):
    with pytest.raises(LecternError) as caught:
        await operations.queue.get("document-none")
    assert caught.value.code is Code.NOT_FOUND
