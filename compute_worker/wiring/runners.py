"""What takes jobs off the queue, and who is told of those that are lost."""

from collections.abc import Awaitable, Callable

from compute_worker.operations.backlog import Backlog
from compute_worker.operations.model import OperationKind, OperationRecord
from compute_worker.operations.ports import Job, OperationHandler
from compute_worker.operations.runner import OperationRunner, RunnerOptions
from compute_worker.playback.service import Playback
from compute_worker.wiring.foundations import Foundations


class Runners:
    """Makes them alike."""

    def __init__(self, *, base: Foundations, playback: Playback) -> None:
        self._base = base
        self._playback = playback

    def runner(
        self,
        options: RunnerOptions,
        handler: OperationHandler,
        *,
        on_success: Callable[[Job], Awaitable[None]] | None = None,
    ) -> OperationRunner:
        return OperationRunner(
            broker=self._base.broker,
            queue=self._base.queue,
            handler=handler,
            worker_id=self._base.worker_id,
            options=options,
            policy=self._base.policy,
            slots=self._base.slots,
            on_success=on_success,
            on_lost=self._tell_lost,
        )

    def backlog(self) -> Backlog:
        return Backlog(
            broker=self._base.broker,
            queue=self._base.queue,
            states=self._base.states,
            policy=self._base.policy,
            on_lost=self._tell_lost,
        )

    async def _tell_lost(self, record: OperationRecord) -> None:
        """Who waits for a document watches its operation; listeners watch their session."""
        if record.kind is OperationKind.PLAYBACK and record.failure is not None:
            await self._playback.tell_lost(str(record.arguments["session_id"]), record.failure)
