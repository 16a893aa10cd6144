"""The figures of the PDF parser: how well and how fast it reads, beside others where they are installed."""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import Figure
from bench.pdf.readers import Reader, installed, parse_only
from bench.pdf.scorer import Score, mean_score, score
from bench.pdf.specimens import SPECIMENS, Specimen, article, novel

LONG_PAGES = 1000
_MEASURED = """
import resource, sys, tempfile
from pathlib import Path
from bench.pdf.readers import parse_only
parse_only(Path(sys.argv[1]).read_bytes())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def pdf_figures(source: random.Random) -> list[Figure]:
    specimens = [make(source) for make in SPECIMENS]
    figures: list[Figure] = []
    for name, reader in installed():
        mean = mean_score(_scores(name, reader, specimens))
        if name == "lectern":
            figures += _beside_bars(mean)
    figures.append(
        Figure("PDF: pages a second, one core", _pages_per_second(source), "p/s", 40, at_least=True)
    )
    figures.append(Figure(f"PDF: memory to parse {LONG_PAGES} pages", _memory_mb(source), "MB", 500))
    return figures


def _scores(name: str, reader: Reader, specimens: list[Specimen]) -> list[Score]:
    scores = []
    for specimen in specimens:
        began = time.perf_counter()
        found = reader(specimen.pdf)
        seconds = time.perf_counter() - began
        one = score(specimen, found)
        scores.append(one)
        print(
            f"      {name:<13} {specimen.name:<34} order {one.order:.3f}  furniture {one.furniture:.3f}"
            f"  starts {one.starts:.3f}  roles {one.roles:.3f}  {specimen.pages / seconds:6.1f} pages/s"
        )
    return scores


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
    began = time.process_time()
    for specimen in specimens:
        parse_only(specimen.pdf)
    return sum(specimen.pages for specimen in specimens) / (time.process_time() - began)


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
