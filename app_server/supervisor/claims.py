"""What must be ours before anything starts: the data directories, and every port that will be bound."""

import contextlib
import errno
import fcntl
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from shared.configuration.app_settings import AppSettings
from shared.configuration.problem import ConfigurationError, Problem
from shared.errors import Code, LecternError


@contextmanager
def data_claimed(settings: AppSettings) -> Iterator[None]:
    """Locks beside what they protect. The system frees them with us, however we end."""
    embedded = settings.embedded
    paths = [
        settings.database.path,
        embedded.object_store.directory if embedded.object_store else None,
        embedded.broker.store_dir if embedded.broker else None,
    ]
    with contextlib.ExitStack() as stack:
        for path in paths:
            if path is not None:
                stack.enter_context(_locked(path))
        yield


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f"{path.name}.lock").open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise _in_use(path, file.read().strip()) from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _in_use(path: Path, pid: str) -> LecternError:
    owner = f" (process {pid})" if pid else ""
    return LecternError(
        Code.FAILED_PRECONDITION,
        f"{path} is in use by another Lectern{owner}. Stop that one, or start this one in another directory.",
        reason="DATA_IN_USE",
    )


def bound_ports(settings: AppSettings) -> list[tuple[str, str, int]]:
    """(variable, host, port) of every port that this process or a child of it will listen on."""
    broker, store, worker = settings.embedded.broker, settings.embedded.object_store, settings.embedded.worker
    ports = [("PORT", settings.host, settings.port)]
    if broker:
        ports.append(("EMBEDDED_BROKER_PORT", "127.0.0.1", broker.port))
        ports.append(("EMBEDDED_BROKER_MONITOR_PORT", "127.0.0.1", broker.monitor_port))
    if store:
        ports.append(("OBJSTORE_PORT", store.host, store.port))
    if worker:
        host = worker.settings.host
        ports.append(("EMBEDDED_COMPUTE_WORKER_PORT", host, worker.settings.port))
        ports.append(("COMPUTE_WORKER_GRPC_PORT", host, worker.settings.grpc_port))
    credentials = settings.credential_broker
    return [*ports, ("CREDENTIAL_BROKER_GRPC_PORT", credentials.host, credentials.grpc_port)]


def require_free_ports(ports: Sequence[tuple[str, str, int]]) -> None:
    """Raises ConfigurationError that names the variable of every port that is taken."""
    problems = [problem for name, host, port in ports if (problem := _port_problem(name, host, port))]
    if problems:
        raise ConfigurationError(problems)


def _port_problem(name: str, host: str, port: int) -> Problem | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As the servers do; otherwise a connection that closed a moment ago would count as taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            return Problem(name, _port_trouble(error, host, port), f"Stop it, or set {name} to a free port.")
    return None


def _port_trouble(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"is {port}, and another program listens on that port"
    return f"is {port}, which can't be listened on at {host} ({os.strerror(error.errno or 0)})"
