"""Which action of the compute limits a job is, and in which queue it waits for that."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from compute_worker.operations.broker import JOBS_SUBJECT
from compute_worker.operations.model import OperationKind
from compute_worker.operations.policy import ALIGN_RECORDING


@dataclass(frozen=True)
class Lane:
    """A kind's queue, or one of its own for some of the kind's jobs, so that they don't wait for others."""

    kind: OperationKind
    action: str = ""  # without one nothing is limited
    branch: str = ""

    @property
    def subject(self) -> str:
        return ".".join(filter(None, (JOBS_SUBJECT, self.kind.value, self.branch)))

    @property
    def consumer(self) -> str:
        return "-".join(filter(None, ("worker", self.kind.value, self.branch)))


LaneOf = Callable[[OperationKind, Mapping[str, Any]], Lane]

PREVIEWS: Final = Lane(OperationKind.DOCUMENT, "document_preview")
PDFS: Final = Lane(OperationKind.DOCUMENT, "pdf_layout", "pdf")
CONVERSIONS: Final = Lane(OperationKind.DOCUMENT, "document_conversion", "conversion")
RECORDINGS: Final = Lane(OperationKind.ALIGN, ALIGN_RECORDING)
LISTENING: Final = Lane(OperationKind.PLAYBACK, "tts_playback")
LANES: Final = (PREVIEWS, PDFS, CONVERSIONS, RECORDINGS, LISTENING)


def lane_of(kind: OperationKind, arguments: Mapping[str, Any]) -> Lane:
    match kind:
        case OperationKind.ALIGN:
            return RECORDINGS
        case OperationKind.PLAYBACK:
            return LISTENING
        case OperationKind.DOCUMENT:
            return {"pdf": PDFS, "docx": CONVERSIONS}.get(str(arguments.get("format")), PREVIEWS)


def one_lane(kind: OperationKind, _arguments: Mapping[str, Any]) -> Lane:
    """All of a kind in one queue, and nothing limited."""
    return Lane(kind)
