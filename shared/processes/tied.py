"""Command lines of child processes that must not outlive this one, not even when it is killed."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

_LAUNCHER = Path(__file__).with_name("tied_launcher.py")


def tied_command(command: Sequence[str]) -> list[str]:
    """command begins with an absolute path. To be started from the main thread: the child is killed when
    the thread that started it ends."""
    return [sys.executable, "-I", "-S", str(_LAUNCHER), str(os.getpid()), *command]
