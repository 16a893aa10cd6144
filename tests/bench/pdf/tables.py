"""Documents full of tables whose cells go on over several lines: in a grid, between lines, between spaces."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from bench.pdf.specimens import WORDS, Specimen, heading, prose, sentence, specimen
from bench.pdf.typesetter import Ruling, Setter, Sheet, Style

_ROWS = 6
_ROOM = 330.0  # points, for a table with its caption


@dataclass(frozen=True)
class _Look:
    """words: how many a cell of each column has at most; 0 for a number. The padding is in points."""

    words: Sequence[int]
    ruling: Ruling
    padding: float
    has_head: bool = True


_LOOKS = (
    _Look((3, 18, 12), Ruling.GRID, 4),
    _Look((2, 0, 26), Ruling.NONE, 4.5),
    _Look((0, 24), Ruling.NONE, 3, has_head=False),
    _Look((14, 20), Ruling.BELOW, 3),
    _Look((9, 15, 9), Ruling.NONE, 5),
    _Look((2, 16, 0), Ruling.GRID, 2.5, has_head=False),
)


def tables_in_text(source: random.Random) -> Specimen:
    setter = Setter(Sheet(header="Tables of the Reading Department", footer="{page}"), source)
    return _filled("tables with wrapped cells", setter, Style("Helvetica", 9.5, 11.5, is_hyphenated=False))


def tables_in_columns(source: random.Random) -> Specimen:
    sheet = Sheet(columns=2, margin=54, header="Journal of Tables, Volume 3", footer="{page}")
    setter = Setter(sheet, source, is_scrambled=True)
    return _filled("tables with wrapped cells, two columns", setter, Style(size=8.5, leading=9.8))


def _filled(name: str, setter: Setter, cell: Style) -> Specimen:
    cell = Style(cell.font, cell.size, cell.leading, is_justified=False, is_hyphenated=False)
    body = Style(size=10, leading=12, before=6)
    for number, look in enumerate(_LOOKS, start=1):
        setter.put("heading", heading(setter.source), Style("Times-Bold", 13, 16, before=14))
        setter.put("paragraph", prose(setter.source, 6), body)
        setter.keep(_ROOM)
        setter.put(
            "caption", f"Table {number}. {sentence(setter.source)}", Style(size=8.5, leading=10, before=10)
        )
        setter.space(6)
        _put_table(setter, look, cell)
        setter.space(10)
        setter.put("paragraph", prose(setter.source, 5), body)
    return specimen(name, setter)


def _put_table(setter: Setter, look: _Look, style: Style) -> None:
    shares = [max(words, 5) + 4 for words in look.words]
    widths = [setter.column_width * share / sum(shares) for share in shares]
    if look.has_head:
        names = [setter.source.choice(WORDS).title() for _ in look.words]
        head = Style(f"{style.font.partition('-')[0]}-Bold", style.size, style.leading, is_hyphenated=False)
        setter.put_wrapped_row(names, widths, head, padding=look.padding, ruling=look.ruling)
    for _ in range(_ROWS):
        cells = [_cell(setter.source, words) for words in look.words]
        setter.put_wrapped_row(cells, widths, style, padding=look.padding, ruling=look.ruling)


def _cell(source: random.Random, words: int) -> str:
    if not words:
        return str(source.randint(10, 999))
    count = source.randint(max(1, words // 3), words)
    return " ".join(source.choice(WORDS) for _ in range(count)).capitalize()


TABLES = (tables_in_text, tables_in_columns)
