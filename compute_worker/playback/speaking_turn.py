"""A generation run's turn to have speech made, asked for without standing still: listeners move meanwhile."""

import asyncio

from compute_worker.operations.ports import Turn
from compute_worker.playback.model import Cursor, Extent

LISTENING = "tts_playback"
SPEAKING_AHEAD = "tts_playback_document"  # for a listener who is gone, to the document's end


def action_of(cursor: Cursor, extent: Extent, now: float) -> str:
    """What the run is to the compute limits at the moment."""
    is_ahead = extent is Extent.DOCUMENT and cursor.playing and cursor.is_gone(now)
    return SPEAKING_AHEAD if is_ahead else LISTENING


class SpeakingTurn:
    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._taking: asyncio.Task[None] | None = None

    @property
    def awaited(self) -> "tuple[asyncio.Task[None], ...]":
        """Done when it may be looked at again."""
        return (self._taking,) if self._taking else ()

    def is_there(self, action: str) -> bool:
        """If not, it is waited for from now on. Raises LecternError when that took too long."""
        if self._taking is not None:
            if not self._taking.done():
                return False
            taken, self._taking = self._taking, None
            taken.result()
        if self._turn.is_held_as(action) or self._turn.take_now(action):
            return True
        self._taking = asyncio.create_task(self._turn.take(action))
        return False

    async def rest(self) -> None:
        """Nothing is to be made just now."""
        await self.close()
        self._turn.rest()

    async def close(self) -> None:
        taking, self._taking = self._taking, None
        if taking is not None:
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)
