"""The folder of one worker for the files of its work in hand: gone when it ends, or when the next one starts.

A worker that is killed cannot remove what it had downloaded; ten hours of sound or a book of scans are large.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "lectern-worker-"


@contextmanager
def scratch_folder(within: Path | None = None) -> Iterator[Path]:
    """A new folder in the machine's folder for temporary files, where those of dead workers are removed.

    The lock that tells the living from the dead is the kernel's, which ends it with its process.
    """
    parent = within or Path(tempfile.gettempdir())
    for left in parent.glob(f"{PREFIX}*"):
        _remove_if_left(left)
    folder, descriptor = _created(parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _created(parent: Path) -> tuple[Path, int]:
    """Until it is locked, another worker that starts now may take it for a dead one's."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        with suppress(FileNotFoundError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if folder.exists():
                return folder, descriptor
            os.close(descriptor)


def _remove_if_left(folder: Path) -> None:
    """Leaves alone what another worker holds, and what others gave such a name in a folder of everybody's."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(descriptor).st_uid == os.geteuid():
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
        finally:
            os.close(descriptor)
