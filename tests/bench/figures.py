"""A measured figure beside its bar."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    unit: str
    bar: float
    at_least: bool = False  # the bar is a floor, not a ceiling

    @property
    def reaches_bar(self) -> bool:
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def line(self) -> str:
        sign = ">=" if self.at_least else "<="
        mark = "ok  " if self.reaches_bar else "MISS"
        return f"{mark}  {self.name:<66} {self.value:>9.2f} {self.unit:<5} (bar {sign} {self.bar:g})"


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
