"""A real PostgreSQL of our own in a temporary folder, where Debian's programs are installed."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers.ports import free_port
from servers.processes import started

_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def is_installed() -> bool:
    return bool(_BINARIES)


@contextmanager
def running_postgresql() -> Iterator[str]:
    """Its address, without a database's name. Everybody on this machine may connect, to empty tables."""
    programs = _BINARIES[-1].parent
    # Not below pytest's folder, which only its owner may enter: the server refuses to run as root.
    folder = Path(tempfile.mkdtemp(prefix="lectern-pg-"))
    as_user = _unprivileged(folder)
    # With the user, the kernel forgets with whom the process was to die.
    tied = ["--pdeathsig", "QUIT"] if as_user else []
    data, port = folder / "data", free_port()
    try:
        _run([*as_user, programs / "initdb", "-D", data, "-U", "lectern", "-A", "trust", "--no-sync"], folder)
        log = folder / "log"
        with started(
            [*as_user, *tied, str(programs / "postgres"), "-D", str(data), "-p", str(port), "-k", str(folder),
             "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
            environment={**os.environ, "LC_ALL": "C"},  # its log is in English
            directory=folder,
            output=log,
            is_ready=lambda: "ready to accept connections" in log.read_text(errors="replace"),
            stop_signal=signal.SIGQUIT,  # at once, whoever is still connected
        ):  # fmt: skip
            yield f"postgresql://lectern@127.0.0.1:{port}"
    finally:
        shutil.rmtree(folder)


def _unprivileged(folder: Path) -> list[str]:
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam("postgres")
    os.chown(folder, user.pw_uid, user.pw_gid)
    setpriv = shutil.which("setpriv")
    assert setpriv, "setpriv (util-linux) is missing"
    return [setpriv, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _run(command: list[str | Path], folder: Path) -> None:
    # A server that inherits a pipe would keep it open; a file does no harm.
    with (folder / "output").open("ab") as output:
        done = subprocess.run(
            [str(part) for part in command], stdout=output, stderr=output, cwd=folder, check=False
        )
    assert done.returncode == 0, (folder / "output").read_text()
