"""What limits say about opening files: each kind of file is an action of its own."""

import structlog

from app_server.compute_limits.caller import Caller
from app_server.compute_limits.rules import ActionName
from app_server.compute_limits.service import LimitService
from app_server.library.formats import DocumentFormat
from app_server.library.model import Document
from shared.errors import LecternError

_OPENING: tuple[ActionName, ...] = ("pdf_layout", "document_conversion", "document_preview")
_log = structlog.get_logger(__name__)


class OpeningLimits:
    def __init__(self, *, limits: LimitService) -> None:
        self._limits = limits

    async def admit(
        self, caller: Caller, *, document_id: str, document_format: DocumentFormat, size_bytes: int
    ) -> None:
        """The file will be opened. Raises RESOURCE_EXHAUSTED."""
        await self._limits.admit(
            opening_action(document_format),
            caller,
            work=document_id,
            amounts={"files": 1, "input_bytes": size_bytes},
        )

    async def progressed(self, document: Document) -> None:
        """It is still being opened; a lease that lapsed and finds no room again stops nothing."""
        # Only whose it is counts here: that is in the document.
        owner = Caller(document.owner_id, is_anonymous=False)
        try:
            await self._limits.hold(opening_action(document.format), owner, work=document.id)
        except LecternError as error:
            _log.info("a file is opened beyond the limit", document=document.id, reason=error.reason)

    async def ended(self, document_id: str) -> None:
        """A lease that can't be given back lapses by itself."""
        try:
            for action in _OPENING:
                await self._limits.release(action, work=document_id)
        except LecternError as error:
            _log.warning("a lease stays until it lapses", document=document_id, reason=error.reason)


def opening_action(document_format: DocumentFormat) -> ActionName:
    match document_format:
        case DocumentFormat.PDF:
            return "pdf_layout"
        case DocumentFormat.DOCX:
            return "document_conversion"
        case _:
            return "document_preview"
