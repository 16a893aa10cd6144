"""`make soak`: run after run with seeds of their own, until the time is over or one of them fails."""

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
import traceback
from functools import partial
from pathlib import Path

from faults.run import LONG, SHORT, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("--seed", type=int, help="of the first run; the next ones count on from it")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--short", action="store_true", help="runs as small as those of `make test`")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    size = SHORT if given.short else LONG
    deadline = time.monotonic() + given.minutes * 60
    longest = 0.0
    while (began := time.monotonic()) + longest <= deadline:
        folder = Path(tempfile.mkdtemp(prefix="lectern-faults-"))
        try:
            asyncio.run(run(folder, seed, size, tell=partial(print, flush=True)))
        except Exception:  # noqa: BLE001  # whatever it was, its traces are wanted
            traceback.print_exc()
            print(f"Logs and what was stored are kept in {folder}", flush=True)
            return 1
        shutil.rmtree(folder)
        longest = max(longest, time.monotonic() - began)
        print(f"seed {seed} passed after {time.monotonic() - began:.0f} s", flush=True)
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
