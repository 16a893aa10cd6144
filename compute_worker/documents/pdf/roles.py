"""What each paragraph is: by size, weight, numbering, place and words."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf.model import Font, Line, Paragraph
from compute_worker.documents.pdf.paragraphs import BULLET, LONE_BULLET, NUMBERED, Typography

_CAPTION = re.compile(
    r"(?:figure|fig\.|table|tab\.|listing|algorithm|chart|plate|exhibit|scheme|box|abbildung|abb\.|tabelle|tableau|figura"
    r"|tabla|рис\.|таблица|图|圖|図|表)\s*(?:[A-Z]?[.\-]?\d+(?:[.\-–]\d+)*[a-z]?|[IVXLC]+)\s*(?P<mark>[.:：)|—–-])?",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:\d{1,3}|[*†‡§¶]{1,3}|[a-z])[.)\]]?\s*(?=[^\s\d.)])")
_SYMBOL_NOTE = re.compile(r"[*†‡§¶∗]{1,3}\s*\S")
_SECTION = re.compile(
    r"(?:(?:chapter|part|section|appendix|chapitre|kapitel|capítulo)\s+(?:\d+|[IVXLC]+|[A-Z])\b"
    r"|(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])|(?:[IVX]{1,5}|[A-H])\.\s+(?=[A-Z])"
    r"|第\s*[一二三四五六七八九十百\d]+\s*[章节節部])",
    re.IGNORECASE,
)
_NAMED_SECTION = re.compile(
    r"(?:abstract|summary|introduction|background|related work|methods?|results|discussion|conclusions?"
    r"|acknowledge?ments?|references|bibliography|appendix|contents|table of contents|preface|foreword|index"
    r"|categories and subject descriptors|general terms|keywords)\.?",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\.\s?){5,}\s*(?:[A-Z]-)?(?:\d+|[ivxlc]+)$")
_REFERENCES = re.compile(
    r"(?:\d+\.?\s+)?(?:references|bibliography|works cited|literature cited|literatur(?:verzeichnis)?)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;,。！？]$")
_LARGER: Final = 1.13
_SMALLER: Final = 0.93
_MOST_HEADING_CHARACTERS: Final = 220
_LETTERS = re.compile(r"[^\W\d_]")


class RoleFinder:
    def __init__(self, typography: Typography) -> None:
        self._body = typography.body_size
        self._is_body_bold = typography.is_bold

    def assign(self, pages: Sequence[Sequence[Paragraph]]) -> None:
        for page in pages:
            for paragraph in page:
                if paragraph.role is BlockRole.PARAGRAPH:
                    paragraph.role = self._plain_role(paragraph)
            if any(paragraph.is_text_by_model for paragraph in page):
                continue  # a layout model has seen what these would guess
            _find_contents(page)
            self._find_footnotes(page)
            self._find_figure_text(page)
        flow = [paragraph for page in pages for paragraph in page]
        self._find_title(flow)
        self._set_levels(flow)
        _find_references(flow)

    def _plain_role(self, paragraph: Paragraph) -> BlockRole:
        """Models call lists text, and code too: these can still be told from their looks."""
        role = self._simple_role(paragraph)
        is_free = not paragraph.is_role_given or role in {BlockRole.LIST_ITEM, BlockRole.CODE}
        return role if is_free else paragraph.role

    def _simple_role(self, paragraph: Paragraph) -> BlockRole:  # noqa: PLR0911 - rules in order
        first = paragraph.lines[0]
        text = " ".join(line.text for line in paragraph.lines[:4])
        if self._is_caption(paragraph, first.text):
            return BlockRole.CAPTION
        if paragraph.font.is_mono:
            return BlockRole.CODE if len(paragraph.lines) > 1 or _is_code(text) else BlockRole.PARAGRAPH
        if not _LETTERS.search(text):
            return BlockRole.PARAGRAPH if len(text) > 3 else BlockRole.OTHER
        if LONE_BULLET.match(first.text):
            return BlockRole.LIST_ITEM
        if self._is_heading(paragraph, text):
            return BlockRole.HEADING
        if (BULLET.match(first.text) and not first.text.startswith(("—", "*", "-"))) or (
            NUMBERED.match(first.text) and not _NAMED_SECTION.fullmatch(text)
        ):
            return BlockRole.LIST_ITEM
        if re.match(r"[-–*−]\s\S", first.text):
            return BlockRole.LIST_ITEM
        return BlockRole.PARAGRAPH

    def _is_caption(self, paragraph: Paragraph, text: str) -> bool:
        match = _CAPTION.match(text)
        if match is None:
            return False
        starts_bold = bool(paragraph.lines[0].words) and paragraph.lines[0].words[0].font.is_bold
        return (
            match["mark"] is not None
            or paragraph.font.size < _SMALLER * self._body + 0.2
            or (starts_bold and not self._is_body_bold)
            or len(text) - match.end() < 3
            or text[match.end() :].lstrip()[:1].isupper()
        )

    def _is_heading(self, paragraph: Paragraph, text: str) -> bool:  # noqa: PLR0911 - rules in order
        lines = paragraph.lines
        if len(lines) > 4 or sum(len(line.text) for line in lines) > _MOST_HEADING_CHARACTERS:
            return False
        font = paragraph.font
        if len(_LETTERS.findall(text)) < 2 and not text.strip(". ").isdigit():
            return False
        if font.size >= _LARGER * self._body:
            return not (_SENTENCE_END.search(text) and len(text) > 90)
        if font.size < 0.88 * self._body:
            return False
        is_distinct = all(line.font.is_bold for line in lines) and not self._is_body_bold
        is_capital = _is_capital(text) and len(text) > 3
        if is_distinct and len(lines) <= 3:
            ends = _SENTENCE_END.search(text) is not None
            return not ends or bool(_SECTION.match(text)) or (len(text) < 60 and text.endswith("."))
        if len(lines) > 2 or _SENTENCE_END.search(text):
            return False
        is_italic = all(line.font.is_italic for line in lines)
        numbered = _SECTION.match(text)
        if numbered and (is_capital or is_italic) and len(text) < 120:
            return True
        if _NAMED_SECTION.fullmatch(text):
            return True
        return (
            is_capital and len(lines) == 1 and len(text) < 80 and " " in text and self._is_centered(paragraph)
        )

    def _is_centered(self, paragraph: Paragraph) -> bool:
        line = paragraph.lines[0]
        before, after = line.left - paragraph.left, paragraph.right - line.right
        return before > line.font.size and abs(before - after) < 0.2 * (before + after) + 2

    def _find_footnotes(self, page: Sequence[Paragraph]) -> None:
        """Small text at the end of a column, from a mark on."""
        for number, paragraph in enumerate(page):
            if paragraph.role not in {BlockRole.PARAGRAPH, BlockRole.LIST_ITEM, BlockRole.FOOTNOTE}:
                continue
            if paragraph.font.size > _SMALLER * self._body:
                continue
            if not _begins_like_note(paragraph.lines[0]) and not self._is_small_print(page, number):
                continue
            tail = _column_tail(page, number)
            if all(
                other.font.size <= _SMALLER * self._body + 0.1 and other.role is not BlockRole.HEADING
                for other in tail
            ):
                paragraph.role = BlockRole.FOOTNOTE
                for other in tail:
                    if other.role in {BlockRole.PARAGRAPH, BlockRole.LIST_ITEM, BlockRole.OTHER}:
                        other.role = BlockRole.FOOTNOTE

    def _is_small_print(self, page: Sequence[Paragraph], number: int) -> bool:
        """Without a mark: clearly smaller than the text above it in its column, and low on the page."""
        paragraph = page[number]
        if paragraph.font.size > 0.88 * self._body or number == 0:
            return False
        first = paragraph.lines[0]
        above = [
            other
            for other in page[:number]
            if other.lines[0].left < paragraph.right
            and other.lines[0].right > paragraph.left
            and other.lines[-1].bottom <= first.top + 1
        ]
        lowest = max((other.lines[-1].bottom for other in page), default=0.0)
        return (
            sum(
                1
                for other in above
                if other.role is BlockRole.PARAGRAPH and other.font.size > 0.95 * self._body
            )
            >= 1
            and above[-1].role not in {BlockRole.CAPTION, BlockRole.TABLE}
            and first.top > 0.6 * lowest
            and sum(len(line.text) for line in paragraph.lines) > 30
        )

    def _find_figure_text(self, page: Sequence[Paragraph]) -> None:
        """Labels in drawings: tiny or scattered words on a page that has a caption."""
        if not any(
            paragraph.role is BlockRole.CAPTION and _CAPTION.match(paragraph.lines[0].text)
            for paragraph in page
        ):
            return
        for paragraph in page:
            words = sum(len(line.text.split()) for line in paragraph.lines) / len(paragraph.lines)
            is_tiny = paragraph.font.size < 0.78 * self._body
            if (
                paragraph.role in {BlockRole.PARAGRAPH, BlockRole.TABLE, BlockRole.HEADING}
                and is_tiny
                and words < 9
            ):
                paragraph.role = BlockRole.OTHER
                paragraph.cells = None

    def _find_title(self, flow: Sequence[Paragraph]) -> None:
        """The largest heading of the first page with text, if nothing later is larger by much."""
        opening = [paragraph for paragraph in flow if flow and paragraph.page <= flow[0].page + 1]
        given = next((paragraph for paragraph in flow if paragraph.role is BlockRole.TITLE), None)
        if given is not None:
            given.level = 1
            return
        headings = [paragraph for paragraph in opening if paragraph.role is BlockRole.HEADING]
        if not headings:
            return
        largest = max(headings, key=lambda paragraph: paragraph.font.size)
        same = [h for h in headings if h.font.size >= largest.font.size - 0.3 and h.page == largest.page]
        everywhere = sum(
            1
            for paragraph in flow
            if paragraph.role is BlockRole.HEADING and paragraph.font.size >= largest.font.size - 0.3
        )
        if largest.font.size >= 1.2 * self._body and everywhere <= len(same) + 1 and len(same) <= 2:
            same[0].role = BlockRole.TITLE
            same[0].level = 1

    def _set_levels(self, flow: Sequence[Paragraph]) -> None:
        headings = [paragraph for paragraph in flow if paragraph.role is BlockRole.HEADING]
        styles = Counter(_style(paragraph.font) for paragraph in headings)
        usual = [style for style, count in styles.items() if count >= max(2, len(headings) // 20)]
        ranked: list[tuple[float, bool]] = []
        for style in sorted(usual or styles, reverse=True):
            if not ranked or ranked[-1][0] - style[0] > 0.4 or ranked[-1][1] != style[1]:
                ranked.append(style)
        for paragraph in headings:
            if paragraph.level:
                continue
            style = _style(paragraph.font)
            rank = sum(1 for other in ranked if other[0] - style[0] > 0.4 or other > style)
            numbered = _SECTION.match(paragraph.lines[0].text)
            if numbered and numbered["number"]:
                depth = numbered["number"].count(".") + 1
                paragraph.level = min(6, depth + 1)
            else:
                paragraph.level = min(6, 2 + rank)


def _find_contents(page: Sequence[Paragraph]) -> None:
    """A page of dots that lead to page numbers is for the eyes."""
    led = [
        paragraph
        for paragraph in page
        if any(_LEADERS.search(line.text) for line in paragraph.lines) and len(paragraph.lines) < 5
    ]
    if len(led) >= 4 and len(led) * 2 > len(page):
        for paragraph in led:
            paragraph.role, paragraph.cells = BlockRole.OTHER, None


def _style(font: Font) -> tuple[float, bool]:
    return round(font.size * 2) / 2, font.is_bold


def _is_capital(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) > 2 and all(letter.isupper() for letter in letters)


def _is_code(text: str) -> bool:
    return "@" not in text and sum(letter in "{}()[]=<>;_/\\$#&|" for letter in text) >= 2


def _begins_like_note(line: Line) -> bool:
    if _SYMBOL_NOTE.match(line.text):
        return True
    first = line.words[0] if line.words else None
    if first is not None and first.is_raised:
        return True
    return bool(_NOTE.match(line.text)) and line.text[:1].isdigit()


def _column_tail(page: Sequence[Paragraph], number: int) -> list[Paragraph]:
    """What follows a paragraph in its own column, further down."""
    paragraph = page[number]
    tail = []
    for other in page[number + 1 :]:
        if other.role in {BlockRole.HEADER, BlockRole.FOOTER, BlockRole.PAGE_NUMBER}:
            continue
        is_below = other.lines[0].top >= paragraph.lines[-1].top - 1
        overlaps = other.lines[0].left < paragraph.right and other.lines[0].right > paragraph.left
        if is_below and overlaps:
            tail.append(other)
    return tail


def _find_references(flow: Sequence[Paragraph]) -> None:
    inside = 0
    for paragraph in flow:
        text = paragraph.lines[0].text
        if paragraph.role in {BlockRole.HEADING, BlockRole.TITLE}:
            if _REFERENCES.fullmatch(text.strip()):
                inside = paragraph.level
            elif inside and paragraph.level <= inside:
                inside = 0
        elif inside and paragraph.role in {BlockRole.PARAGRAPH, BlockRole.LIST_ITEM}:
            paragraph.role = BlockRole.REFERENCE
