"""What processes that touch foreign content are told of their surroundings: nothing of ours."""

import os
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[1]


def bare_environment() -> dict[str, str]:
    """No secret, no address."""
    return {
        "PYTHONPATH": os.pathsep.join((str(_ROOT), str(_ROOT / "gen"))),
        "PYTHONUTF8": "1",
        "LC_ALL": "C.UTF-8",
        "PATH": "",
        "OPENBLAS_NUM_THREADS": "1",  # its threads cost memory, and other work waits for the other cores
    }
