"""The file's own table of contents, tied to the paragraphs it leads to."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from compute_worker.documents.builder import TocTarget
from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf.file import OutlineEntry
from compute_worker.documents.pdf.model import Paragraph

_MOST_SECTIONS: Final = 400
_LEAST_SECTIONS: Final = 2
_NEAR: Final = 24.0
_LETTERS = re.compile(r"\w+")
_CANNOT_BEGIN = frozenset(
    {BlockRole.HEADER, BlockRole.FOOTER, BlockRole.PAGE_NUMBER, BlockRole.FOOTNOTE, BlockRole.OTHER}
)


@dataclass(frozen=True, slots=True)
class Chapter:
    title: str
    begins_section: bool


@dataclass
class Chapters:
    starts: dict[int, Chapter] = field(default_factory=dict)
    """By the id() of the paragraph."""
    anchors: dict[int, list[int]] = field(default_factory=dict)
    toc: tuple[TocTarget, ...] = ()


def chapters_of(
    outline: Sequence[OutlineEntry], pages: Sequence[Sequence[Paragraph]], tops: Sequence[float]
) -> Chapters:
    """Empty where the outline leads nowhere or only to one place."""
    finder = _Finder(pages, tops)
    depth = _section_depth(outline)
    toc = tuple(finder.targets(outline, 1, depth))
    if len(finder.chapters.starts) < _LEAST_SECTIONS:
        return Chapters()
    finder.chapters.toc = toc
    return finder.chapters


class _Finder:
    def __init__(self, pages: Sequence[Sequence[Paragraph]], tops: Sequence[float]) -> None:
        self.chapters = Chapters()
        self._pages = pages
        self._tops = tops
        self._count = 0

    def targets(self, entries: Sequence[OutlineEntry], level: int, depth: int) -> Iterator[TocTarget]:
        for entry in entries:
            self._count += 1
            name = self._count
            paragraph = self._find(entry)
            if paragraph is not None:
                self.chapters.anchors.setdefault(id(paragraph), []).append(name)
                if id(paragraph) not in self.chapters.starts:
                    self.chapters.starts[id(paragraph)] = Chapter(entry.title, level <= depth)
                if _same_words(entry.title, paragraph) and paragraph.role is not BlockRole.TITLE:
                    paragraph.role = BlockRole.HEADING
                    paragraph.level = min(6, level + 1)
            children = tuple(self.targets(entry.children, level + 1, depth))
            if entry.title:
                yield TocTarget(entry.title[:300], name, children)
            else:
                yield from children

    def _find(self, entry: OutlineEntry) -> Paragraph | None:
        """The heading of that name on the page, else what stands at the place."""
        if not 0 <= entry.page < len(self._pages):
            return None
        candidates = [
            paragraph for paragraph in self._pages[entry.page] if paragraph.role not in _CANNOT_BEGIN
        ]
        named = next((paragraph for paragraph in candidates if _same_words(entry.title, paragraph)), None)
        if named is not None or not candidates:
            return named
        if entry.y is None:
            return candidates[0]
        y = self._tops[entry.page] - entry.y
        return next(
            (paragraph for paragraph in candidates if paragraph.lines[0].bottom >= y - 1), candidates[-1]
        )


def _same_words(title: str, paragraph: Paragraph) -> bool:
    if len(paragraph.lines) > 4 or not title:
        return False
    wanted = _LETTERS.findall(title.lower())
    found = _LETTERS.findall(" ".join(line.text for line in paragraph.lines).lower())
    return bool(wanted) and (
        found == wanted or (len(found) <= len(wanted) + 2 and found[-len(wanted) :] == wanted)
    )


def _section_depth(outline: Sequence[OutlineEntry]) -> int:
    """The first level that has several entries."""
    level, depth = list(outline), 1
    while level and len(level) < _LEAST_SECTIONS and depth < 4:
        level = [child for entry in level for child in entry.children]
        depth += 1
    return depth if len(level) <= _MOST_SECTIONS else 0
