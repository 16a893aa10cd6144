"""What aligning a recording leaves: an outline, the words by section, a transcript; JSON for browsers."""

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from compute_worker.recordings.model import PlacedPart, PlacedSection

OUTLINE_NAME: Final = "alignment.json.gz"
TRANSCRIPT_NAME: Final = "transcript.vtt.gz"
_COMPRESSION: Final = 3


def write_artifacts(
    folder: Path, placed: Sequence[PlacedPart], *, part_counts: Mapping[int, int], duration_ms: int
) -> None:
    """part_counts: how many parts each section of the text has."""
    (folder / "sections").mkdir()
    by_section: dict[int, list[PlacedPart]] = {}
    for one in placed:
        by_section.setdefault(one.part.section, []).append(one)
    for section, inside in by_section.items():
        _write_json(
            folder / "sections" / f"{section}.json.gz", {"segments": [_segment(one) for one in inside]}
        )
    sections = [_section(section, inside, part_counts[section]) for section, inside in by_section.items()]
    _write_json(
        folder / OUTLINE_NAME,
        {
            "durationMs": duration_ms,
            "segmentCount": sum(part_counts.values()),
            "placedCount": len(placed),
            "exactCount": sum(one.is_exact for one in placed),
            "sections": [_outline(section) for section in sections],
        },
    )
    (folder / TRANSCRIPT_NAME).write_bytes(_packed(transcript(placed)))


def transcript(placed: Iterable[PlacedPart]) -> str:
    """WebVTT, one cue for each part."""
    cues = (
        f"{one.part.ordinal}\n{_clock(one.start_ms)} --> {_clock(one.end_ms)}\n{_cue_text(one.part.text)}\n"
        for one in placed
    )
    return "\n".join(("WEBVTT\n", *cues))


def _cue_text(text: str) -> str:
    """On one line, without what WebVTT would take for markup."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clock(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}.{rest:03}"


def _section(section: int, inside: Sequence[PlacedPart], part_count: int) -> PlacedSection:
    return PlacedSection(
        section=section,
        start_ms=inside[0].start_ms,
        end_ms=max(one.end_ms for one in inside),
        part_count=part_count,
        placed_count=len(inside),
        exact_count=sum(one.is_exact for one in inside),
    )


def _outline(section: PlacedSection) -> dict[str, int]:
    return {
        "section": section.section,
        "startMs": section.start_ms,
        "endMs": section.end_ms,
        "segmentCount": section.part_count,
        "placedCount": section.placed_count,
        "exactCount": section.exact_count,
    }


def _segment(one: PlacedPart) -> dict[str, Any]:
    return {
        "ordinal": one.part.ordinal,
        "startMs": one.start_ms,
        "endMs": one.end_ms,
        "exact": one.is_exact,
        "words": [[word.start_ms, word.end_ms, word.char_start, word.char_end] for word in one.words],
    }


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_bytes(_packed(json.dumps(value, ensure_ascii=False, separators=(",", ":"))))


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), _COMPRESSION, mtime=0)
