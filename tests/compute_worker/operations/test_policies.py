"""The compute limits on a real broker: what waits where, for how long, and what is begun first."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from compute_worker.operations import model, runner
from compute_worker.operations.backlog import Backlog, Room
from compute_worker.operations.lanes import CONVERSIONS, LANES, PDFS, PREVIEWS, Lane, lane_of
from compute_worker.operations.model import OperationKind, OperationRecord, OperationState
from compute_worker.operations.policy import ActionPolicy, PolicyInForce, Priority, WorkPolicy
from compute_worker.operations.ports import Job, ProgressReporter
from compute_worker.operations.queue import OperationQueue
from compute_worker.operations.runner import OperationRunner, RunnerOptions
from compute_worker.operations.slots import Slots
from shared.errors import Code, LecternError

MANY = 2**53
WAIT_SECONDS = 30


def limited(
    priority: Priority = Priority.FOREGROUND,
    *resources: str,
    at_once: int = MANY,
    queued: int = MANY,
    seconds: int = MANY,
) -> ActionPolicy:
    return ActionPolicy(priority, True, queued, at_once, seconds, resources)


class Work:
    """A handler whose jobs last until they are let go; keeps in which order they began."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.most_at_once = 0
        self._going_on: dict[str, asyncio.Event] = {}
        self._changed = asyncio.Event()

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        name = str(job.arguments["name"])
        self.begun.append(name)
        ended = self._going_on[name] = asyncio.Event()
        self.most_at_once = max(self.most_at_once, len(self._going_on))
        self._tell()
        try:
            await ended.wait()
        finally:
            del self._going_on[name]
            self._tell()
        return name

    def let_go(self, name: str) -> None:
        self._going_on[name].set()

    async def until(self, *begun: str) -> None:
        async with asyncio.timeout(WAIT_SECONDS):
            while self.begun[: len(begun)] != list(begun):
                self._changed.clear()
                await self._changed.wait()

    def _tell(self) -> None:
        self._changed.set()


class LimitedWorker:
    """A worker of its own on the operations' broker, all of whose lanes do the same work."""

    def __init__(self, operations: Any, policy: PolicyInForce, name: str = "worker") -> None:
        self.broker, self.states = operations.broker, operations.states
        self.policy, self.name, self.work = policy, name, Work()
        self.slots = Slots(policy=policy)
        self.ahead_seconds = 0.0
        self.queue = OperationQueue(
            broker=self.broker,
            states=self.states,
            events=operations.events,
            stale_seconds=60,
            clock=self.clock,
            lane_of=lane_of,
            check_room=Room(broker=self.broker, policy=policy).check,
        )
        self.lost: list[OperationRecord] = []
        self.backlog = Backlog(
            broker=self.broker,
            queue=self.queue,
            states=self.states,
            policy=policy,
            on_lost=self.on_lost,
            clock=self.clock,
        )

    def clock(self) -> float:
        return time.time() + self.ahead_seconds

    async def on_lost(self, record: OperationRecord) -> None:
        self.lost.append(record)

    async def submit(self, document_format: str, name: str, *, key: str = "") -> OperationRecord:
        arguments = {"format": document_format, "name": name}
        return await self.queue.submit(OperationKind.DOCUMENT, key or secrets.token_hex(8), arguments)

    @asynccontextmanager
    async def working(self, *lanes: Lane) -> AsyncIterator[None]:
        runners = [
            OperationRunner(
                broker=self.broker,
                queue=self.queue,
                handler=self.work,
                worker_id=self.name,
                options=RunnerOptions(
                    lane=lane, max_attempts=2, max_concurrent=8, heartbeat_seconds=1.0, ack_wait_seconds=5.0
                ),
                policy=self.policy,
                slots=self.slots,
                on_lost=self.on_lost,
                clock=self.clock,
            )
            for lane in lanes or (PREVIEWS, PDFS, CONVERSIONS)
        ]
        tasks = [asyncio.create_task(one.run()) for one in runners]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def ended(self, record: OperationRecord) -> OperationRecord:
        last = record
        async with asyncio.timeout(WAIT_SECONDS):
            async for change in self.queue.watch(record.operation_id):
                last = change
        return last


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not await condition():
            await asyncio.sleep(0.02)


