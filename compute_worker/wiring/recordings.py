"""Owners' own recordings, aligned with their documents."""

from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.operations.lanes import RECORDINGS
from compute_worker.operations.runner import OperationRunner, RunnerOptions
from compute_worker.playback.plans import Plans
from compute_worker.recordings.handler import AlignHandler
from compute_worker.wiring.foundations import Foundations
from compute_worker.wiring.runners import Runners

# Each takes a core for minutes: how many at once is the policy's to say.
_RUNNER = RunnerOptions(
    lane=RECORDINGS,
    max_attempts=3,
    max_concurrent=64,
    heartbeat_seconds=2.0,
    ack_wait_seconds=10.0,
)
_LIMITS = ParserLimits(wall_seconds=6 * 3600, cpu_seconds=6 * 3600)


def recording_runner(base: Foundations, *, plans: Plans, runners: Runners) -> OperationRunner:
    handler = AlignHandler(
        store=base.store,
        plans=plans,
        process=ParserProcess(limits=_LIMITS, module="compute_worker.recordings.child"),
        media_bin=str(base.settings.media_bin),
        temporary_folder=base.scratch,
    )
    return runners.runner(_RUNNER, handler)
