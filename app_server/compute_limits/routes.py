"""/api/usage: what a user has left today, where something is limited."""

from typing import Literal

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.clock import Clock, iso_time
from app_server.compute_limits.arithmetic import next_utc_day_ms
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.ports import Standing
from app_server.compute_limits.refusals import doing
from app_server.compute_limits.rules import ActionName, WindowRule
from app_server.compute_limits.service import LimitService
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, json_response


class ShownLimit(AnswerBody):
    """metric starts counts how often something was begun within windowSeconds; the others count a UTC day."""

    action: ActionName
    # For people, such as "new speech".
    doing: str
    scope: Literal["user", "anonymous_device", "ip"]
    metric: Literal["starts", "characters", "input_bytes", "files"]
    limit: int
    used: int
    left: int
    # Only of starts.
    window_seconds: int = 0
    # While something is used.
    resets_at: str = ""


class UsageAnswer(AnswerBody):
    day_ends_at: str
    limits: list[ShownLimit]


class UsageRoutes:
    def __init__(self, *, limits: LimitService, callers: Callers, clock: Clock) -> None:
        self._limits = limits
        self._callers = callers
        self._clock = clock

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="GET",
                    path="/api/usage",
                    handler=self.usage,
                    summary="Get what limits leave of today's allowances",
                    tag="Account",
                    access=Access.GUEST_OR_USER,
                    scope=TokenScope.ACCOUNT,
                    answer=UsageAnswer,
                )
            ],
        )

    async def usage(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        standings = await self._limits.standings(self._callers.of(request, user))
        return json_response(
            UsageAnswer(
                day_ends_at=iso_time(next_utc_day_ms(self._clock())),
                limits=[_shown(standing) for standing in standings],
            )
        )


def _shown(standing: Standing) -> ShownLimit:
    rule = standing.rule
    is_window = isinstance(rule, WindowRule)
    shown = ShownLimit(
        action=standing.action,
        doing=doing(standing.action),
        scope=rule.scope,  # type: ignore[arg-type]  # the service leaves the site's out
        metric="starts" if isinstance(rule, WindowRule) else rule.metric,
        limit=rule.limit,
        used=standing.used,
        left=max(rule.limit - standing.used, 0),
    )
    optional: dict[str, int | str] = {}
    if is_window:
        optional["window_seconds"] = rule.period_ms // 1000  # type: ignore[union-attr]
    if standing.resets_at_ms is not None:
        optional["resets_at"] = iso_time(standing.resets_at_ms)
    return shown.model_copy(update=optional)
