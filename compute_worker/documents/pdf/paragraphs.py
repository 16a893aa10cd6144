"""Cuts the lines of a region into paragraphs, and joins those that a column or a page has parted."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final

from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf.glyphs import HYPHEN
from compute_worker.documents.pdf.lines import is_right_to_left
from compute_worker.documents.pdf.model import LayoutKind, Line, Paragraph, Region

BULLET: Final = re.compile(r"(?:[•●▪◦‣∙·■□▸►➢✓❖◆◇○–—*\-−➔→]\s*|! )(?=\S)")
NUMBERED: Final = re.compile(
    r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{2,6})[.)]|\[\d{1,3}\]|第?[一二三四五六七八九十]{1,3}[、.])\s+(?=\S)"
)
_DASHED = re.compile(r"[–—−-] \S")
LONE_BULLET: Final = re.compile(r"[•●▪◦‣∙·■□▸►➢✓❖◆◇○]|! (?=\S)")
_TERMINAL = re.compile(r"[.!?:;。！？…][\"'”’)\]»」』\d*†‡]*$")
_LOWER = re.compile(r"[\"'“‘(\[«]*[^\W\d_]")
_SAME_SIZE = 0.06
_LEAST_CHARACTERS = 16
_LONG_CHARACTERS = 90
_STITCHED = frozenset({BlockRole.PARAGRAPH, BlockRole.LIST_ITEM, BlockRole.REFERENCE, BlockRole.QUOTE})
_PASSED_OVER = frozenset(
    {
        BlockRole.FOOTNOTE,
        BlockRole.CAPTION,
        BlockRole.TABLE,
        BlockRole.OTHER,
        BlockRole.HEADER,
        BlockRole.FOOTER,
        BlockRole.PAGE_NUMBER,
    }
)


@dataclass
class Typography:
    """What is usual in the document; lines of text vote as they come."""

    sizes: Counter[float] = field(default_factory=Counter)
    bold_characters: int = 0
    characters: int = 0
    leadings: Counter[tuple[float, float]] = field(default_factory=Counter)

    def learn(self, region: Region) -> None:
        for line in region.lines:
            self.sizes[line.font.size] += len(line.text)
            self.characters += len(line.text)
            self.bold_characters += len(line.text) * line.font.is_bold

    @property
    def body_size(self) -> float:
        """The commonest size, of text set in sizes that differ by less than a fifth of a point."""
        if not self.sizes:
            return 10.0
        near = {
            size: sum(count for other, count in self.sizes.items() if abs(other - size) <= 0.2)
            for size in self.sizes
        }
        return max(near, key=lambda size: (near[size], self.sizes[size]))

    @property
    def is_bold(self) -> bool:
        return self.bold_characters * 2 > self.characters


def paragraphs_of(region: Region) -> list[Paragraph]:
    if region.kind is LayoutKind.TABLE:
        return [
            Paragraph(
                [line for cell in row for line in cell],
                BlockRole.TABLE,
                left=region.left,
                right=region.right,
                cells=row,
                is_role_given=region.role is not None or region.is_whole,
            )
            for row in region.rows
        ]
    lines = _with_markers_joined(region.lines)
    if not lines:
        return []
    if region.is_whole:
        return [_whole(region, lines)]
    if region.role is None:
        return _Splitter(lines).split()
    # A model's box around text may hold several paragraphs; any other is one thing.
    if region.role in {BlockRole.PARAGRAPH, BlockRole.REFERENCE, BlockRole.LIST_ITEM, BlockRole.FOOTNOTE}:
        found = _Splitter(lines).split()
    else:
        found = [Paragraph(lines, left=region.left, right=region.right)]
    for paragraph in found:
        paragraph.role, paragraph.is_role_given = region.role, True
        paragraph.is_text_by_model = region.role is BlockRole.PARAGRAPH
    return found


def _whole(region: Region, lines: list[Line]) -> Paragraph:
    paragraph = _Splitter(lines).whole()
    if region.role is not None:
        paragraph.role, paragraph.level, paragraph.is_role_given = region.role, region.level, True
    return paragraph


def runs_on(before: Line, line: Line) -> bool:
    """Whether the second goes on in the middle of the first one's sentence."""
    return _starts_lower(line.text) and not _TERMINAL.search(before.text)


def _with_markers_joined(lines: Sequence[Line]) -> list[Line]:
    return list(lines)


