"""The process that aligns one recording: `python -m compute_worker.recordings.child`.

Like the one that reads documents it may use little, knows no address and no secret, and may die: recordings
are hostile files too. It reads its job from standard input, finds parts.json in the job's folder, writes
artifacts there and answers in lines of JSON.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from compute_worker.documents.child import limit, say
from compute_worker.recordings.aligning import BLOCK_SAMPLES, align_recording
from compute_worker.recordings.artifacts import write_artifacts
from compute_worker.recordings.decoding import Recording
from compute_worker.recordings.model import PARTS_NAME, TextPart, TextSection
from shared.errors import Code, LecternError

_NICENESS: Final = 5


def main() -> None:
    job = json.load(sys.stdin)
    limit(job["limits"])
    os.nice(_NICENESS)
    try:
        _align(job)
    except LecternError as error:
        say(error={"code": error.code.name, "reason": error.reason, "message": error.message})
    except MemoryError:
        say(
            error={
                "code": Code.RESOURCE_EXHAUSTED.name,
                "reason": "RECORDING_TOO_LARGE",
                "message": "Aligning this recording needs more memory than allowed.",
            }
        )
    else:
        say(done=True)


def _align(job: dict[str, Any]) -> None:
    folder = Path(job["folder"])
    told = json.loads((folder / PARTS_NAME).read_bytes())
    parts = [TextPart(*part) for part in told["parts"]]
    sections = [TextSection(*section) for section in told["sections"]]
    recording = Recording(path=Path(job["path"]), media_bin=told["media_bin"])
    total = round(recording.seconds())
    listened = 0.0

    def report(seconds: float) -> None:
        nonlocal listened
        listened = seconds
        say(progress=["aligning", min(int(seconds), total), total])

    with recording.blocks(BLOCK_SAMPLES) as blocks:
        placed = list(align_recording(blocks, parts, report))
    write_artifacts(folder, sections, parts, placed, duration_ms=round(listened * 1000))


if __name__ == "__main__":
    main()
