"""The process that aligns: `python -m compute_worker.alignment.child`. One task after the other.

A process of its own, and a modest one: the search holds the interpreter's lock for tens of milliseconds and
must not delay the sound that others wait for.
"""

import ctypes
import json
import os
import signal
import sys
from typing import BinaryIO

from compute_worker.alignment.acoustic import align_samples
from compute_worker.alignment.messages import PREFIX_BYTES, header_bytes, pack, pack_alignment, unpack_task

_PR_SET_PDEATHSIG = 1
_NICENESS = 3


def main() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker, which then closes our input
    tasks, answers = sys.stdin.buffer, sys.stdout.buffer
    while prefix := tasks.read(PREFIX_BYTES):
        header = json.loads(tasks.read(header_bytes(prefix)))
        answers.write(_answer(header, tasks))
        answers.flush()


def _answer(header: dict[str, object], tasks: BinaryIO) -> bytes:
    payload = tasks.read(int(str(header["payload_bytes"])))
    try:
        return pack_alignment(align_samples(*unpack_task(header, payload)))
    except (ArithmeticError, IndexError, ValueError) as error:  # audio too short, or of no shape at all
        return pack({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
