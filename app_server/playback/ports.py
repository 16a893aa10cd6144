"""What playback asks of its database."""

from typing import Protocol

from app_server.playback.model import PlaybackSession


class PlaybackSessionStore(Protocol):
    async def save(self, session: PlaybackSession, *, now_ms: int) -> None:
        """Also for one that is there already: playing again resumes it."""
        ...

    async def find(self, session_id: str) -> PlaybackSession | None:
        """Whoever it belongs to; callers check."""
        ...

    async def remove_older(self, *, than_ms: int) -> int: ...
