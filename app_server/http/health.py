"""/health/live: the process runs. /health/ready: it can serve, with what it depends on."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, Literal

import structlog
from aiohttp import web

from app_server.accounts.access import Access
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, json_response
from shared.errors import LecternError

State = Literal["ok", "unavailable"]
Probe = Callable[[], Awaitable[object]]
_PROBE_SECONDS: Final = 3
_NO_STORE: Final = {"Cache-Control": "no-store"}
_log = structlog.get_logger(__name__)


class LiveAnswer(AnswerBody):
    status: Literal["ok"]
    version: str


class ReadyAnswer(AnswerBody):
    status: State
    version: str
    dependencies: dict[str, State]


class HealthRoutes:
    """required must all answer for the app to be ready; optional ones are only reported."""

    def __init__(self, *, required: Mapping[str, Probe], optional: Mapping[str, Probe], version: str) -> None:
        self._required = dict(required)
        self._optional = dict(optional)
        self._version = version

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(Endpoint, method="GET", tag="Health", access=Access.ANYBODY)
        add_endpoints(
            app,
            [
                endpoint(
                    path="/health/live",
                    handler=self.live,
                    summary="Whether the app server runs",
                    answer=LiveAnswer,
                ),
                endpoint(
                    path="/health/ready",
                    handler=self.ready,
                    summary="Whether the app server can serve, with what it depends on",
                    answer=ReadyAnswer,
                    other_answers={503: "Something that it needs is away"},
                ),
            ],
        )

    async def live(self, _request: web.Request) -> web.Response:
        return json_response(LiveAnswer(status="ok", version=self._version), headers=_NO_STORE)

    async def ready(self, _request: web.Request) -> web.Response:
        probes = {**self._required, **self._optional}
        states = dict(zip(probes, await asyncio.gather(*map(_state, probes.values())), strict=True))
        is_ready = all(states[name] == "ok" for name in self._required)
        body = ReadyAnswer(
            status="ok" if is_ready else "unavailable",
            version=self._version,
            dependencies=states,
        )
        return json_response(body, status=200 if is_ready else 503, headers=_NO_STORE)


async def _state(probe: Probe) -> State:
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await probe()
    except (LecternError, TimeoutError, OSError) as error:
        _log.debug("a dependency is not available", error=str(error))
        return "unavailable"
    return "ok"
