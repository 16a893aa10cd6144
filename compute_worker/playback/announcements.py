"""What a session's listeners are told, as values and as events of the broker."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from operator import attrgetter
from typing import Any, Final

from compute_worker.operations.events import Event
from compute_worker.playback.model import Segment
from compute_worker.speech.model import SpokenSegment

# A problem that stays as long as the session: its rules are part of what it is.
RULE_LEFT_OUT: Final = "PRONUNCIATION_RULE_LEFT_OUT"


class GenerationState(Enum):
    GENERATING = "generating"
    WAITING = "waiting"
    COMPLETE = "complete"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class SegmentReady:
    """A segment's audio exists, or (failed) is replaced by silence of known length."""

    ordinal: int
    frames: int
    pause_frames: int
    exact: bool
    failed: bool
    cached: bool

    @property
    def total_frames(self) -> int:
        return self.frames + self.pause_frames


@dataclass(frozen=True)
class SegmentLost:
    """What was announced is not in the cache any more; it has to be made again."""

    ordinal: int


@dataclass(frozen=True)
class StateChanged:
    state: GenerationState


@dataclass(frozen=True)
class ProblemOccurred:
    code: str
    message: str
    retryable: bool
    ordinal: int | None = None
    # When the limit that stopped generation lets it go on; 0 for other problems.
    resets_at_ms: int = 0


Announcement = SegmentReady | SegmentLost | StateChanged | ProblemOccurred


def segment_ready(segment: Segment, spoken: SpokenSegment, *, cached: bool) -> SegmentReady:
    return SegmentReady(
        ordinal=segment.ordinal,
        frames=spoken.frame_count,
        pause_frames=segment.pause_frames,
        exact=spoken.exact,
        failed=False,
        cached=cached,
    )


def session_topic(session_id: str) -> str:
    return f"session.{session_id}"


def to_payload(announcement: Announcement) -> dict[str, Any]:
    if isinstance(announcement, SegmentReady):
        return {"type": "segment", **asdict(announcement)}
    if isinstance(announcement, SegmentLost):
        return {"type": "lost", "ordinal": announcement.ordinal}
    if isinstance(announcement, StateChanged):
        return {"type": "state", "state": announcement.state.value}
    return {"type": "problem", **asdict(announcement)}


def from_payload(payload: dict[str, Any]) -> Announcement:
    fields = {name: value for name, value in payload.items() if name != "type"}
    if payload["type"] == "segment":
        return SegmentReady(**fields)
    if payload["type"] == "lost":
        return SegmentLost(**fields)
    if payload["type"] == "state":
        return StateChanged(GenerationState(fields["state"]))
    return ProblemOccurred(**fields)


def still_true(events: Sequence[Event]) -> list[Event]:
    """What a newcomer has to be told of past events: the latest of each segment, the present state, which
    rules are left out, and other problems only while they are the reason for that state."""
    segments: dict[int, Event] = {}
    left_out: dict[str, Event] = {}
    state: Event | None = None
    problems: list[Event] = []
    for event in events:
        payload = event.payload
        if payload["type"] == "segment":
            segments[payload["ordinal"]] = event
        elif payload["type"] == "lost":
            segments.pop(payload["ordinal"], None)
        elif payload["type"] == "problem" and payload["code"] == RULE_LEFT_OUT:
            left_out[payload["message"]] = event
        elif payload["type"] == "problem":
            problems.append(event)
        else:
            state = event
            if payload["state"] != GenerationState.STOPPED.value:
                problems.clear()
    kept = [*segments.values(), *left_out.values(), *problems, *([state] if state else [])]
    return sorted(kept, key=attrgetter("event_id"))
