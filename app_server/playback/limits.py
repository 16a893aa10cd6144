"""What limits say about listening. A user's sessions on one document count as one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from app_server.compute_limits.caller import Caller
from app_server.compute_limits.rules import ActionName
from app_server.compute_limits.service import LimitService
from app_server.playback.model import PlaybackSession
from shared.errors import Code, LecternError

_WHILE_LISTENING: tuple[ActionName, ...] = ("tts_playback", "tts_playback_document")
_log = structlog.get_logger(__name__)


class PlaybackLimits:
    def __init__(self, *, limits: LimitService) -> None:
        self._limits = limits

    @asynccontextmanager
    async def starting(
        self, caller: Caller, *, document_id: str, plan: str, extent: str
    ) -> AsyncIterator[str]:
        """For the start of a session within the block, which gets the extent that is allowed.

        plan names what is read and how: the same plan again costs nothing. Raises RESOURCE_EXHAUSTED.
        """
        work, plan_work = _work(caller.user_id, document_id), f"{caller.user_id}:{plan}"
        await self._limits.admit("tts_playback", caller, work=work)
        try:
            await self._limits.admit("tts_playback_plan", caller, work=plan_work, counts_once=True)
            try:
                yield await self._allowed_extent(caller, work, extent)
            finally:
                await self._limits.release("tts_playback_plan", work=plan_work)
        except BaseException:
            await self._release(work)
            raise

    async def moved(self, caller: Caller, session: PlaybackSession, *, playing: bool) -> None:
        """Raises RESOURCE_EXHAUSTED when the listener had paused and others have taken the room."""
        work = _work(session.user_id, session.document_id)
        if playing:
            await self._limits.hold("tts_playback", caller, work=work)
        else:
            await self._limits.release("tts_playback", work=work)

    async def generated(self, session: PlaybackSession) -> None:
        """Nothing more is made for it, whether anybody still listens or not."""
        work = _work(session.user_id, session.document_id)
        await self._limits.release("tts_playback_document", work=work)

    async def ended(self, session: PlaybackSession) -> None:
        await self._release(_work(session.user_id, session.document_id))

    async def _allowed_extent(self, caller: Caller, work: str, extent: str) -> str:
        """Speaking ahead to the end of the document is a favour: without it listening goes on as well."""
        if extent != "document":
            return extent
        try:
            await self._limits.admit("tts_playback_document", caller, work=work)
        except LecternError as error:
            if error.code is not Code.RESOURCE_EXHAUSTED:
                raise
            _log.info("a document is spoken ahead by sections only", reason=error.reason)
            return "section"
        return extent

    async def _release(self, work: str) -> None:
        for action in _WHILE_LISTENING:
            await self._limits.release(action, work=work)


def _work(user_id: str, document_id: str) -> str:
    return f"{user_id}:{document_id}"
