"""The document operation, followed by the plan that most listeners will ask for."""

from compute_worker.operations.ports import Job, OperationHandler, ProgressReporter
from compute_worker.playback.model import PlanOptions
from compute_worker.playback.plans import Plans
from shared.errors import Code, LecternError


class PlannedDocumentHandler:
    def __init__(self, *, documents: OperationHandler, plans: Plans) -> None:
        self._documents = documents
        self._plans = plans

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        reading_ref = await self._documents.run(job, progress)
        await progress.report(phase="planning", done=0, total=1)
        try:
            await self._plans.plan(reading_ref, PlanOptions())
        except LecternError as error:
            if error.code is not Code.FAILED_PRECONDITION:  # a book of pictures can still be looked at
                raise
        return reading_ref
