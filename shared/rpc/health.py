"""GET /health/live and /health/ready of a process. They need no token, so they tell nothing secret."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import structlog
from aiohttp import web

from shared.errors import LecternError

CHECK_LIMIT_SECONDS: Final = 4.0

# Returns when the dependency answers; raises when it doesn't. A LecternError's message is shown.
HealthCheck = Callable[[], Awaitable[object]]

_log = structlog.get_logger(__name__)
_HEADERS: Final = {"Cache-Control": "no-store"}


def add_health(
    app: web.Application,
    *,
    version: str,
    checks: Mapping[str, HealthCheck],
    limit_seconds: float = CHECK_LIMIT_SECONDS,
    shown: Mapping[str, Callable[[], object]] | None = None,
) -> None:
    """live: 200 while the process serves. ready: 200 when every dependency answers in time, else 503.

    shown: what is told besides, by name, and says nothing of being ready.
    """

    async def live(_request: web.Request) -> web.Response:
        return web.json_response({"status": "live", "version": version}, headers=_HEADERS)

    async def ready(_request: web.Request) -> web.Response:
        states = await asyncio.gather(*(_state(name, checks[name], limit_seconds) for name in checks))
        good = all(state["status"] == "ready" for state in states)
        body = {
            "status": "ready" if good else "unready",
            "version": version,
            "dependencies": dict(zip(checks, states, strict=True)),
            **{name: look() for name, look in (shown or {}).items()},
        }
        return web.json_response(body, status=200 if good else 503, headers=_HEADERS)

    app.router.add_get("/health/live", live)
    app.router.add_get("/health/ready", ready)


async def _state(name: str, check: HealthCheck, limit_seconds: float) -> dict[str, Any]:
    began = time.perf_counter()
    problem = await _problem(name, check, limit_seconds)
    state: dict[str, Any] = {"status": "unready" if problem else "ready"}
    if problem:
        state["message"] = problem
    return {**state, "milliseconds": round((time.perf_counter() - began) * 1000, 1)}


async def _problem(name: str, check: HealthCheck, limit_seconds: float) -> str | None:
    try:
        async with asyncio.timeout(limit_seconds):
            await check()
    except TimeoutError:
        return f"No answer within {limit_seconds:g} s."
    except LecternError as error:
        return error.message
    except Exception:  # noqa: BLE001  # a check may fail in any way; its text may hold a password
        _log.warning("health check failed", dependency=name, exc_info=True)
        return "The check failed; the log has the details."
    return None
