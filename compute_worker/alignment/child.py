"""The process that aligns: `python -m compute_worker.alignment.child`. One task after the other.

A process of its own, and a modest one: the search holds the interpreter's lock for tens of milliseconds and
must not delay the sound that others wait for.
"""

from typing import Any

from compute_worker.alignment.acoustic import align_samples
from compute_worker.alignment.messages import pack, pack_alignment, unpack_task
from compute_worker.alignment.serving import serve


def _answer(header: dict[str, Any], payload: bytes) -> bytes:
    try:
        return pack_alignment(align_samples(*unpack_task(header, payload)))
    except (ArithmeticError, IndexError, ValueError) as error:  # audio too short, or of no shape at all
        return pack({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    serve(_answer)
