"""`make bench`: the figures of the design beside their bars, in parts: `make bench PART="start playback"`."""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.alignment.run import measure_alignment
from bench.alignment.soon import measure_soon
from bench.figures import Report
from bench.listening import measure_listening, speech_server
from bench.pdf.measure import pdf_figures
from bench.start import measure_start
from bench.throughput import measure_throughput
from servers.lectern import lectern_environment, running_lectern
from servers.seeds import seed_with_generous_limits


@dataclass(frozen=True)
class Bench:
    seed: int
    folder: Path
    report: Report

    @property
    def source(self) -> random.Random:
        """The same for each part, whichever others are measured."""
        return random.Random(self.seed)


def start(bench: Bench) -> None:
    began = time.perf_counter()
    with running_lectern(bench.folder / "start", environment=lectern_environment()) as instance:
        ready_seconds = time.perf_counter() - began
        asyncio.run(
            measure_start(instance, ready_seconds=ready_seconds, source=bench.source, report=bench.report)
        )


def playback(bench: Bench) -> None:
    with speech_server(bench.folder) as speech_url:
        environment = lectern_environment(API_BASE=speech_url, RUNTIME_SEED_JSON=seed_with_generous_limits())
        with running_lectern(bench.folder / "playback", environment=environment) as instance:
            asyncio.run(measure_listening(instance, speech_url, source=bench.source, report=bench.report))
    print("      MP3 export of a fully cached 10-hour book: there is no export yet", flush=True)


def workers(bench: Bench) -> None:
    measure_throughput(bench.folder, source=bench.source, report=bench.report)


def pdf(bench: Bench) -> None:
    bench.report.add(pdf_figures(bench.source))


def alignment(bench: Bench) -> None:
    bench.report.add(measure_soon())
    bench.report.add(asyncio.run(measure_alignment(bench.seed)))


PARTS: dict[str, Callable[[Bench], None]] = {
    part.__name__: part for part in (start, playback, workers, pdf, alignment)
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all unless named")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.parts if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}, but {', '.join(PARTS)}")
    print(f"seed {chosen.seed}", flush=True)
    report = Report()
    for name in chosen.parts or PARTS:
        print(f"{name}:", flush=True)
        began = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="lectern-bench-") as folder:
            PARTS[name](Bench(chosen.seed, Path(folder), report))
        print(f"      {name} took {time.perf_counter() - began:.0f} s\n", flush=True)
    print(report.table())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
