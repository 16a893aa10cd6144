"""A book's own narration (EPUB 3, 9: Media Overlays): noticed and looked through, not played.

A SMIL file goes with a file of the spine and says which of its elements is heard where in which sound
file. Books are strangers' files: what leads nowhere, runs backwards or is too much is counted as wrong,
and never stops the book.
"""

import math
import re
from dataclasses import dataclass
from typing import Final

from compute_worker.documents.epub.archive import Archive, resolve
from compute_worker.documents.epub.package import Package, parse_member
from compute_worker.documents.markup import Element, tag_of
from compute_worker.documents.model import Narration
from shared.errors import LecternError

_MOST_CLIPS: Final = 200_000  # words of a novel
_MOST_BYTES: Final = 16 * 1024 * 1024  # of one SMIL file
_LONGEST_SECONDS: Final = 400 * 3600.0
_CLOCK: Final = re.compile(r"(?:(\d{1,5}):)?(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)", re.ASCII)
_COUNT: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(h|min|s|ms)?", re.ASCII)
_SECONDS: Final = {"h": 3600.0, "min": 60.0, "s": 1.0, "": 1.0, "ms": 0.001}


@dataclass
class _Found:
    clips: int = 0
    wrong: int = 0
    seconds: float = 0.0


def read_narration(archive: Archive, package: Package) -> Narration | None:
    """None for a book that has none."""
    found = _Found()
    files = [item for item in package.spine if item.overlay]
    for item in files:
        overlay = package.items.get(item.overlay)
        root = _smil(archive, overlay.name) if overlay is not None and overlay.name else None
        if overlay is None or root is None:
            found.wrong += 1
        else:
            before = found.clips + found.wrong
            _read_clips(root, archive, overlay.name, item.name, found)
            found.wrong += found.clips + found.wrong == before < _MOST_CLIPS
    if not files:
        return None
    seconds = clock_seconds(package.narration_duration) or 0.0
    return Narration(
        narrators=package.narrators,
        duration_seconds=min(seconds or found.seconds, _LONGEST_SECONDS),
        clip_count=found.clips,
        wrong_count=found.wrong,
    )


def clock_seconds(value: str) -> float | None:
    """A SMIL clock value ("1:02:03.5", "02:03", "90s", "1.5h"); None for what is none."""
    text = value.strip()
    full = _CLOCK.fullmatch(text)
    if full is not None:
        hours, minutes, seconds = int(full[1] or 0), int(full[2]), float(full[3])
        return hours * 3600 + minutes * 60 + seconds if minutes < 60 and seconds < 60 else None
    count = _COUNT.fullmatch(text)
    return None if count is None else float(count[1]) * _SECONDS[count[2] or ""]


def _smil(archive: Archive, name: str) -> Element | None:
    try:
        if archive.size(name) > _MOST_BYTES:
            return None
        root = parse_member(archive, name)
    except LecternError:
        return None
    return root if root is not None and tag_of(root) == "smil" else None


def _read_clips(root: Element, archive: Archive, base: str, page: str, found: _Found) -> None:
    for par in root.iter():
        if tag_of(par) != "par":
            continue
        if found.clips + found.wrong >= _MOST_CLIPS:
            return
        seconds = _clip_seconds(par, archive, base, page)
        if seconds is None:
            found.wrong += 1
        else:
            found.clips += 1
            found.seconds += seconds


def _clip_seconds(par: Element, archive: Archive, base: str, page: str) -> float | None:
    """None for what cannot be played. A clip without sound is for a voice to say, one without an end goes
    on to its file's end, which only the sound would tell: both count no time."""
    parts = {tag_of(part): part for part in par}
    text, audio = parts.get("text"), parts.get("audio")
    if text is None or resolve(base, text.get("src", ""))[0] != page:
        return None
    if audio is None:
        return 0.0
    name, _ = resolve(base, audio.get("src", ""))
    if name in {"", base} or not archive.find(name):
        return None
    begin = clock_seconds(_clip(audio, "begin") or "0")
    end_text = _clip(audio, "end")
    end = clock_seconds(end_text) if end_text else begin
    if begin is None or end is None or not math.isfinite(end) or (end_text and end <= begin):
        return None
    return min(end - begin, _LONGEST_SECONDS)


def _clip(audio: Element, side: str) -> str:
    """clipBegin; in small letters where only HTML's parser could read the file, with a dash in SMIL 2."""
    names = (f"clip{side.title()}", f"clip{side}", f"clip-{side}")
    return next((audio.get(name, "") for name in names if name in audio.attrib), "")
