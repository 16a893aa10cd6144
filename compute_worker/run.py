"""`lectern worker`: settings, logs and signals around the worker itself."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import structlog

from shared.configuration.environment import ENV_FILE
from shared.configuration.startup import settings_or_exit
from shared.configuration.worker_settings import WorkerSettings, read_worker_settings
from shared.errors import LecternError
from shared.logs import configure_logging
from shared.processes.signals import stop_on_signals


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="lectern worker", description=__doc__)
    parser.add_argument("--env-file", type=Path, default=ENV_FILE)
    parser.add_argument("--no-env-file", dest="env_file", action="store_const", const=None)
    arguments = parser.parse_args(argv)
    settings = settings_or_exit(read_worker_settings, env_file=arguments.env_file)
    configure_logging(settings.log, secrets=settings.secrets, process="worker")
    try:
        asyncio.run(_run(settings))
    except LecternError as error:
        structlog.get_logger().error(error.message, reason=error.reason)
        return 1
    except Exception:  # noqa: BLE001  # the process's edge
        structlog.get_logger().exception("failed")
        return 1
    return 0


async def _run(settings: WorkerSettings) -> None:
    from compute_worker.wiring.worker import run_worker  # noqa: PLC0415  # heavy: only once the settings are valid

    with stop_on_signals() as stop:
        await run_worker(settings, stop)
    structlog.get_logger().info("worker stopped")
