"""Operations over random interleavings: submitted, delivered, cancelled, by workers that die, pause and stop.

Whatever the order: what is on record as ended stays so, a run has one result, nothing that waits is
forgotten, and when everything is let run every operation ends.
"""

import asyncio
from types import SimpleNamespace
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from compute_worker.operations import model
from compute_worker.operations.delivery import DeliveredJobs, Outcome
from compute_worker.operations.model import OperationKind, OperationRecord, OperationState
from compute_worker.operations.ports import Job, ProgressReporter
from compute_worker.operations.queue import OperationQueue
from servers.memory_broker import Delivery, MemoryEvents, MemoryJobs, MemoryStates
from shared.errors import Code, LecternError

KEYS = ("a", "b")
ATTEMPTS = 3
STALE_SECONDS = 100.0
ENDS = st.sampled_from(["success", "failure", "trouble"])


class Work:
    """A handler's run, ended by the test."""

    def __init__(self) -> None:
        self.running: list[asyncio.Future[str]] = []

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        end: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.running.append(end)
        try:
            return await end
        finally:
            self.running.remove(end)


class Worker:
    def __init__(self, queue: OperationQueue, name: str, clock: Any) -> None:
        self.work = Work()
        self.deliveries: list[asyncio.Task[None]] = []
        self.jobs = DeliveredJobs(
            queue=queue,
            handler=self.work,
            worker_id=name,
            attempts_of=lambda _: ATTEMPTS,
            heartbeat_seconds=3600,
            clock=clock,
        )

    def take(self, delivery: Delivery) -> None:
        self.deliveries.append(asyncio.get_running_loop().create_task(self._process(delivery)))

    async def _process(self, delivery: Delivery) -> None:
        outcome = await self.jobs.process(delivery)  # type: ignore[arg-type]
        if outcome is Outcome.DONE:
            delivery.ack()
        elif outcome is Outcome.RETRY:
            delivery.nak()


