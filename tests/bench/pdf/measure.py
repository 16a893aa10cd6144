"""The figures of the PDF parser: how well and how fast it reads, beside others in the same run."""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure
from bench.pdf.printed import PRINTED, open_printer
from bench.pdf.readers import Reader, parse_only, readers
from bench.pdf.scorer import Score, mean_score, score
from bench.pdf.specimens import SPECIMENS, Specimen, novel, vertical
from bench.pdf.tables import TABLES

LONG_PAGES = 1000
MOST_PAGES_OF_SLOW = 5  # of a specimen that a reader is given which takes half a second and more for a page
ROUNDS = 3
_BESIDE = "pymupdf4llm"
# The system's own mark: getrusage would count what the process that started this one had.
_MEASURED = """
import sys
from pathlib import Path
from bench.pdf.readers import parse_only
parse_only(Path(sys.argv[1]).read_bytes())
lines = Path("/proc/self/status").read_text().splitlines()
print(next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")))
"""


@dataclass(frozen=True)
class Result:
    score: Score
    pages: int
    seconds: float
    """Of processor time."""


def pdf_figures(source: random.Random) -> list[Figure]:
    specimens = [make(source) for make in (*SPECIMENS, *TABLES) if make is not vertical]
    japanese = vertical(source)
    with open_printer() as printer:
        printed = {name: make(printer, source) for name, make in PRINTED.items()}
    arabic = printed.pop("arabic")
    specimens += printed.values()
    found = {reader.name: _read(reader, [*specimens, arabic, japanese]) for reader in readers()}
    latin = {specimen.name for specimen in specimens}
    means = {name: _mean_of(results, latin) for name, results in found.items()}
    for name, results in found.items():
        _print_row(name, "mean of those in Latin script", means[name], _pages_per_second(results, results))
    ours = found["lectern"]
    figures = _beside_bars(means["lectern"])
    figures += [
        Figure("PDF: reading order, Arabic", ours[arabic.name].score.order, "", 0.97, at_least=True),
        Figure(
            "PDF: reading order, vertical Japanese", ours[japanese.name].score.order, "", 0.97, at_least=True
        ),
    ]
    everything = [*specimens, arabic, japanese]
    speed = sum(specimen.pages for specimen in everything) / sum(map(_seconds_to_parse, everything))
    figures.append(Figure("PDF: pages a second, one core, all kinds", speed, "p/s", 40, at_least=True))
    if _BESIDE in found:
        name = f"PDF: times as many pages a second as {_BESIDE}"
        beside = found[_BESIDE]
        ratio = _pages_per_second(ours, beside) / _pages_per_second(beside, beside)
        figures.append(Figure(name, ratio, "", 10, at_least=True))
    figures.append(Figure(f"PDF: memory to parse {LONG_PAGES} pages", _memory_mb(source), "MB", 500))
    return figures


def _read(reader: Reader, specimens: Sequence[Specimen]) -> dict[str, Result]:
    """By the specimen's name; without the long ones for a slow reader."""
    reader.read(specimens[0].pdf)  # what is loaded once is no part of the measurement
    results: dict[str, Result] = {}
    for specimen in specimens:
        if reader.is_slow and specimen.pages > MOST_PAGES_OF_SLOW:
            continue
        began = _cpu_seconds()
        found = reader.read(specimen.pdf)
        seconds = _cpu_seconds() - began
        result = Result(score(specimen, found), specimen.pages, seconds)
        results[specimen.name] = result
        _print_row(reader.name, specimen.name, result.score, specimen.pages / result.seconds)
    return results


def _mean_of(results: Mapping[str, Result], names: Collection[str]) -> Score:
    return mean_score([result.score for name, result in results.items() if name in names])


def _pages_per_second(results: Mapping[str, Result], names: Collection[str]) -> float:
    """Of the specimens of these names."""
    kept = [results[name] for name in names]
    return sum(result.pages for result in kept) / sum(result.seconds for result in kept)


def _print_row(reader: str, what: str, found: Score, pages_per_second: float) -> None:
    print(
        f"      {reader:<14} {what:<34} order {found.order:.3f}  furniture {found.furniture:.3f}"
        f"  starts {found.starts:.3f}  roles {found.roles:.3f}"
        f"  {pages_per_second:6.1f} pages/s",
        flush=True,
    )


def _beside_bars(mean: Score) -> list[Figure]:
    return [
        Figure("PDF: reading order", mean.order, "", 0.985, at_least=True),
        Figure("PDF: furniture read aloud", mean.furniture * 100, "%", 0.5),
        Figure("PDF: paragraph starts F1", mean.starts, "", 0.96, at_least=True),
        Figure("PDF: role accuracy", mean.roles, "", 0.94, at_least=True),
    ]


def _seconds_to_parse(specimen: Specimen) -> float:
    """Of processor time for the whole parse, the least of several."""
    times = []
    for _ in range(ROUNDS):
        began = _cpu_seconds()
        parse_only(specimen.pdf)
        times.append(_cpu_seconds() - began)
    return min(times)


def _cpu_seconds() -> float:
    """Of this process with all its threads, and of the programs that it has waited for."""
    return time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def _memory_mb(source: random.Random) -> float:
    """The largest size of a process that parses a long book."""
    book = novel(source, chapters=LONG_PAGES // 6 + 1)
    assert book.pages >= LONG_PAGES * 0.9, book.pages
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        path.write_bytes(book.pdf)
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, str(path)],
            capture_output=True,
            check=True,
            text=True,
            env={"PYTHONPATH": ":".join(sys.path)},
        )
    return float(done.stdout)
