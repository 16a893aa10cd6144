"""Run all tests on all cores, then the few that failed once more, one by one with nothing beside them.

Both cores of a small machine are busy with browsers, brokers and databases for the whole first run, so a
test can fail for want of time alone. Such a test is named as unsteady at the end, for somebody to mend. One
that fails again fails the suite, and so do many failures at once, which want of time does not explain.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
CACHE: Final = ROOT / ".build" / "pytest"
PYTEST: Final = [sys.executable, "-m", "pytest", "-o", f"cache_dir={CACHE}"]
TESTS_FAILED: Final = 1  # pytest's exit code; the others say that it could not run as asked
MOST_UNSTEADY: Final = 8  # of 3,700


def main(arguments: list[str]) -> int:
    first = _run("--cache-clear", "-n", "auto", "--dist", "loadfile", *arguments)
    failed = _failed()
    if first != TESTS_FAILED or not 0 < len(failed) <= MOST_UNSTEADY:
        return first
    _say("Once more, alone:", failed)
    second = _run("--last-failed", "--last-failed-no-failures=none", *arguments)
    if second == 0:
        _say("Unsteady: failed beside other tests, passed alone:", failed)
    return second


def _run(*arguments: str) -> int:
    return subprocess.run([*PYTEST, *arguments], cwd=ROOT, check=False).returncode


def _failed() -> list[str]:
    try:
        return sorted(json.loads((CACHE / "v" / "cache" / "lastfailed").read_text()))
    except FileNotFoundError:
        return []


def _say(heading: str, tests: list[str]) -> None:
    print(f"\n{heading}", *tests, sep="\n  ", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
