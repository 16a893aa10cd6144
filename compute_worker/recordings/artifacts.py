"""What aligning a recording leaves: an outline, the words by section, a transcript; JSON for browsers."""

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from compute_worker.recordings.model import PlacedPart, TextPart, TextSection

OUTLINE_NAME: Final = "alignment.json.gz"
TRANSCRIPT_NAME: Final = "transcript.vtt.gz"
_COMPRESSION: Final = 3


def write_artifacts(
    folder: Path,
    sections: Sequence[TextSection],
    parts: Sequence[TextPart],
    placed: Sequence[PlacedPart],
    *,
    duration_ms: int,
) -> None:
    """Every part of the text is listed, heard or not."""
    (folder / "sections").mkdir()
    found = {one.part.ordinal: one for one in placed}
    outlines = []
    for section in sections:
        inside = parts[section.first_ordinal : section.first_ordinal + section.part_count]
        segments = [_segment(part, found.get(part.ordinal)) for part in inside]
        _write_json(folder / "sections" / f"{section.section}.json.gz", {"segments": segments})
        heard = [found[part.ordinal] for part in inside if part.ordinal in found]
        outlines.append(_outline(section, heard))
    _write_json(
        folder / OUTLINE_NAME,
        {
            "durationMs": duration_ms,
            "segmentCount": len(parts),
            "placedCount": len(placed),
            "exactCount": sum(one.is_exact for one in placed),
            "sections": outlines,
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


def _outline(section: TextSection, heard: Sequence[PlacedPart]) -> dict[str, Any]:
    times = {"startMs": heard[0].start_ms, "endMs": heard[-1].end_ms} if heard else {}
    return {
        "section": section.section,
        "title": section.title,
        "firstOrdinal": section.first_ordinal,
        "segmentCount": section.part_count,
        "characterCount": section.character_count,
        "placedCount": len(heard),
        "exactCount": sum(one.is_exact for one in heard),
        **times,
    }


def _segment(part: TextPart, heard: PlacedPart | None) -> dict[str, Any]:
    place = {"ordinal": part.ordinal, "blockId": part.block_id, "start": part.start, "end": part.end}
    if heard is None:
        return place
    return {
        **place,
        "startMs": heard.start_ms,
        "endMs": heard.end_ms,
        "exact": heard.is_exact,
        "words": [[word.start_ms, word.end_ms, word.char_start, word.char_end] for word in heard.words],
    }


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_bytes(_packed(json.dumps(value, ensure_ascii=False, separators=(",", ":"))))


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), _COMPRESSION, mtime=0)
