"""What is told of an operation while it runs: all of it, in order, also to who comes late."""

import asyncio
import secrets
import time
from dataclasses import replace

import pytest

from compute_worker.operations import delivery, queue
from compute_worker.operations.delivery import RecordedProgress
from compute_worker.operations.model import OperationKind, OperationState, Progress, started
from compute_worker.operations.ports import Job, ProgressReporter
from compute_worker.operations.queue import OperationQueue, event_topic
from shared.errors import Code, LecternError

REPORTED = [
    Progress("reading", 0, 4),
    Progress("reading", 2, 4),
    Progress("reading", 4, 4),
    Progress("storing", 0, 2),
    Progress("storing", 1, 2),
]


class Stepwise:
    """A handler that tells one step whenever it is let, and ends after the last."""

    def __init__(self, *reported: Progress, fails_after: int = -1) -> None:
        self._reported = reported
        self._fails_after = fails_after
        self._may_go_on = asyncio.Semaphore(0)

    def let(self, steps: int) -> None:
        for _ in range(steps):
            self._may_go_on.release()

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        for number, step in enumerate(self._reported):
            await self._may_go_on.acquire()
            if number == self._fails_after and job.attempt == 1:
                raise LecternError(Code.UNAVAILABLE, "Not now.")
            await progress.report(phase=step.phase, done=step.done, total=step.total)
        await self._may_go_on.acquire()
        return "result"


@pytest.fixture
def key() -> str:
    return secrets.token_hex(8)


@pytest.fixture
def every_report_is_written(monkeypatch) -> None:
    monkeypatch.setattr(delivery, "PROGRESS_WRITE_SECONDS", 0)


async def told(
    operations, operation_id: str, *, until: Progress | None = None, begun: asyncio.Event | None = None
) -> list[Progress]:
    """Each progress once, up to this one or the end."""
    seen: list[Progress] = []
    async with asyncio.timeout(20):
        async for record in operations.queue.watch(operation_id):
            if begun is not None:
                begun.set()
            if record.progress not in seen[-1:]:
                seen.append(record.progress)
            if record.progress == until:
                break
    return seen


@pytest.mark.usefixtures("every_report_is_written")
async def test_each_step_is_told_in_order_and_what_was_missed_is_told_to_who_comes_late(
    operations, another_worker, key
):
    handler = Stepwise(*REPORTED)
    async with operations.runner(handler), another_worker as other:
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        first = asyncio.create_task(told(operations, record.operation_id))
        handler.let(3)
        await told(operations, record.operation_id, until=REPORTED[2])
        has_begun = asyncio.Event()  # on another worker, and half of it is over
        late = asyncio.create_task(told(other, record.operation_id, begun=has_begun))
        await asyncio.wait_for(has_begun.wait(), 20)
        handler.let(3)
        assert [step for step in await first if step.phase] == REPORTED
        assert await late == REPORTED[2:]
        assert await told(other, record.operation_id) == [REPORTED[-1]]  # and after the end


@pytest.mark.usefixtures("every_report_is_written")
async def test_every_change_can_be_replayed_from_any_event_on(operations, key):
    handler = Stepwise(*REPORTED)
    async with operations.runner(handler):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        handler.let(len(REPORTED) + 1)
        await told(operations, record.operation_id)
    topic = event_topic(record.operation_id)
    async with operations.events.follow(topic) as following:
        events = await following.stored()
    states = [event.payload["state"] for event in events]
    assert states == ["queued", *["running"] * (len(events) - 2), "succeeded"]
    steps = [Progress(**event.payload["progress"]) for event in events]
    assert [step for step, before in zip(steps[1:], steps, strict=False) if step != before] == REPORTED
    times = [event.payload["updated_at"] for event in events]
    assert times == sorted(set(times))
    middle = len(events) // 2
    async with operations.events.follow(topic, after_event_id=events[middle - 1].event_id) as following:
        assert [event.event_id for event in await following.stored()] == [
            event.event_id for event in events[middle:]
        ]


@pytest.mark.usefixtures("every_report_is_written")
async def test_an_attempt_that_begins_anew_takes_back_nothing_that_was_told(operations, key):
    steps = [Progress("reading", number, 4) for number in range(5)]
    handler = Stepwise(*steps, fails_after=3)
    async with operations.runner(handler):
        record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
        watching = asyncio.create_task(told(operations, record.operation_id))
        handler.let(20)
        seen = [step.done for step in await watching if step.phase]
    assert seen == [0, 1, 2, 3, 4]
    assert (await operations.queue.get(record.operation_id)).attempt == 2


async def test_a_step_is_written_when_it_is_time_or_a_phase_begins(operations, key):
    record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    now = time.time()
    ours = await operations.queue.change(
        record.operation_id, lambda r: started(r, "mine", now, job_id=1, delivery=1)
    )
    progress = RecordedProgress(operations.queue, ours, lambda: now)

    async def written(**step) -> Progress:
        await progress.report(**step)
        return (await operations.queue.get(record.operation_id)).progress

    first = Progress("reading", 1, 9)
    assert await written(phase="reading", done=1, total=9) == first
    assert await written(phase="reading", done=2, total=9) == first  # too soon
    now += delivery.PROGRESS_WRITE_SECONDS
    assert await written(phase="reading", done=3, total=9) == Progress("reading", 3, 9)
    assert await written(phase="storing", done=0, total=1) == Progress("storing", 0, 1)
    now += delivery.RECORD_BEAT_SECONDS
    assert await progress.beat_if_due()
    assert (await operations.queue.get(record.operation_id)).heartbeat_at == now


async def test_an_end_that_nobody_could_announce_is_found_by_who_watches(operations, key, monkeypatch):
    monkeypatch.setattr(queue, "LOOK_AGAIN_SECONDS", 0.1)
    record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    publish = operations.events.publish

    async def away(topic, payload):
        if payload["state"] == "cancelled":
            raise LecternError(Code.UNAVAILABLE, "Away.", reason="BROKER_UNAVAILABLE")
        return await publish(topic, payload)

    monkeypatch.setattr(operations.events, "publish", away)
    watching = asyncio.create_task(told(operations, record.operation_id))
    with pytest.raises(LecternError):
        await operations.queue.cancel(record.operation_id)
    await watching
    assert (await operations.queue.get(record.operation_id)).state is OperationState.CANCELLED


async def test_workers_whose_clocks_differ_tell_one_story(operations, key):
    """A change is the later one though its worker's clock is behind."""
    behind = OperationQueue(
        broker=operations.broker,
        states=operations.states,
        events=operations.events,
        stale_seconds=10**6,
        clock=lambda: time.time() - 3600,
    )
    record = await operations.queue.submit(OperationKind.DOCUMENT, key, {})
    states: list[OperationState] = []
    seen = asyncio.Event()

    async def watch() -> None:
        async for change in operations.queue.watch(record.operation_id):
            states.append(change.state)
            seen.set()

    watching = asyncio.create_task(watch())
    async with asyncio.timeout(20):
        await seen.wait()
        cancelled = await behind.cancel(record.operation_id)
        await watching
    assert states == [OperationState.QUEUED, OperationState.CANCELLED]
    assert cancelled.updated_at > record.updated_at
    assert replace(cancelled, updated_at=0, state=OperationState.QUEUED) == replace(record, updated_at=0)