class _Splitter:
    def __init__(self, lines: list[Line]) -> None:
        self._lines = lines
        self._is_rtl = is_right_to_left("".join(line.text for line in lines[:20]))
        sides = [self._sides(line) for line in lines]
        self._near = min(near for near, _ in sides)
        self._far = sorted(far for _, far in sides)[max(0, int(len(sides) * 0.93) - 1)]
        self._leadings = _usual_leadings(lines)

    def split(self) -> list[Paragraph]:
        groups: list[list[Line]] = [[self._lines[0]]]
        for number in range(1, len(self._lines)):
            if self._begins(number, groups[-1]):
                groups.append([self._lines[number]])
            else:
                groups[-1].append(self._lines[number])
        return [self._paragraph(group) for group in groups]

    def whole(self) -> Paragraph:
        return self._paragraph(self._lines)

    def _paragraph(self, lines: list[Line]) -> Paragraph:
        left, right = min(line.left for line in self._lines), max(line.right for line in self._lines)
        near, _ = self._sides(lines[0])
        return Paragraph(
            lines, left=left, right=right, starts_indented=near - self._near > 0.6 * lines[0].font.size
        )

    def _sides(self, line: Line) -> tuple[float, float]:
        """Where it begins and ends, growing in the direction of reading."""
        return (-line.right, -line.left) if self._is_rtl else (line.left, line.right)

    def _begins(self, number: int, group: list[Line]) -> bool:  # noqa: PLR0911 - rules in order
        line, before = self._lines[number], self._lines[number - 1]
        size = max(before.font.size, line.font.size)
        if abs(before.font.size - line.font.size) > max(_SAME_SIZE * size, 0.55):
            return True
        if line.font.is_mono != before.font.is_mono:
            return True
        gap = line.baseline - before.baseline
        if gap > 1.28 * self._leadings.get(round(line.font.size), 1.2 * size) + 0.5 or gap < 0:
            return True
        if line.font.is_mono:
            return False
        is_broken = before.text.endswith(("-", "‐", HYPHEN))
        if line.font.is_bold != before.font.is_bold and not is_broken:
            return self._changes_weight(line, before)
        if BULLET.match(line.text) and LONE_BULLET.match(line.text):
            return True
        if is_broken:
            return False
        return self._is_dashed_item(line, before, group) or self._begins_by_place(number, group)

    def _is_dashed_item(self, line: Line, before: Line, group: Sequence[Line]) -> bool:
        """A dash begins an item where it stands out or in, or under the dash of the one before."""
        if not _DASHED.match(line.text):
            return False
        near, size = self._sides(line)[0], line.font.size
        is_under = (
            _DASHED.match(group[0].text) is not None and abs(near - self._sides(group[0])[0]) < 0.3 * size
        )
        return is_under or abs(near - self._sides(before)[0]) > 0.3 * size

    def _changes_weight(self, line: Line, before: Line) -> bool:
        """A bold line before plain ones is a heading, unless it merely runs on."""
        return self._is_short(before, line) or _sentence_like_end(before.text)

    def _begins_by_place(self, number: int, group: list[Line]) -> bool:  # noqa: PLR0911 - rules in order
        line, before = self._lines[number], self._lines[number - 1]
        near, _ = self._sides(line)
        near_before, _ = self._sides(before)
        size = line.font.size
        shift = near - near_before
        if self._is_centered(line) and self._is_centered(before):
            return False
        if self._is_short(before, line) and (
            _sentence_like_end(before.text)
            or shift > 0.5 * size
            or _hangs(line.text)
            or self._missing(before) > 0.2 * (self._far - self._near)
        ):
            return True
        if NUMBERED.match(line.text) or BULLET.match(line.text):
            starts_list = NUMBERED.match(group[0].text) or BULLET.match(group[0].text)
            if (starts_list and shift < -0.3 * size) or (starts_list and len(group) == 1 and abs(shift) < 1):
                return True
        if len(group) == 1 and shift < -0.5 * size:
            return False  # the second line of an indented paragraph
        if shift > 0.5 * size:
            # Indented: a new paragraph, or the second line of a hanging one, whose next lines stay there.
            following = self._lines[number + 1] if number + 1 < len(self._lines) else None
            stays = following is not None and abs(self._sides(following)[0] - near) < 0.3 * size
            if len(group) == 1 and (stays or _hangs(group[0].text)):
                return False
            return shift < 6 * size
        return shift < -0.5 * size and len(group) > 1 and _is_hanging(group, self._sides)

    def _is_short(self, before: Line, line: Line) -> bool:
        """The first word of this line would have fitted on the one before."""
        first = line.words[0] if line.words else None
        width = first.right - first.left if first is not None else line.right - line.left
        for word in line.words[1:]:
            if not word.is_glued:
                break
            width = abs(word.right - (first.left if first is not None else word.left))
        _, end = self._sides(before)
        return self._far - end > width + 0.45 * before.font.size

    def _missing(self, line: Line) -> float:
        _, end = self._sides(line)
        return self._far - end

    def _is_centered(self, line: Line) -> bool:
        near, far = self._sides(line)
        before, after = near - self._near, self._far - far
        return before > 1.5 * line.font.size and abs(before - after) < 0.25 * (before + after) + 1


