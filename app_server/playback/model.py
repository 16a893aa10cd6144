"""A listener's playback session as the app knows it. No I/O."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PlaybackSession:
    """id is the worker's; the row says whose it is."""

    id: str
    user_id: str
    document_id: str
    plan_id: str


@dataclass(frozen=True)
class AudioAddress:
    url: str
    expires_at_ms: int
