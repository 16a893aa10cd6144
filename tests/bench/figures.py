"""Measured figures beside their bars, told as soon as they are there and all together at the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    unit: str
    bar: float | None = None  # None where the design sets none
    at_least: bool = False  # the bar is a floor, not a ceiling

    @property
    def reaches_bar(self) -> bool:
        if self.bar is None:
            return True
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def line(self) -> str:
        measured = f"{self.name:<76} {self.value:>9.2f} {self.unit:<5}"
        if self.bar is None:
            return f"      {measured}".rstrip()
        sign = ">=" if self.at_least else "<="
        mark = "ok  " if self.reaches_bar else "MISS"
        return f"{mark}  {measured} (bar {sign} {self.bar:g})"


class Report:
    def __init__(self) -> None:
        self._figures: list[Figure] = []

    def add(self, figures: Iterable[Figure]) -> None:
        for figure in figures:
            self._figures.append(figure)
            print(figure.line(), flush=True)

    def table(self) -> str:
        missed = sum(not figure.reaches_bar for figure in self._figures)
        with_bars = sum(figure.bar is not None for figure in self._figures)
        lines = [figure.line() for figure in self._figures]
        return "\n".join([*lines, f"{with_bars - missed} of {with_bars} bars reached"])


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
