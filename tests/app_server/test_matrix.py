"""Each part may be ours or somebody else's: every combination boots as processes and says a sentence."""

import json
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from app_fixtures import postgresql
from sqlalchemy import text

from app_server.database.engine import create_engine, server_url
from bench.reader import Reader
from servers.lectern import LECTERN, lectern_environment
from servers.nats import running_nats
from servers.object_store import ObjectStoreServer
from servers.ports import free_port
from servers.processes import http_status, processes_in, started, wait_until

SENTENCE = b"The quick brown fox jumps over the lazy dog."
FRAME_BYTES, BYTES_PER_SECOND = 192, 8000
CHILDREN = {
    "broker": "nats-server --config",
    "object store": "rclone serve s3",
    "worker": "shared.cli worker",
}
BROKER_PASSWORD = "a password of the broker"

# What is external, and which children are left to the app.
COMBINATIONS = {
    "embedded": (set(), {"broker", "object store", "worker"}),
    "external worker": ({"worker"}, {"object store"}),
    "external store": ({"store"}, {"broker", "worker"}),
    "external broker": ({"broker"}, {"object store", "worker"}),
    "external database": ({"database"}, {"broker", "object store", "worker"}),
    "everything external": ({"worker", "store", "broker", "database"}, set()),
}


# Debian's PostgreSQL is there wherever the tests' programs are installed.
_POSSIBLE = [name for name, (external, _) in COMBINATIONS.items()
             if "database" not in external or postgresql.is_installed()]  # fmt: skip


@pytest.fixture(params=_POSSIBLE)
async def combination(
    request: pytest.FixtureRequest, other_object_store: ObjectStoreServer
) -> tuple[set[str], set[str], dict[str, str]]:
    """What is external, which children remain, and the app's variables for it."""
    external, children = COMBINATIONS[request.param]
    variables: dict[str, str] = {}
    if "store" in external:
        variables |= store_variables(other_object_store) | {"USE_EMBEDDED_OBJSTORE": "false"}
    if "database" in external:
        variables["SERVER_DB_URL"] = await new_database(request.getfixturevalue("postgresql_server"))
    return external, children, variables


@pytest.mark.timeout(90)
async def test_a_sentence_is_heard(
    combination: tuple[set[str], set[str], dict[str, str]], tmp_path: Path
) -> None:
    external, children, variables = combination
    with ExitStack() as stack:
        broker_url = stack.enter_context(external_broker(tmp_path)) if external & {"broker", "worker"} else ""
        if "broker" in external and "worker" not in external:
            variables["BROKER_URL"] = broker_url
        app = lectern_environment(**variables)
        worker = standalone_worker(app, broker_url) if "worker" in external else None
        app |= worker["app"] if worker else {}
        stack.enter_context(serving(tmp_path, app))
        if worker:
            stack.enter_context(working(tmp_path, worker["worker"]))
        wait_until(
            lambda: http_status(f"http://127.0.0.1:{worker_port(app)}/health/ready") == 200,
            seconds=30,
            what="the worker is ready",
        )
        commands = processes_in(tmp_path / "app").values()
        running = {name for name, part in CHILDREN.items() if any(part in command for command in commands)}
        assert running == children
        await hear(app["BASE_URL"])
    assert "Traceback" not in said_in(tmp_path)


def said_in(directory: Path) -> str:
    return "".join(log.read_text() for log in directory.glob("*.log"))


async def hear(base_url: str) -> None:
    async with Reader.signed_up(base_url) as reader:
        document = await reader.upload("fox.txt", SENTENCE)
        await reader.until_ready(document, seconds=30)
        session = await reader.play(document)
        audio = await reader.read_all(session["audioUrl"])
    assert len(audio) % FRAME_BYTES == 0
    assert 1.5 < len(audio) / BYTES_PER_SECOND < 10


@contextmanager
def external_broker(directory: Path) -> Iterator[str]:
    configuration = json.dumps({"authorization": {"user": "lectern", "password": BROKER_PASSWORD}})
    with running_nats(directory / "broker", configuration=configuration) as server:
        yield f"nats://lectern:{BROKER_PASSWORD.replace(' ', '%20')}@{server.url.removeprefix('nats://')}"


def store_variables(server: ObjectStoreServer) -> dict[str, str]:
    return {
        "S3_INTERNAL_ENDPOINT": server.endpoint,
        "S3_ACCESS_KEY_ID": server.access_key,
        "S3_SECRET_ACCESS_KEY": server.secret_key,
        "S3_BUCKET": f"matrix-{secrets.token_hex(4)}",
        "S3_REGION": server.region,
        "S3_AUTO_CREATE_BUCKET": "true",
    }


def standalone_worker(app: dict[str, str], broker_url: str) -> dict[str, dict[str, str]]:
    """Variables that the app gets on top, and all those of the worker."""
    port = free_port()
    store = {name: text for name, text in app.items() if name.startswith("S3_")} or {
        "S3_ACCESS_KEY_ID": secrets.token_hex(8),
        "S3_SECRET_ACCESS_KEY": secrets.token_hex(16),
    }
    both = {
        **store,
        "COMPUTE_WORKER_TOKEN": secrets.token_urlsafe(32),
        "COMPUTE_CREDENTIAL_BROKER_TOKEN": secrets.token_urlsafe(32),
        "TTS_PLAYBACK_TOKEN_SECRET": secrets.token_urlsafe(32),
    }
    worker = {
        **{name: app[name] for name in ("PATH", "PYTHONPATH")},
        # The app's own store, by what the app has by itself for an embedded worker.
        "S3_INTERNAL_ENDPOINT": f"http://127.0.0.1:{app['OBJSTORE_PORT']}",
        "S3_BUCKET": "lectern-documents",
        "S3_REGION": "us-east-1",
        **both,
        "PORT": str(port),
        "COMPUTE_WORKER_HOST": "127.0.0.1",
        "COMPUTE_WORKER_GRPC_PORT": str(free_port()),
        "BROKER_URL": broker_url,
        "COMPUTE_CREDENTIAL_BROKER_URL": f"{app['BASE_URL']}/api/internal/compute/tts-credentials",
    }
    return {"app": {**both, "COMPUTE_WORKER_URL": f"http://127.0.0.1:{port}"}, "worker": worker}


@contextmanager
def serving(directory: Path, environment: dict[str, str]) -> Iterator[None]:
    (directory / "app").mkdir()
    with started(
        [*LECTERN, "serve"],
        environment=environment,
        directory=directory / "app",
        output=directory / "app.log",
        is_ready=lambda: http_status(f"{environment['BASE_URL']}/health/ready") == 200,
    ):
        yield
    wait_until(lambda: not processes_in(directory / "app"), seconds=5, what="nothing of the app is left")


@contextmanager
def working(directory: Path, environment: dict[str, str]) -> Iterator[None]:
    (directory / "worker").mkdir()
    with started(
        [*LECTERN, "worker"],
        environment=environment,
        directory=directory / "worker",
        output=directory / "worker.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{environment['PORT']}/health/ready") == 200,
    ):
        yield


def worker_port(app: dict[str, str]) -> str:
    url = app.get("COMPUTE_WORKER_URL")
    return url.rpartition(":")[2] if url else app["EMBEDDED_COMPUTE_WORKER_PORT"]


async def new_database(server: str) -> str:
    name = f"matrix_{secrets.token_hex(4)}"
    engine = create_engine(server_url(f"{server}/postgres")).execution_options(isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {name}"))
    await engine.dispose()
    return f"{server}/{name}"
