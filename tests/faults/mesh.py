"""A large installation as real processes on loopback.

Two app servers, four workers, a broker of three servers, PostgreSQL and an object store, and balancers
before the app servers and the workers.
"""

import asyncio
import json
import os
import random
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from app_fixtures.postgresql import running_postgresql
from sqlalchemy import text

from app_server.database.engine import create_engine, server_url
from app_server.supervisor.servers import bundled_program
from faults.balancer import Backend, Balancer
from faults.programs import Program, owner_of
from faults.provider import CountingProvider
from servers.lectern import LECTERN, ROOT
from servers.ports import free_port
from servers.seeds import seed_with_generous_limits

WORKERS, APPS, NODES = 4, 2, 3
BUCKET, PREFIX = "lectern-faults", "lectern"
SCRATCH = "scratch"
SECRETS = (
    "AUTH_SECRET",
    "API_KEY",
    "COMPUTE_WORKER_TOKEN",
    "COMPUTE_CREDENTIAL_BROKER_TOKEN",
    "TTS_PLAYBACK_TOKEN_SECRET",
    "S3_SECRET_ACCESS_KEY",
    "PASSWORD",  # of the listeners
)


@dataclass
class Mesh:
    base_url: str
    folder: Path
    workers: list[Program]
    apps: list[Program]
    nodes: list[Program]
    store: Program
    provider: CountingProvider
    planted: dict[str, str]
    broker_urls: list[str]
    http: aiohttp.ClientSession

    @property
    def bucket(self) -> Path:
        return self.folder / "store" / "data" / BUCKET / PREFIX

    @property
    def scratch(self) -> Path:
        """Where workers put the files of their work in hand."""
        return self.folder / SCRATCH

    @property
    def ours(self) -> list[Program]:
        """What runs Lectern's own code."""
        return [*self.workers, *self.apps]

    @property
    def programs(self) -> list[Program]:
        return [*self.nodes, self.store, *self.workers, *self.apps]

    async def until_ready(self) -> None:
        await asyncio.gather(*(program.until_ready(self.http) for program in self.programs))


@asynccontextmanager
async def running_mesh(folder: Path, *, chance: random.Random, provider_delay: float) -> AsyncIterator[Mesh]:
    planted = {name: f"sentinel{secrets.token_hex(20)}" for name in SECRETS}
    app_port, worker_port, worker_grpc_port, store_port = (free_port() for _ in range(4))
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession())
        nodes, broker_urls = _nodes(folder)
        store = _store(folder, store_port, planted)
        shared = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}",
            "MALLOC_ARENA_MAX": "2",
            "S3_INTERNAL_ENDPOINT": f"http://127.0.0.1:{store_port}",
            "S3_ACCESS_KEY_ID": "lectern",
            "S3_BUCKET": BUCKET,
            "S3_PREFIX": PREFIX,
            "S3_REGION": "us-east-1",
            "S3_FORCE_PATH_STYLE": "true",
            "BROKER_URL": ",".join(broker_urls),
            "COMPUTE_BROKER_REPLICAS": "3",
            **{name: planted[name] for name in SECRETS if name not in {"AUTH_SECRET", "API_KEY", "PASSWORD"}},
        }
        base_url = f"http://127.0.0.1:{app_port}"
        workers, http_backends, grpc_backends = _workers(folder, base_url, shared)
        provider = CountingProvider(
            api_key=planted["API_KEY"],
            delay_seconds=provider_delay,
            name_of_caller=lambda port: owner_of(port, workers),
        )
        for program in [*nodes, store]:
            program.start()
        database = stack.enter_context(running_postgresql())
        await _create_database(database)
        speech_url = await stack.enter_async_context(provider.serving(free_port()))
        apps, app_backends = _apps(
            folder,
            {
                **{
                    name: value
                    for name, value in shared.items()
                    if not name.startswith(("BROKER", "COMPUTE_BROKER"))
                },
                "AUTH_SECRET": planted["AUTH_SECRET"],
                "API_KEY": planted["API_KEY"],
                "API_BASE": speech_url,
                "BASE_URL": base_url,
                "SERVER_DB_URL": f"{database}/lectern",
                "USE_EMBEDDED_OBJSTORE": "false",
                "COMPUTE_WORKER_URL": f"http://127.0.0.1:{worker_port}",
                "COMPUTE_WORKER_GRPC_URL": f"grpc://127.0.0.1:{worker_grpc_port}",
                "DISABLE_AUTH_RATE_LIMIT": "true",
                "RUNTIME_SEED_JSON": seed_with_generous_limits(),
            },
        )
        for backends, port in (
            (app_backends, app_port),
            (http_backends, worker_port),
            (grpc_backends, worker_grpc_port),
        ):
            await stack.enter_async_context(Balancer(backends, chance=chance).serving(port))
        mesh = Mesh(base_url, folder, workers, apps, nodes, store, provider, planted, broker_urls, http)
        stack.push_async_callback(_stop, mesh)
        await asyncio.gather(*(program.until_ready(http) for program in [*nodes, store]))
        apps[0].start()  # one of them migrates
        await apps[0].until_ready(http)
        for program in [*workers, *apps[1:]]:
            program.start()
        await mesh.until_ready()
        yield mesh


