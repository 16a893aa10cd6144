"""From a file's coordinates to those of the page as it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass

Boxes = tuple[list[float], list[float], list[float], list[float]]
"""Lefts, tops, rights and bottoms."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Edges of a page in the file's coordinates, and by how many quarters it is turned with the clock."""

    left: float
    bottom: float
    right: float
    top: float
    turn: int

    @property
    def size(self) -> tuple[float, float]:
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turn % 2 else (width, height)

    def shown(self, x: float, y: float) -> tuple[float, float]:
        match self.turn:
            case 1:
                across, down = y - self.bottom, x - self.left
            case 2:
                across, down = self.right - x, y - self.bottom
            case 3:
                across, down = self.top - y, self.right - x
            case _:
                across, down = x - self.left, self.top - y
        return across, down

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        x0, y0 = self.shown(left, bottom)
        x1, y1 = self.shown(right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def boxes(
        self, lefts: Sequence[float], bottoms: Sequence[float], rights: Sequence[float], tops: Sequence[float]
    ) -> Boxes:
        """The same for many at once."""
        if not self.turn:
            left, top = self.left, self.top
            return (
                [x - left for x in lefts],
                [top - y for y in tops],
                [x - left for x in rights],
                [top - y for y in bottoms],
            )
        found: Boxes = ([], [], [], [])
        for edges in map(self.box, lefts, bottoms, rights, tops):
            for kept, edge in zip(found, edges, strict=True):
                kept.append(edge)
        return found

    def downs(self, xs: Sequence[float], ys: Sequence[float]) -> list[float]:
        """How far down the page points are."""
        if not self.turn:
            top = self.top
            return [top - y for y in ys]
        return [down for _, down in map(self.shown, xs, ys)]
