import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compute_worker.scratch_folder import scratch_folder

KILLED = """
import os, signal, sys
from pathlib import Path
from compute_worker.scratch_folder import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "hours of sound").write_bytes(b"sound")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as folder:
        (folder / "document").mkdir()
        (folder / "document" / "source").write_bytes(b"words")
    assert not list(tmp_path.iterdir())


def test_what_a_killed_worker_left_is_removed_by_the_next(tmp_path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert (left / "hours of sound").exists()
    with scratch_folder(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_what_a_living_worker_uses_stays(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as first, scratch_folder(tmp_path) as second:
        assert sorted(tmp_path.iterdir()) == sorted([first, second])


def test_many_may_begin_at_once(tmp_path: Path) -> None:
    def begin_and_end(_: int) -> bool:
        with scratch_folder(tmp_path) as folder:
            (folder / "document").mkdir()
            return folder.exists()

    with ThreadPoolExecutor(max_workers=8) as threads:
        assert all(threads.map(begin_and_end, range(400)))
    assert not list(tmp_path.iterdir())


def test_what_only_has_such_a_name_stays(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "lectern-worker-link").symlink_to(other)
    (tmp_path / "lectern-worker-file").write_bytes(b"")
    with scratch_folder(tmp_path):
        pass
    assert {file.name for file in tmp_path.iterdir()} == {
        "lectern-worker-file",
        "lectern-worker-link",
        "other",
    }