def _usual_leadings(lines: Sequence[Line]) -> dict[int, float]:
    """By size: the distance of most lines from the one before; the smallest of the common ones."""
    found: dict[int, list[float]] = {}
    for before, line in pairwise(lines):
        gap = line.baseline - before.baseline
        if abs(line.font.size - before.font.size) < 0.6 and 0 < gap < 3 * line.font.size:
            found.setdefault(round(line.font.size), []).append(gap)
    leadings = {}
    for size, gaps in found.items():
        usual = sorted(gaps)[len(gaps) // 3] if len(gaps) > 4 else min(gaps)
        leadings[size] = min(usual, max(1.35 * size, median(gaps) if len(gaps) > 6 else 1.6 * size))
    return leadings


def _sentence_like_end(text: str) -> bool:
    return bool(_TERMINAL.search(text))


def _hangs(text: str) -> bool:
    return bool(BULLET.match(text) or NUMBERED.match(text))


def _is_hanging(group: Sequence[Line], sides: Callable[[Line], tuple[float, float]]) -> bool:
    """A group whose first line stands further out than the rest."""
    near = [sides(line)[0] for line in group]
    return near[0] < min(near[1:]) - 0.4 * group[0].font.size


def stitch(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """Joins what goes on in the next column or on the next page; notes and figures between stay behind it."""
    result: list[Paragraph] = []
    open_at: int | None = None
    for paragraph in paragraphs:
        if paragraph.role in _PASSED_OVER:
            result.append(paragraph)
            continue
        last = result[open_at] if open_at is not None else None
        if last is not None and not _goes_on(last, paragraph):
            last = _left_open(result, paragraph)
        if last is not None:
            last.lines += paragraph.lines
            last.right = paragraph.right
            last.left = paragraph.left
            continue
        result.append(paragraph)
        open_at = len(result) - 1
    return result


def _left_open(result: Sequence[Paragraph], following: Paragraph) -> Paragraph | None:
    """Behind text that stands between, such as words in a drawing: the paragraph that stops in a sentence."""
    if following.role is not BlockRole.PARAGRAPH or not _starts_lower(following.lines[0].text):
        return None
    for candidate in reversed(result):
        if candidate.role is BlockRole.HEADING or candidate.lines[-1].page < following.page - 1:
            return None
        characters = sum(len(line.text) for line in candidate.lines)
        if candidate.role not in _STITCHED or characters < _LONG_CHARACTERS:
            continue
        is_open = not _TERMINAL.search(candidate.lines[-1].text)
        return candidate if is_open and _goes_on(candidate, following) else None
    return None


def _goes_on(last: Paragraph, following: Paragraph) -> bool:  # noqa: PLR0911 - rules in order
    if following.role is not BlockRole.PARAGRAPH or last.role not in _STITCHED:
        return False
    end, begin = last.lines[-1], following.lines[0]
    if sum(len(line.text) for line in last.lines) < _LEAST_CHARACTERS:
        return False
    if abs(end.font.size - begin.font.size) > 0.6 or end.font.is_bold != begin.font.is_bold:
        return False
    is_elsewhere = begin.page != end.page or begin.baseline < end.baseline or begin.left > end.right
    if not is_elsewhere or begin.page > end.page + 2:
        return _continues_below(end, begin)
    if end.text.endswith(("-", "‐", HYPHEN)):
        return True
    starts_lower = _starts_lower(begin.text)
    if _TERMINAL.search(end.text) and not end.text.endswith((",", ";")):
        is_full = last.right - end.right < 1.2 * end.font.size
        return is_full and starts_lower and not following.starts_indented
    is_full = len(last.lines) > 1 and last.right - end.right < 4 * end.font.size
    return starts_lower or (is_full and not following.starts_indented)


def _continues_below(end: Line, begin: Line) -> bool:
    """On the same page further down, past a figure: only where the sentence says so."""
    return (
        begin.page == end.page
        and _starts_lower(begin.text)
        and not _TERMINAL.search(end.text)
        and (begin.baseline - end.baseline > 4 * end.font.size or end.text.endswith(("-", "‐", HYPHEN)))
    )


def _starts_lower(text: str) -> bool:
    match = _LOWER.match(text)
    return match is not None and match[0][-1].islower()
