"""Becomes another program that dies when the process that started it dies, however that ends.

Run as a script: `python -I -S tied_launcher.py PARENT_PID PROGRAM ARGUMENT...`. A launcher rather than a
preexec_fn, because code between fork and exec is not safe in a process with threads.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # prctl(2); survives execve, fires when the thread that forked us ends


def main() -> None:
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # The parent may have died before the line above.
    if os.getppid() == parent:
        os.execv(program[0], program)  # noqa: S606  # there is no shell to start


if __name__ == "__main__":
    main()
