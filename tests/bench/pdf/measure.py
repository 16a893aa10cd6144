"""The figures of the PDF parser: how well and how fast it reads, beside others in the same run."""

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import Figure
from bench.pdf.printed import PRINTED, open_printer
from bench.pdf.readers import Reader, parse_only, readers
from bench.pdf.scorer import Score, mean_score, score
from bench.pdf.specimens import SPECIMENS, Specimen, article, novel, vertical

LONG_PAGES = 1000
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


def pdf_figures(source: random.Random) -> list[Figure]:
    specimens = [make(source) for make in SPECIMENS if make is not vertical]
    japanese = vertical(source)
    with open_printer() as printer:
        printed = {name: make(printer, source) for name, make in PRINTED.items()}
    arabic = printed.pop("arabic")
    specimens += printed.values()
    found = {reader.name: _read(reader, [*specimens, arabic, japanese]) for reader in readers()}
    for name, (scores, pages_per_second) in found.items():
        mean = mean_score(scores[: len(specimens)])
        _print_row(name, "mean of those in Latin script", mean, pages_per_second)
    ours, our_speed = found["lectern"]
    figures = _beside_bars(mean_score(ours[: len(specimens)]))
    figures += [
        Figure("PDF: reading order, Arabic", ours[-2].order, "", 0.97, at_least=True),
        Figure("PDF: reading order, vertical Japanese", ours[-1].order, "", 0.97, at_least=True),
    ]
    figures.append(
        Figure("PDF: pages a second, one core", _pages_per_second(source), "p/s", 40, at_least=True)
    )
    if _BESIDE in found:
        name = f"PDF: times as many pages a second as {_BESIDE}"
        figures.append(Figure(name, our_speed / found[_BESIDE][1], "", 10, at_least=True))
    figures.append(Figure(f"PDF: memory to parse {LONG_PAGES} pages", _memory_mb(source), "MB", 500))
    return figures


def _read(reader: Reader, specimens: list[Specimen]) -> tuple[list[Score], float]:
    """How well each was read; and pages a second of processor time."""
    reader.read(specimens[0].pdf)  # what is loaded once is no part of the measurement
    scores: list[Score] = []
    total = 0.0
    for specimen in specimens:
        began = _cpu_seconds()
        found = reader.read(specimen.pdf)
        seconds = _cpu_seconds() - began
        total += seconds
        scores.append(score(specimen, found))
        _print_row(reader.name, specimen.name, scores[-1], specimen.pages / seconds)
    return scores, sum(specimen.pages for specimen in specimens) / total


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


def _pages_per_second(source: random.Random) -> float:
    """CPU seconds of the whole parse, of dense two-column pages and of a novel's."""
    specimens = [article(source, sections=24), novel(source, chapters=8)]
    for specimen in specimens:
        parse_only(specimen.pdf)
    began = _cpu_seconds()
    for specimen in specimens:
        parse_only(specimen.pdf)
    return sum(specimen.pages for specimen in specimens) / (_cpu_seconds() - began)


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
