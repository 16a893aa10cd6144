"""The process that reads one file: `python -m compute_worker.documents.child`.

Files are hostile, so this process may use little, knows no address and no secret, and may die. It reads
its job from standard input, writes artifacts into the job's folder and answers in lines of JSON:
{"progress": [phase, done, total]}, then {"done": true} or {"error": {code, reason, message}}.
"""

import ctypes
import importlib
import json
import resource
import signal
import sys
from pathlib import Path
from typing import Any, Final

from compute_worker.documents.failures import over_limit
from compute_worker.documents.output import ArtifactFolder
from shared.errors import Code, LecternError

# Only what the format needs is imported: each costs 50 to 200 ms.
PARSERS: Final = {
    "docx": "compute_worker.documents.docx_file",
    "epub": "compute_worker.documents.epub.book",
    "html": "compute_worker.documents.html_file",
    "markdown": "compute_worker.documents.markdown_file",
    "pdf": "compute_worker.documents.pdf.document",
    "text": "compute_worker.documents.text_file",
    "web_page": "compute_worker.documents.web_page",
}
_PR_SET_PDEATHSIG = 1
_MOST_NESTED_CALLS = 8_000  # a tree may be 2,000 elements deep, with three calls for each


def main() -> None:
    job = json.load(sys.stdin)
    limit(job["limits"])
    sys.setrecursionlimit(_MOST_NESTED_CALLS)
    try:
        _parse(job)
    except LecternError as error:
        say(error={"code": error.code.name, "reason": error.reason, "message": error.message})
    except MemoryError:
        say(
            error=_as_error(
                over_limit("DOCUMENT_TOO_COMPLEX", "Reading this file needs more memory than allowed.")
            )
        )
    except RecursionError:
        say(error=_as_error(over_limit("DOCUMENT_TOO_COMPLEX", "This file is nested too deeply to be read.")))
    else:
        say(done=True)


def _parse(job: dict[str, Any]) -> None:
    parser = importlib.import_module(PARSERS[job["format"]])
    output = ArtifactFolder(
        folder=Path(job["folder"]), most_bytes=job["limits"]["output_bytes"], report=_report_progress
    )
    parser.parse(Path(job["path"]), output, file_name=job["file_name"], **job.get("options", {}))


def limit(limits: dict[str, int]) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_seconds"], limits["cpu_seconds"] + 1))
    resource.setrlimit(resource.RLIMIT_AS, (limits["memory_bytes"], limits["memory_bytes"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["output_bytes"], limits["output_bytes"]))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


def _report_progress(phase: str, done: int, total: int) -> None:
    say(progress=[phase, done, total])


def _as_error(error: LecternError) -> dict[str, str]:
    return {"code": Code.RESOURCE_EXHAUSTED.name, "reason": error.reason, "message": error.message}


def say(**message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
