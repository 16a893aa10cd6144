"""`lectern serve`: the children, the app server over them, and one orderly end."""

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic

import structlog

from app_server.settings import read_settings
from app_server.supervisor.child import Child
from app_server.supervisor.claims import bound_ports, data_claimed, require_free_ports
from app_server.supervisor.probes import answers_http, reachable_host
from app_server.supervisor.servers import BROKER, OBJECT_STORE, broker_child, object_store_child
from app_server.supervisor.supervisor import Supervisor
from app_server.supervisor.worker import worker_child
from shared.configuration.app_settings import AppSettings
from shared.configuration.environment import ENV_FILE
from shared.configuration.startup import settings_or_exit
from shared.errors import LecternError
from shared.logs import configure_logging
from shared.processes.signals import stop_on_signals

_READY_INTERVAL_SECONDS = 0.05

RunApp = Callable[[AppSettings, asyncio.Event], Awaitable[None]]


def main(argv: Sequence[str]) -> int:
    started = monotonic()
    parser = argparse.ArgumentParser(prog="lectern serve", description=__doc__)
    parser.add_argument("--env-file", type=Path, default=ENV_FILE)
    arguments = parser.parse_args(argv)
    settings = settings_or_exit(read_settings, env_file=arguments.env_file)
    configure_logging(settings.log, secrets=settings.secrets)
    try:
        with data_claimed(settings):
            require_free_ports(bound_ports(settings))
            asyncio.run(_serve(settings, started))
    except LecternError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    except Exception:  # noqa: BLE001  # the process's edge
        structlog.get_logger().exception("failed")
        return 1
    return 0


def embedded_children(settings: AppSettings, environment: Mapping[str, str]) -> list[Child]:
    """In the order of their start; they are stopped the other way round."""
    embedded = settings.embedded
    children = []
    if embedded.broker and embedded.worker:
        children.append(broker_child(embedded.broker, embedded.worker.settings.broker, environment))
    if embedded.object_store:
        children.append(object_store_child(embedded.object_store, settings.storage, environment))
    if embedded.worker:
        children.append(worker_child(embedded.worker, environment))
    return children


async def _serve(settings: AppSettings, started: float) -> None:
    children = embedded_children(settings, os.environ)
    with stop_on_signals() as stop:
        async with Supervisor(children=children) as supervisor:
            await asyncio.sleep(0)  # the children are started before the app's modules are loaded
            from app_server.wiring.application import run_app  # noqa: PLC0415  # heavy: loads while the children start

            if await _ready_before(stop, supervisor):
                await _run_watched(run_app, settings, stop, supervisor, started)
    structlog.get_logger().info("stopped")


async def _ready_before(stop: asyncio.Event, supervisor: Supervisor) -> bool:
    servers = asyncio.create_task(supervisor.wait_ready(BROKER, OBJECT_STORE))
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait({servers, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    servers.cancel()
    _raise_first(await asyncio.gather(servers, stopped, return_exceptions=True))
    return not stop.is_set()


async def _run_watched(
    run_app: RunApp, settings: AppSettings, stop: asyncio.Event, supervisor: Supervisor, started: float
) -> None:
    """Ends with the app, or with the first child that can't be kept running."""
    app = asyncio.ensure_future(run_app(settings, stop))
    failure = asyncio.create_task(supervisor.wait_failure())
    announcement = asyncio.create_task(_announce(settings, supervisor, started))
    await asyncio.wait({app, failure}, return_when=asyncio.FIRST_COMPLETED)
    stop.set()
    failure.cancel()
    announcement.cancel()
    _raise_first(await asyncio.gather(app, failure, announcement, return_exceptions=True))


def _raise_first(results: Iterable[object]) -> None:
    """Of those that failed; being cancelled is no failure here."""
    for result in results:
        if isinstance(result, Exception):
            raise result


async def _announce(settings: AppSettings, supervisor: Supervisor, started: float) -> None:
    await supervisor.wait_ready()
    is_ready = answers_http(reachable_host(settings.host), settings.port, "/health/ready")
    while not await is_ready():  # noqa: ASYNC110  # over the network, as a load balancer would ask
        await asyncio.sleep(_READY_INTERVAL_SECONDS)
    structlog.get_logger().debug("all parts are ready", seconds=round(monotonic() - started, 2))
    sys.stdout.write(f"\n  Lectern is ready: open {settings.base_url}\n\n")
    sys.stdout.flush()
