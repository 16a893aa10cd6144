"""The embedded broker and object store as children: their files, command lines and probes.

No credential stands on a command line: the broker's is in a file that only we can read, the store's is in
its environment.
"""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from app_server.supervisor.child import Child
from app_server.supervisor.output import broker_line, object_store_line
from app_server.supervisor.probes import answers_http, reachable_host
from shared.configuration.embedded import EmbeddedBroker, EmbeddedObjectStore
from shared.configuration.settings import BrokerSettings, StorageSettings
from shared.errors import Code, LecternError

BROKER = "broker"
OBJECT_STORE = "object store"

_PRIVATE_DIRECTORY = 0o700
_PRIVATE_FILE = 0o600
_SMALLEST_FILE_STORE_BYTES = 1024**3
_SYSTEM_VARIABLES = ("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ")


def system_environment(environment: Mapping[str, str], *more: str) -> dict[str, str]:
    return {name: environment[name] for name in (*_SYSTEM_VARIABLES, *more) if name in environment}


def bundled_program(name: str) -> str:
    """Beside our interpreter first, where the wheel put it."""
    beside = Path(sys.prefix, "bin", name)
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        raise LecternError(Code.FAILED_PRECONDITION, f"The program {name} is missing: install Lectern again.")
    return found


def broker_child(broker: EmbeddedBroker, streams: BrokerSettings, environment: Mapping[str, str]) -> Child:
    broker.store_dir.mkdir(mode=_PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    configuration = broker.store_dir / "nats-server.conf"
    _write_private(configuration, json.dumps(_broker_configuration(broker, streams)))
    return Child(
        name=BROKER,
        command=(bundled_program("nats-server"), "--config", str(configuration)),
        environment=system_environment(environment),
        probe=answers_http("127.0.0.1", broker.monitor_port, "/healthz"),
        parse_line=broker_line,
        ready_seconds=30.0,
    )


def object_store_child(
    store: EmbeddedObjectStore, storage: StorageSettings, environment: Mapping[str, str]
) -> Child:
    store.directory.mkdir(mode=_PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    (store.directory / storage.bucket).mkdir(exist_ok=True)
    host = f"[{store.host}]" if ":" in store.host else store.host
    return Child(
        name=OBJECT_STORE,
        command=(
            bundled_program("rclone"),
            *("serve", "s3", str(store.directory)),
            *("--addr", f"{host}:{store.port}"),
            *("--use-json-log", "--stats", "0"),
        ),
        environment=system_environment(environment)
        | {
            "RCLONE_AUTH_KEY": f'"{storage.access_key},{storage.secret_key}"',  # a list, written as CSV
            "RCLONE_CONFIG": "",  # not the user's own
        },
        # Without a signature it answers with an error, which is an answer.
        probe=answers_http(reachable_host(store.host), store.port, "/", any_status=True),
        parse_line=object_store_line,
        ready_seconds=store.wait_seconds,
        patience="OBJSTORE_WAIT_SEC",
    )


def _broker_configuration(broker: EmbeddedBroker, streams: BrokerSettings) -> dict[str, object]:
    reserved = streams.jobs_max_bytes + streams.events_max_bytes + streams.state_max_bytes
    return {
        "server_name": "lectern",
        "listen": f"127.0.0.1:{broker.port}",
        "http": f"127.0.0.1:{broker.monitor_port}",
        "authorization": {"user": broker.user, "password": broker.password},
        "jetstream": {
            "store_dir": str(broker.store_dir),
            "max_memory_store": 64 * 1024**2,
            "max_file_store": max(_SMALLEST_FILE_STORE_BYTES, 2 * reserved),
        },
        "logtime": False,
    }


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