class Interleavings(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.now = 1000.0
        self.jobs, self.events = MemoryJobs(), MemoryEvents()
        self.broker = SimpleNamespace(jetstream=self.jobs, client=SimpleNamespace(publish=self._broadcast))
        self.queue = OperationQueue(
            broker=self.broker,  # type: ignore[arg-type]
            states=MemoryStates(),  # type: ignore[arg-type]
            events=self.events,  # type: ignore[arg-type]
            stale_seconds=STALE_SECONDS,
            clock=self._tick,
        )
        self.workers = [self._worker() for _ in range(3)]
        self.lost: list[Worker] = []
        self.unread: list[tuple[Worker, Delivery]] = []
        self.submitted: set[str] = set()

    def _tick(self) -> float:
        self.now += 0.001
        return self.now

    def _worker(self) -> Worker:
        return Worker(self.queue, f"worker-{self._tick():.3f}", self._tick)

    async def _broadcast(self, _subject: str, payload: bytes) -> None:
        for worker in self.workers:
            worker.jobs.cancel(payload.decode())

    def do(self, what: Any) -> Any:
        async def until_still() -> Any:
            result = await what
            for _ in range(12):
                await asyncio.sleep(0)
            return result

        return self.loop.run_until_complete(until_still())

    async def _still(self) -> None:
        """Nothing but what is under way already."""

    @rule(key=st.sampled_from(KEYS), again=st.booleans())
    def submit(self, key: str, again: bool) -> None:
        record = self.do(self.queue.submit(OperationKind.DOCUMENT, key, {}, again=again))
        self.submitted.add(record.operation_id)

    @precondition(lambda self: any(not job.is_out for job in self.jobs.jobs.values()))
    @rule(data=st.data())
    def deliver(self, data: Any) -> None:
        job_id = data.draw(st.sampled_from([i for i, job in self.jobs.jobs.items() if not job.is_out]))
        worker = data.draw(st.sampled_from(self.workers))

        async def take() -> None:
            worker.take(self.jobs.deliver(job_id))

        self.do(take())

    @precondition(lambda self: any(not job.is_out for job in self.jobs.jobs.values()))
    @rule(data=st.data())
    def deliver_to_who_is_paused(self, data: Any) -> None:
        """It reads its delivery when it wakes up; others may have got the job since."""
        job_id = data.draw(st.sampled_from([i for i, job in self.jobs.jobs.items() if not job.is_out]))
        self.unread.append((data.draw(st.sampled_from(self.workers)), self.jobs.deliver(job_id)))
        self.jobs.forget_deliveries()

    @precondition(lambda self: self.unread)
    @rule(data=st.data())
    def wake_up(self, data: Any) -> None:
        worker, delivery = data.draw(st.sampled_from(self.unread))
        self.unread.remove((worker, delivery))

        async def take() -> None:
            worker.take(delivery)

        if worker in self.workers:
            self.do(take())

    @precondition(lambda self: self._running())
    @rule(data=st.data(), end=ENDS)
    def end(self, data: Any, end: str) -> None:
        """Also of a worker that was silent for so long that others have the job."""
        future = data.draw(st.sampled_from(self._running()))
        if not future.done():
            self._finish(future, end)
        self.do(self._still())

    @rule()
    def fall_silent(self) -> None:
        self.jobs.forget_deliveries()

    @rule(data=st.data())
    def die(self, data: Any) -> None:
        """Nothing of the worker is settled or recorded any more."""
        worker = data.draw(st.sampled_from(self.workers))
        self.workers.remove(worker)
        self.lost.append(worker)  # kept, so that what it held hangs for ever
        self.workers.append(self._worker())
        self.jobs.forget_deliveries()

    @rule(data=st.data())
    def stop(self, data: Any) -> None:
        """On purpose: it hands back what it works on."""
        worker = data.draw(st.sampled_from(self.workers))

        async def cancel() -> None:
            for task in worker.deliveries:
                task.cancel()
            await asyncio.gather(*worker.deliveries, return_exceptions=True)

        self.do(cancel())
        self.workers.remove(worker)
        self.workers.append(self._worker())

    @precondition(lambda self: self.submitted)
    @rule(data=st.data())
    def cancel(self, data: Any) -> None:
        self.do(self.queue.cancel(data.draw(st.sampled_from(sorted(self.submitted)))))

    @rule()
    def wait_until_stale(self) -> None:
        self.now += 2 * STALE_SECONDS

    @invariant()
    def what_ended_stays_so(self) -> None:
        ended: dict[tuple[str, int], OperationRecord] = {}
        for topic, payload in self.events.published:
            record = OperationRecord.from_json(payload)
            before = ended.get((topic, record.run))
            if before is not None:
                assert (record.state, record.result_ref) == (before.state, before.result_ref)
            if record.state.is_terminal:
                ended[topic, record.run] = record

    @invariant()
    def what_waits_has_a_job(self) -> None:
        """A waiting or running operation is carried by a message, so that it can't be forgotten."""
        carried = {job.data.decode() for job in self.jobs.jobs.values()}
        for operation_id in self.submitted:
            record = self._record(operation_id)
            assert record.state.is_terminal or f"{operation_id} {record.run}" in carried

    @invariant()
    def nobody_begins_too_often(self) -> None:
        for operation_id in self.submitted:
            assert self._record(operation_id).attempt <= ATTEMPTS + 1

    def teardown(self) -> None:
        try:
            self._let_everything_run()
        finally:
            self._close()

    def _let_everything_run(self) -> None:
        """On a worker that nothing happens to, every operation ends."""
        for future in self._running():
            if not future.done():
                self._finish(future, "success")
        self.do(self._still())
        last = self._worker()
        self.workers.append(last)
        for _ in range(4 * (ATTEMPTS + 2)):
            self.jobs.forget_deliveries()
            for job_id in list(self.jobs.jobs):

                async def take(job_id: int = job_id) -> None:
                    last.take(self.jobs.deliver(job_id))

                self.do(take())
                for future in list(last.work.running):
                    self._finish(future, "success")
                self.do(self._still())
        for operation_id in self.submitted:
            record = self.do(self.queue.get(operation_id))
            assert record.state.is_terminal, record
            assert (record.failure is not None) == (record.state is OperationState.FAILED)

    def _record(self, operation_id: str) -> OperationRecord:
        return self.loop.run_until_complete(self.queue.get(operation_id))

    def _running(self) -> "list[asyncio.Future[str]]":
        return [future for worker in self.workers for future in worker.work.running]

    @staticmethod
    def _finish(future: "asyncio.Future[str]", end: str) -> None:
        if end == "success":
            future.set_result("result")
        elif end == "failure":
            future.set_exception(LecternError(Code.INVALID_ARGUMENT, "Never."))
        else:
            future.set_exception(LecternError(Code.UNAVAILABLE, "Not now."))

    def _close(self) -> None:
        async def end_all() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self.loop.run_until_complete(end_all())
        self.loop.close()


TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(
    max_examples=60,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate,),  # making a failure shorter takes minutes
    suppress_health_check=list(HealthCheck),
)


def test_a_record_survives_its_way_through_json() -> None:
    record = model.queued(OperationKind.DOCUMENT, "key", {"n": 1}, 1.0)
    running = model.started(record, "worker", 2.0, job_id=7, delivery=2)
    assert OperationRecord.from_json(running.to_json()) == running
