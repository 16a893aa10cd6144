"""/health/live: the process runs. /health/ready: it can serve, with what it depends on."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import structlog
from aiohttp import web

from shared.errors import LecternError

Probe = Callable[[], Awaitable[object]]
_PROBE_SECONDS: Final = 3
_NO_STORE: Final = {"Cache-Control": "no-store"}
_log = structlog.get_logger(__name__)


class HealthRoutes:
    """required must all answer for the app to be ready; optional ones are only reported."""

    def __init__(self, *, required: Mapping[str, Probe], optional: Mapping[str, Probe], version: str) -> None:
        self._required = dict(required)
        self._optional = dict(optional)
        self._version = version

    def add_to(self, app: web.Application) -> None:
        app.router.add_get("/health/live", self.live)
        app.router.add_get("/health/ready", self.ready)

    async def live(self, _request: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "version": self._version}, headers=_NO_STORE)

    async def ready(self, _request: web.Request) -> web.Response:
        probes = {**self._required, **self._optional}
        states = dict(zip(probes, await asyncio.gather(*map(_state, probes.values())), strict=True))
        is_ready = all(states[name] == "ok" for name in self._required)
        body = {
            "status": "ok" if is_ready else "unavailable",
            "version": self._version,
            "dependencies": states,
        }
        return web.json_response(body, status=200 if is_ready else 503, headers=_NO_STORE)


async def _state(probe: Probe) -> str:
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await probe()
    except (LecternError, TimeoutError, OSError) as error:
        _log.debug("a dependency is not available", error=str(error))
        return "unavailable"
    return "ok"
