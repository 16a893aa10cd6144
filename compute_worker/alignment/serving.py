"""What the processes that align have in common: tasks on standard input, answers on standard output, one
after the other, and no more than a modest share of the machine."""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from compute_worker.alignment.messages import PREFIX_BYTES, header_bytes

_PR_SET_PDEATHSIG = 1
_NICENESS = 3


def serve(answer: Callable[[dict[str, Any], bytes], bytes]) -> None:
    """answer gets a task's header and payload. Ends with its input, or with its parent."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker, which then closes our input
    tasks, answers = sys.stdin.buffer, sys.stdout.buffer
    while prefix := tasks.read(PREFIX_BYTES):
        header = json.loads(tasks.read(header_bytes(prefix)))
        answers.write(answer(header, tasks.read(int(header["payload_bytes"]))))
        answers.flush()