def in_force(at_once: int = MANY, **actions: ActionPolicy) -> PolicyInForce:
    return PolicyInForce(WorkPolicy(actions, at_once, {"cpu_heavy": 1}))


async def test_of_what_waits_the_most_urgent_is_begun_first(operations):
    worker = LimitedWorker(
        operations,
        in_force(
            1,
            pdf_layout=limited(Priority.FOREGROUND),
            document_conversion=limited(Priority.INTERACTIVE),
            document_preview=limited(Priority.BACKGROUND),
        ),
    )
    formats = {"b": "text", "f": "pdf", "i": "docx"}
    async with worker.working():
        await worker.submit("text", "first")
        await worker.work.until("first")
        for name in ("b1", "b2", "f1", "f2", "i1", "i2"):
            await worker.submit(formats[name[0]], name)
        await until(lambda: _all_wait(worker))
        worker.work.let_go("first")
        order = ["first", "i1", "i2", "f1", "f2", "b1", "b2"]
        for index, name in enumerate(order[1:], start=1):
            await worker.work.until(*order[: index + 1])
            worker.work.let_go(name)
    assert worker.work.most_at_once == 1


async def _all_wait(worker: LimitedWorker) -> bool:
    return all(worker.slots.waiting(lane.action) for lane in (PREVIEWS, PDFS, CONVERSIONS))


async def test_what_a_worker_has_no_room_for_is_left_to_another(operations, another_worker):
    policy = in_force(pdf_layout=limited(Priority.FOREGROUND, "cpu_heavy"))
    async with another_worker as others:
        one, two = LimitedWorker(operations, policy, "one"), LimitedWorker(others, policy, "two")
        async with one.working(PDFS):
            await one.submit("pdf", "first")
            await one.work.until("first")
            second = await one.submit("pdf", "second")
            async with two.working(PDFS):
                await two.work.until("second")
                two.work.let_go("second")
                assert (await two.ended(second)).worker_id == "two"
            one.work.let_go("first")
        assert (one.work.begun, two.work.begun) == (["first"], ["second"])


async def test_a_job_that_came_without_a_slot_goes_back_for_others(operations, another_worker, monkeypatch):
    """Both lanes wait for jobs while one slot is free: who is late has its job, and no slot."""
    monkeypatch.setattr(runner, "PUT_BACK_SECONDS", 0.05)
    policy = in_force(1, pdf_layout=limited(), document_conversion=limited())
    async with another_worker as others:
        one, two = LimitedWorker(operations, policy, "one"), LimitedWorker(others, policy, "two")
        async with one.working(PDFS, CONVERSIONS):
            await until(lambda: _are_waited_for(operations, PDFS, CONVERSIONS))
            await one.submit("pdf", "first")
            await one.work.until("first")
            late = await one.submit("docx", "late")
            async with two.working(CONVERSIONS):
                await two.work.until("late")
                two.work.let_go("late")
                assert (await two.ended(late)).worker_id == "two"
            one.work.let_go("first")
            await until(lambda: _is_empty(operations))


async def _is_empty(operations) -> bool:
    jobs = await operations.broker.jetstream.stream_info("lectern_jobs")
    return jobs.state.messages == 0


async def _are_waited_for(operations, *lanes: Lane) -> bool:
    with contextlib.suppress(Exception):
        infos = [
            await operations.broker.jetstream.consumer_info("lectern_jobs", lane.consumer) for lane in lanes
        ]
        return all(info.num_waiting for info in infos)
    return False


async def test_a_queue_that_is_too_long_refuses_with_a_reason(operations):
    worker = LimitedWorker(operations, in_force(1, pdf_layout=limited(at_once=1, queued=2)))
    async with worker.working():
        running = await worker.submit("pdf", "running")
        await worker.work.until("running")
        waiting = [await worker.submit("pdf", name, key=f"{running.dedup_key}{name}") for name in "ab"]
        with pytest.raises(LecternError) as caught:
            await worker.submit("pdf", "c", key=f"{running.dedup_key}c")
        assert (caught.value.code, caught.value.reason) == (Code.RESOURCE_EXHAUSTED, "QUEUE_LIMIT_REACHED")
        # Who waits is joined, others have queues of their own, and of who was refused nothing is left.
        joined = await worker.submit("pdf", "a", key=waiting[0].dedup_key)
        assert (joined.operation_id, joined.run) == (waiting[0].operation_id, 1)
        await worker.submit("text", "other")
        with pytest.raises(LecternError) as caught:
            await worker.queue.get(model.operation_id_of(OperationKind.DOCUMENT, f"{running.dedup_key}c"))
        assert caught.value.code is Code.NOT_FOUND
        worker.policy.learn(WorkPolicy({}, 1, {}))
        await worker.submit("pdf", "c", key=f"{running.dedup_key}c")


