"""Sets text into pages with reportlab and keeps the truth: every block with its role, in reading order."""

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

VOWELS = set("aeiouy")


@dataclass(frozen=True)
class TrueBlock:
    role: str
    text: str


@dataclass(frozen=True)
class Style:
    font: str = "Times-Roman"
    size: float = 10.0
    leading: float = 12.0
    indent: float = 0.0
    hang: float = 0.0
    before: float = 0.0
    is_justified: bool = True
    is_centered: bool = False
    is_hyphenated: bool = True


@dataclass(frozen=True)
class Sheet:
    width: float = 612.0
    height: float = 792.0
    columns: int = 1
    gutter: float = 20.0
    margin: float = 72.0
    header: str = ""
    """With {page} where the number goes."""
    footer: str = "{page}"
    alternate_header: str = ""


@dataclass
class _Drawn:
    x: float
    y: float
    text: str
    font: str
    size: float
    word_space: float = 0.0


class Ruling(Enum):
    """Which lines are drawn around the rows of a table."""

    NONE = "none"
    BELOW = "below"
    GRID = "grid"


@dataclass
class Setter:
    sheet: Sheet
    source: random.Random
    is_scrambled: bool = False
    truth: list[TrueBlock] = field(default_factory=list)
    furniture: list[str] = field(default_factory=list)
    _pages: list[list[_Drawn]] = field(default_factory=list)
    _rules: list[tuple[int, float, float, float, float]] = field(default_factory=list)
    """Page, and where a line begins and ends on it."""
    _column: int = 0
    _y: float = 0.0
    _top: float = 0.0
    _floors: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._turn_page()

    @property
    def column_width(self) -> float:
        sheet = self.sheet
        return (sheet.width - 2 * sheet.margin - (sheet.columns - 1) * sheet.gutter) / sheet.columns

    def put(self, role: str, text: str, style: Style, *, note: str = "", is_spanning: bool = False) -> None:
        self.truth.append(TrueBlock(role, text))
        width = self.sheet.width - 2 * self.sheet.margin if is_spanning else self.column_width
        lines = compose(text, width, style)
        if self._y != self._top:
            self._y -= style.before
        if role == "heading" or note:
            self._need((len(lines) + 2 + (3 if note else 0)) * style.leading)
        if note:
            self._put_note(note)
        for number, line in enumerate(lines):
            self._need(style.leading)
            self._y -= style.leading
            self._draw(line, number, is_last=number == len(lines) - 1, width=width, style=style)
        if is_spanning:
            self._top = self._y - 10
            self._y = self._top

    def space(self, height: float) -> None:
        """Room for a figure."""
        self._need(height)
        self._y -= height

    def put_row(self, cells: Sequence[str], widths: Sequence[float], style: Style) -> None:
        self.truth.append(TrueBlock("table", " ".join(cells)))
        self._need(style.leading)
        self._y -= style.leading
        x = self._left
        for cell, width in zip(cells, widths, strict=True):
            self._pages[-1].append(_Drawn(x, self._y, cell, style.font, style.size))
            x += width

    def put_wrapped_row(
        self, cells: Sequence[str], widths: Sequence[float], style: Style, *, padding: float, ruling: Ruling
    ) -> None:
        """Cells go on over several lines. widths: with the padding at both sides; the row is not broken."""
        self.truth.append(TrueBlock("table", " ".join(cells)))
        wrapped = [
            compose(cell, width - 2 * padding, style) for cell, width in zip(cells, widths, strict=True)
        ]
        height = max(map(len, wrapped)) * style.leading + 2 * padding
        self._need(height)
        top, x = self._y, self._left
        for lines, width in zip(wrapped, widths, strict=True):
            y = top - padding - style.size
            for line in lines:
                self._pages[-1].append(_Drawn(x + padding, y, line, style.font, style.size))
                y -= style.leading
            if ruling is Ruling.GRID:
                self._rule(x, top, x, top - height)
            x += width
        self._y = top - height
        if ruling is Ruling.GRID:
            self._rule(x, top, x, self._y)
            self._rule(self._left, top, x, top)
        if ruling is not Ruling.NONE:
            self._rule(self._left, self._y, x, self._y)

    def keep(self, height: float) -> None:
        """What follows goes to the next column if there is less room."""
        self._need(height)

    def next_page(self) -> None:
        self._turn_page()

    def finish(self) -> bytes:
        target = io.BytesIO()
        canvas = Canvas(target, pagesize=(self.sheet.width, self.sheet.height), pageCompression=1)
        for number, page in enumerate(self._pages):
            for rule in self._rules:
                if rule[0] == number:
                    canvas.line(*rule[1:])
            if self.is_scrambled:
                self.source.shuffle(page)
            for drawn in page:
                text = canvas.beginText(drawn.x, drawn.y)
                text.setFont(drawn.font, drawn.size)
                text.setWordSpace(drawn.word_space)
                text.textLine(drawn.text)
                canvas.drawText(text)
            canvas.showPage()
        canvas.save()
        return target.getvalue()

    def _rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self._rules.append((len(self._pages) - 1, x0, y0, x1, y1))

    @property
    def _left(self) -> float:
        return self.sheet.margin + self._column * (self.column_width + self.sheet.gutter)

    def _need(self, height: float) -> None:
        if self._y - height >= self._floors[self._column]:
            return
        if self._column + 1 < self.sheet.columns:
            self._column += 1
            self._y = self._top
        else:
            self._turn_page()

    def _turn_page(self) -> None:
        sheet, number = self.sheet, len(self._pages) + 1
        page: list[_Drawn] = []
        self._pages.append(page)
        self._column = 0
        self._top = self._y = sheet.height - sheet.margin
        self._floors = [sheet.margin] * sheet.columns
        header = sheet.alternate_header if number % 2 == 0 and sheet.alternate_header else sheet.header
        for text, y in ((header, sheet.height - sheet.margin + 24), (sheet.footer, sheet.margin - 30)):
            if text:
                shown = text.format(page=number)
                self.furniture.append(shown)
                x = (sheet.width - stringWidth(shown, "Helvetica", 9)) / 2
                page.append(_Drawn(x, y, shown, "Helvetica", 9))

    def _put_note(self, text: str) -> None:
        self.truth.append(TrueBlock("footnote", text))
        style = Style(size=8, leading=9.5)
        lines = compose(text, self.column_width, style)
        floor = self._floors[self._column] = self._floors[self._column] + len(lines) * 9.5 + 4
        y = floor - 6
        for number, line in enumerate(lines):
            y -= 9.5 if number else 0
            self._draw_at(
                y, line, number, is_last=number == len(lines) - 1, width=self.column_width, style=style
            )

    def _draw(self, line: str, number: int, *, is_last: bool, width: float, style: Style) -> None:
        self._draw_at(self._y, line, number, is_last=is_last, width=width, style=style)

    def _draw_at(
        self, y: float, line: str, number: int, *, is_last: bool, width: float, style: Style
    ) -> None:
        used = stringWidth(line, style.font, style.size)
        x = self._left + (style.indent if number == 0 else style.hang)
        room = width - (x - self._left) - used
        if style.is_centered:
            x = self._left + (width - used) / 2
        spaces = line.count(" ")
        word_space = (
            room / spaces if style.is_justified and not is_last and spaces and not style.is_centered else 0.0
        )
        self._pages[-1].append(_Drawn(x, y, line, style.font, style.size, word_space))


def compose(text: str, width: float, style: Style) -> list[str]:
    """Lines that fill the width, words broken where they may be."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        rest = word
        while rest:
            room = width - (style.indent if not lines else style.hang)
            attempt = f"{line} {rest}" if line else rest
            if stringWidth(attempt, style.font, style.size) <= room:
                line, rest = attempt, ""
                continue
            head = _broken(line, rest, room, style) if style.is_hyphenated else ""
            if head:
                line = f"{line} {head}-" if line else f"{head}-"
                rest = rest[len(head) :]
            if not line:
                line, rest = rest, ""
            lines.append(line)
            line = ""
    return [*lines, line] if line else lines


def _broken(line: str, word: str, room: float, style: Style) -> str:
    """The longest beginning that fits, broken after a vowel before a consonant."""
    if len(word) < 7 or not word.isalpha():
        return ""
    for place in range(len(word) - 3, 2, -1):
        if word[place - 1] in VOWELS and word[place] not in VOWELS:
            attempt = f"{line} {word[:place]}-" if line else f"{word[:place]}-"
            if stringWidth(attempt, style.font, style.size) <= room:
                return word[:place]
    return ""
