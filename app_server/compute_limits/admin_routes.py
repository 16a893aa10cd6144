"""/api/admin/compute-limits: the policy document, taken whole or not at all."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from aiohttp import web
from pydantic import BaseModel, ValidationError

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.compute_limits.defaults import default_policies
from app_server.compute_limits.model import ComputeLimitPolicies
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, RequestBody, json_response
from app_server.http.problems import invalid_fields
from app_server.site_features.audit import POLICIES_KEY
from app_server.site_features.service import SiteFeatureService
from shared.errors import Code, LecternError

_PATH = "/api/admin/compute-limits"


class PoliciesBody(ComputeLimitPolicies, RequestBody):
    """The whole document: what is left out is no default but a mistake."""


class PoliciesAnswer(AnswerBody):
    policies: dict[str, Any]
    # What a reset brings.
    defaults: dict[str, Any]
    source: Literal["default", "seed", "admin"]


class LimitAdminRoutes:
    def __init__(self, *, features: SiteFeatureService) -> None:
        self._features = features

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(
            Endpoint,
            path=_PATH,
            tag="Administration: compute limits",
            access=Access.ADMIN,
            scope=TokenScope.ADMIN,
            answer=PoliciesAnswer,
        )
        add_endpoints(
            app,
            [
                endpoint(method="GET", handler=self.get, summary="Get the compute limit policies"),
                endpoint(
                    method="PUT",
                    handler=self.put,
                    summary="Replace the compute limit policies by another whole document",
                    body=PoliciesBody,
                ),
                endpoint(
                    method="DELETE",
                    handler=self.reset,
                    summary="Give the compute limit policies their defaults again",
                ),
            ],
        )

    async def get(self, _request: web.Request) -> web.Response:
        await self._features.refresh()
        return json_response(await self._shown())

    async def put(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        policies = await _policies(request)
        await self._features.change({POLICIES_KEY: _json(policies)}, actor=actor)
        return json_response(await self._shown())

    async def reset(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        await self._features.reset([POLICIES_KEY], actor=actor)
        return json_response(await self._shown())

    async def _shown(self) -> PoliciesAnswer:
        features, sources = await self._features.current(), await self._features.sources()
        return PoliciesAnswer(
            policies=_json(features.compute_limit_policies),
            defaults=_json(default_policies()),
            source=sources[POLICIES_KEY].value,
        )


async def _policies(request: web.Request) -> PoliciesBody:
    """Faults are told by JSON pointer (RFC 6901), so that an editor finds the place."""
    if request.content_type != "application/json":
        raise LecternError(
            Code.INVALID_ARGUMENT, "The request must be application/json.", reason="MEDIA_TYPE_UNSUPPORTED"
        )
    try:
        return PoliciesBody.model_validate_json(await request.read())
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        if any(fault["type"] == "json_invalid" for fault in faults):
            raise LecternError(
                Code.INVALID_ARGUMENT, "The request isn't valid JSON.", reason="BODY_MALFORMED"
            ) from error
        raise invalid_fields({_pointer(fault["loc"]): fault["msg"] for fault in faults}) from error


def _pointer(location: Sequence[int | str]) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in location)


def _json(policies: BaseModel) -> dict[str, Any]:
    return policies.model_dump(mode="json", by_alias=True, exclude_none=True)