async def test_what_waited_too_long_fails_though_no_worker_is_free(operations):
    worker = LimitedWorker(operations, in_force(1, pdf_layout=limited(seconds=60)))
    async with worker.working():
        running = await worker.submit("pdf", "running")
        await worker.work.until("running")
        old = await worker.submit("pdf", "old")
        worker.ahead_seconds += 30
        young = await worker.submit("pdf", "young")
        assert await worker.backlog.expire(LANES) == 0
        worker.ahead_seconds += 31
        assert await worker.backlog.expire(LANES) == 1
        assert await worker.backlog.expire(LANES) == 0
        failed = await worker.ended(old)
        assert failed.failure == model.WAITED_TOO_LONG
        assert [lost.operation_id for lost in worker.lost] == [old.operation_id]
        worker.work.let_go("running")
        await worker.work.until("running", "young")  # and the old one's job is dropped
        worker.work.let_go("young")
        assert (await worker.ended(young)).state is OperationState.SUCCEEDED
        assert (await worker.ended(running)).state is OperationState.SUCCEEDED


async def test_what_waited_too_long_is_not_begun(operations):
    worker = LimitedWorker(operations, in_force(pdf_layout=limited(seconds=60)))
    old = await worker.submit("pdf", "old")
    worker.ahead_seconds += 61
    async with worker.working():
        failed = await worker.ended(old)
    assert (failed.failure, worker.work.begun) == (model.WAITED_TOO_LONG, [])
    assert [lost.operation_id for lost in worker.lost] == [old.operation_id]


async def test_without_limits_nothing_is_refused_and_nothing_too_old(operations):
    worker = LimitedWorker(operations, PolicyInForce())
    records = [await worker.submit("pdf", str(number)) for number in range(4)]
    worker.ahead_seconds += 10**6
    assert await worker.backlog.expire(LANES) == 0
    async with worker.working():
        await worker.work.until("0", "1", "2", "3")
        for number in range(4):
            worker.work.let_go(str(number))
        for record in records:
            assert (await worker.ended(record)).state is OperationState.SUCCEEDED


async def test_stale_operations_are_mended_without_anybody_asking_for_them(operations):
    await operations.broker.jetstream.purge_stream(
        "KV_lectern_job_states"
    )  # those of other tests are stale too
    worker = LimitedWorker(operations, PolicyInForce())
    forgotten = await worker.submit("pdf", "forgotten")
    abandoned = await worker.submit("pdf", "abandoned")
    done = await worker.submit("pdf", "done")
    for record, change in (
        (abandoned, lambda r: model.started(r, "gone", worker.clock(), job_id=1, delivery=1)),
        (done, lambda r: model.succeeded(r, "result", worker.clock())),
    ):
        await worker.queue.change(record.operation_id, change)
    await operations.broker.jetstream.purge_stream("lectern_jobs")  # as a broker that lost its disk
    stale = 60.0
    mine = {record.operation_id for record in (forgotten, abandoned, done)}
    worker.ahead_seconds += stale - 1
    await worker.backlog.mend_stale(stale)
    assert not {lost.operation_id for lost in worker.lost} & mine
    worker.ahead_seconds += 2
    await worker.backlog.mend_stale(stale)
    assert (await worker.queue.get(abandoned.operation_id)).failure == model.WORKER_LOST
    assert abandoned.operation_id in {lost.operation_id for lost in worker.lost}
    assert (await worker.queue.get(done.operation_id)).state is OperationState.SUCCEEDED
    async with worker.working():
        await worker.work.until("forgotten")
        worker.work.let_go("forgotten")
        assert (await worker.ended(forgotten)).state is OperationState.SUCCEEDED
