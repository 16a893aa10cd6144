"""Pieces of lines between wide gaps, the columns that they make up, and what these look like."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from compute_worker.documents.pdf.lines import rows_of
from compute_worker.documents.pdf.model import Region, Word
from compute_worker.documents.pdf.paragraphs import LONE_BULLET

Interval = tuple[float, float]
_NARROW: Final = 5.0  # sizes: what is narrower is no column but bullets, numbers or a margin
_PROSE_WORDS: Final = 3.2
_WORD: Final = re.compile("(?![ivxlcIVXLC]+$)[A-Za-z]{3,}")


@dataclass(slots=True)
class Piece:
    """Words of one line between wide gaps, or a table that is known already."""

    words: list[Word]
    left: float
    right: float
    top: float
    bottom: float
    size: float
    table: Region | None = None

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


class Column:
    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.left = min([piece.left for piece in pieces])
        self.right = max([piece.right for piece in pieces])
        self.rows = rows_of(word for piece in pieces for word in piece.words)


@dataclass(slots=True)
class Band:
    pieces: list[Piece]
    gutters: list[Interval]


def piece_of(words: list[Word]) -> Piece:
    return Piece(
        words,
        words[0].left,
        max([word.right for word in words]),
        min([word.top for word in words]),
        max([word.bottom for word in words]),
        max([word.font.size for word in words]),
    )


def piece_of_table(table: Region) -> Piece:
    return Piece(
        [],
        table.left,
        table.right,
        min([line.top for line in table.lines]),
        max([line.bottom for line in table.lines]),
        max([line.font.size for line in table.lines]),
        table,
    )


def common_gaps(pieces: list[Piece]) -> list[Interval]:
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    free: list[Interval] = [(left, right)]
    for piece in pieces:
        free = without(free, piece.left, piece.right, 0.4 * min(piece.size, 14.0))
    return [gap for gap in free if gap[0] > left + 1 and gap[1] < right - 1]


def without(free: list[Interval], left: float, right: float, least: float) -> list[Interval]:
    kept: list[Interval] = []
    for start, end in free:
        if right <= start or left >= end:
            kept.append((start, end))
            continue
        if left - start >= least:
            kept.append((start, left))
        if end - right >= least:
            kept.append((right, end))
    return kept


def columns_of(band: Band) -> list[list[Piece]]:
    """Narrow ones join what is right of them."""
    edges = [(start + end) / 2 for start, end in sorted(band.gutters)]
    columns: list[list[Piece]] = [[] for _ in range(len(edges) + 1)]
    for piece in band.pieces:
        columns[sum(1 for edge in edges if piece.left >= edge)].append(piece)
    return [column for column in columns if column]


def with_bullets(columns: Sequence[Column]) -> list[Column]:
    """Bullets are no column apart from what they stand before."""
    joined: list[Column] = []
    for column in columns:
        if joined and all(LONE_BULLET.fullmatch(word.text) for row in joined[-1].rows for word in row):
            joined[-1] = Column(joined[-1].pieces + column.pieces)
        else:
            joined.append(column)
    return joined


def is_marker_column(column: Column) -> bool:
    """Bullets, letters, or numbers that count: other numbers are a column of a table."""
    texts = ["".join([word.text for word in row]) for row in column.rows]
    size = median([piece.size for piece in column.pieces])
    short = sum(1 for text in texts if len(text) <= 5 and not _WORD.fullmatch(text))
    if short < 0.7 * len(texts) or column.right - column.left >= _NARROW * size:
        return False
    numbers = [int(text) for text in texts if text.isdecimal()]
    counting = sum(1 for before, number in pairwise(numbers) if number - before == 1)
    return len(numbers) < 0.7 * len(texts) or counting >= 0.7 * (len(numbers) - 1)


def is_mono(pieces: list[Piece]) -> bool:
    letters = sum(len(word.text) for piece in pieces for word in piece.words)
    mono = sum(len(word.text) for piece in pieces for word in piece.words if word.font.is_mono)
    return mono > 0.7 * letters


def is_prose(columns: Sequence[Column]) -> bool:
    """Columns of text, not of a table: their lines are long and fill them."""
    if len(columns) < 2:
        return False
    if any(piece.table for column in columns for piece in column.pieces):
        return True  # what stands beside a table is no part of one
    widths = []
    for column in columns:
        rows = column.rows
        width = column.right - column.left
        size = median([piece.size for piece in column.pieces])
        words = sum(map(len, rows)) / len(rows)
        letters = sum([len(word.text) for row in rows for word in row]) / len(rows)
        fill = sum([row[-1].right - row[0].left for row in rows]) / len(rows) / max(width, 1.0)
        widths.append(not (width < _NARROW * size or (words < _PROSE_WORDS and letters < 16) or fill < 0.45))
    return (sum(widths) >= 2 and all(widths)) or (
        sum(widths) >= 2 and len(columns) > 2 and sum(widths) * 2 > len(columns)
    )