async def _stop(mesh: Mesh) -> None:
    for program in mesh.programs:
        if program.starts:
            program.resume()
    for layer in (mesh.apps, mesh.workers, [*mesh.nodes, mesh.store]):
        await asyncio.gather(*(program.stop() for program in layer))


def _nodes(folder: Path) -> tuple[list[Program], list[str]]:
    ports = [(free_port(), free_port(), free_port()) for _ in range(NODES)]
    routes = [f"nats://127.0.0.1:{route}" for _, _, route in ports]
    nodes = []
    for number, (client, monitor, route) in enumerate(ports):
        directory = folder / f"broker-{number}"
        directory.mkdir(parents=True)
        file = directory / "nats.conf"
        settings = {
            "server_name": f"broker-{number}",
            "listen": f"127.0.0.1:{client}",
            "http": f"127.0.0.1:{monitor}",
            "jetstream": {"store_dir": str(directory)},
            "cluster": {"name": "lectern", "listen": f"127.0.0.1:{route}", "routes": routes},
        }
        file.write_text(json.dumps(settings))
        nodes.append(
            Program(
                name=f"broker-{number}",
                command=[bundled_program("nats-server"), "--config", str(file)],
                environment=dict(os.environ),
                directory=directory,
                alive_url=f"http://127.0.0.1:{monitor}/healthz?js-server-only=true",
                ready_url=f"http://127.0.0.1:{monitor}/healthz?js-server-only=true",
            )
        )
    return nodes, [f"nats://127.0.0.1:{client}" for client, _, _ in ports]


def _store(folder: Path, port: int, planted: dict[str, str]) -> Program:
    data = folder / "store" / "data"
    (data / BUCKET).mkdir(parents=True)
    keys = {"RCLONE_AUTH_KEY": f'"lectern,{planted["S3_SECRET_ACCESS_KEY"]}"', "RCLONE_CONFIG": ""}
    return Program(
        name="store",
        command=[bundled_program("rclone"), "serve", "s3", str(data), "--addr", f"127.0.0.1:{port}"],
        environment=os.environ | keys,
        directory=folder / "store",
        alive_url=f"http://127.0.0.1:{port}",
    )


def _workers(
    folder: Path, base_url: str, shared: dict[str, str]
) -> tuple[list[Program], list[Backend], list[Backend]]:
    programs, http, grpc = [], [], []
    scratch = folder / SCRATCH
    scratch.mkdir()
    for number in range(WORKERS):
        port, grpc_port = free_port(), free_port()
        health = f"http://127.0.0.1:{port}/health/live"
        programs.append(
            Program(
                name=f"worker-{number}",
                command=[*LECTERN, "worker", "--no-env-file"],
                environment=shared
                | {
                    "PORT": str(port),
                    "COMPUTE_WORKER_HOST": "127.0.0.1",
                    "COMPUTE_WORKER_GRPC_PORT": str(grpc_port),
                    "COMPUTE_CREDENTIAL_BROKER_URL": f"{base_url}/api/internal/compute/tts-credentials",
                    "TMPDIR": str(scratch),
                    "COMPUTE_ALIGN_ENGINE": "none",  # the machine's few cores are for what is tested here
                },
                directory=folder / f"worker-{number}",
                alive_url=health,
                ready_url=f"http://127.0.0.1:{port}/health/ready",
            )
        )
        http.append(Backend(port, health))
        grpc.append(Backend(grpc_port, health))
    return programs, http, grpc


def _apps(folder: Path, environment: dict[str, str]) -> tuple[list[Program], list[Backend]]:
    programs, backends = [], []
    for number in range(APPS):
        port = free_port()
        programs.append(
            Program(
                name=f"app-{number}",
                command=[*LECTERN, "serve"],
                environment=environment
                | {"PORT": str(port), "CREDENTIAL_BROKER_GRPC_PORT": str(free_port())},
                directory=folder / f"app-{number}",
                alive_url=f"http://127.0.0.1:{port}/health/live",
                ready_url=f"http://127.0.0.1:{port}/health/ready",
            )
        )
        backends.append(Backend(port, f"http://127.0.0.1:{port}/health/live"))
    return programs, backends


async def _create_database(server: str) -> None:
    engine = create_engine(server_url(f"{server}/postgres")).execution_options(isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text("CREATE DATABASE lectern"))
    await engine.dispose()
