"""Which segments to have ready, given where the listener is. No I/O."""

from collections.abc import Callable, Sequence

from compute_worker.playback.model import Cursor, Extent, Plan

WINDOW_MS = 30_000
WINDOW_MIN_SEGMENTS = 3
WINDOW_MAX_SEGMENTS = 8
MS_PER_CHARACTER = 65  # an estimate of speech not made yet: about 15 characters a second

DurationOf = Callable[[int], int | None]  # milliseconds of a segment with its pause, None while unknown


def window(plan: Plan, start: int, duration_of: DurationOf) -> range:
    """Enough segments from `start` for 30 s, at least 3 and at most 8."""
    total_ms = 0
    end = start
    while end < len(plan.segments) and end - start < WINDOW_MAX_SEGMENTS:
        if total_ms >= WINDOW_MS and end - start >= WINDOW_MIN_SEGMENTS:
            break
        known = duration_of(end)
        total_ms += len(plan.segments[end].text) * MS_PER_CHARACTER if known is None else known
        end += 1
    return range(start, end)


def wanted(plan: Plan, cursor: Cursor, now: float, extent: Extent, duration_of: DurationOf) -> Sequence[int]:
    """The window ahead of the cursor; when the listener went away while playing, all of the extent.

    A listener who went away while paused gets no more: nobody pays for what nobody asked for.
    """
    near = window(plan, cursor.ordinal, duration_of)
    if cursor.playing and cursor.is_gone(now):
        return range(cursor.ordinal, max(near.stop, plan.extent_end(cursor.ordinal, extent)))
    return near
