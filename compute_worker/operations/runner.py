"""Takes jobs of one lane from the queue and sees to it that each is carried to a terminal state."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from compute_worker.operations.broker import Broker
from compute_worker.operations.delivery import DeliveredJobs, Outcome
from compute_worker.operations.intake import RETRY_DELAY_SECONDS, Intake
from compute_worker.operations.lanes import Lane
from compute_worker.operations.model import OperationRecord
from compute_worker.operations.policy import PolicyInForce
from compute_worker.operations.ports import Job, OperationHandler
from compute_worker.operations.queue import CANCEL_SUBJECT, OperationQueue
from compute_worker.operations.slots import Slots, SlotTurn
from compute_worker.operations.subscriptions import unsubscribe
from shared.errors import LecternError

# A job that reached us when nothing was free any more waits here no longer: another worker may be free.
PUT_BACK_SECONDS = 0.5

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RunnerOptions:
    lane: Lane
    max_attempts: int
    max_concurrent: int
    heartbeat_seconds: float  # a third or less of ack_wait_seconds
    ack_wait_seconds: float  # how long a silent worker keeps a job
    # By a job's arguments, for jobs that are begun less often, or more often, than max_attempts.
    own_attempts: Callable[[Mapping[str, Any]], int | None] = lambda _arguments: None

    def attempts_of(self, record: OperationRecord) -> int:
        own = self.own_attempts(record.arguments)
        return self.max_attempts if own is None else own


class OperationRunner:
    def __init__(
        self,
        *,
        broker: Broker,
        queue: OperationQueue,
        handler: OperationHandler,
        worker_id: str,
        options: RunnerOptions,
        policy: PolicyInForce | None = None,
        slots: Slots | None = None,
        on_success: Callable[[Job], Awaitable[None]] | None = None,
        on_lost: Callable[[OperationRecord], Awaitable[None]] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """slots are shared by all runners of a worker."""
        self._broker = broker
        self._options = options
        self._policy = policy or PolicyInForce()
        self._slots = slots or Slots(policy=self._policy)
        self._intake = Intake(
            broker=broker,
            lane=options.lane,
            ack_wait_seconds=options.ack_wait_seconds,
            max_attempts=options.max_attempts,
        )
        self._jobs = DeliveredJobs(
            queue=queue,
            handler=handler,
            worker_id=worker_id,
            attempts_of=options.attempts_of,
            heartbeat_seconds=options.heartbeat_seconds,
            clock=clock,
            max_wait_seconds=lambda: self._policy.current.max_wait_seconds(options.lane.action),
            on_success=on_success,
            on_lost=on_lost,
        )

    async def run(self) -> None:
        """Works until cancelled; then hands running jobs back to the queue."""
        free = asyncio.Semaphore(self._options.max_concurrent)
        cancels = await self._broker.client.subscribe(CANCEL_SUBJECT, cb=self._on_cancel)
        try:
            async with asyncio.TaskGroup() as deliveries, self._intake.open():
                while True:
                    await free.acquire()
                    message, turn = await self._next()
                    delivery = deliveries.create_task(self._deliver(message, turn))
                    delivery.add_done_callback(lambda _: free.release())
        finally:
            await unsubscribe(cancels)

    async def _next(self) -> tuple[Msg, SlotTurn]:
        """A job, and the slot that it may begin in.

        Where slots are scarce they are waited for first: the most urgent gets the next one, and what can't
        begin here stays in the queue for other workers.
        """
        action, turn = self._options.lane.action, SlotTurn(slots=self._slots)
        while True:
            if not self._slots.is_free_for_all(action):
                await turn.take_first(action)
                try:
                    message = await self._intake.take()
                except BaseException:
                    turn.rest()
                    raise
                if message is not None:
                    return message, turn
                turn.rest()
            message = await self._intake.wait()
            if message is not None and await self._begins_in_time(message, turn):
                return message, turn

    async def _begins_in_time(self, message: Msg, turn: SlotTurn) -> bool:
        """Whether a slot came for a job that was given to us without one; if not, it is back in the queue."""
        try:
            while True:
                try:
                    async with asyncio.timeout(PUT_BACK_SECONDS):
                        await turn.take_first(self._options.lane.action)
                        return True
                except TimeoutError:
                    if await self._intake.put_back(message):
                        return False
                    await message.in_progress()
        except asyncio.CancelledError:
            await self._settle(message, Outcome.RETRY, delay=0)
            raise

    async def _on_cancel(self, message: Msg) -> None:
        self._jobs.cancel(message.data.decode())

    async def _deliver(self, message: Msg, turn: SlotTurn) -> None:
        try:
            outcome = await self._jobs.process(message, turn)
        except asyncio.CancelledError:
            await self._settle(message, Outcome.RETRY, delay=0)
            raise
        except LecternError as error:  # ours, not the job's: it is delivered again
            log.warning("delivery failed", reason=error.reason)
            outcome = Outcome.RETRY
        except Exception:  # the loop must outlive one bad delivery
            log.exception("delivery failed")
            outcome = Outcome.RETRY
        finally:
            turn.rest()
        await self._settle(message, outcome, delay=RETRY_DELAY_SECONDS)

    async def _settle(self, message: Msg, outcome: Outcome, *, delay: float) -> None:
        try:
            if outcome is Outcome.RETRY:
                await message.nak(delay=delay or None)
            elif outcome is Outcome.DONE:
                await message.ack()
        except NatsError as error:
            # The broker delivers again after ack_wait; records make that harmless.
            log.warning("could not settle a job", cause=type(error).__name__)
