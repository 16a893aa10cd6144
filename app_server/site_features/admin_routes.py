"""/api/admin/features: what the instance can and may do, with the source of each value."""

from functools import partial
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, RequestBody, json_response, read_body
from app_server.site_features.audit import POLICIES_KEY, default_values
from app_server.site_features.model import FEATURE_KEYS, SiteFeatures
from app_server.site_features.service import SiteFeatureService

_PATH = "/api/admin/features"
FeatureKey = Literal[FEATURE_KEYS]  # type: ignore[valid-type]  # the model's own fields


class FeatureChangesBody(SiteFeatures, RequestBody):
    """Only the keys that are given change."""


class FeatureResetBody(RequestBody):
    keys: Annotated[list[FeatureKey], Field(min_length=1, max_length=len(FEATURE_KEYS))]


class ShownFeature(AnswerBody):
    key: str
    value: Any
    # What a reset brings.
    default: Any
    source: Literal["default", "seed", "admin"]


class FeaturesAnswer(AnswerBody):
    features: list[ShownFeature]


class FeatureAdminRoutes:
    def __init__(self, *, features: SiteFeatureService) -> None:
        self._features = features

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(
            Endpoint, tag="Administration: site features", access=Access.ADMIN, scope=TokenScope.ADMIN
        )
        add_endpoints(
            app,
            [
                endpoint(
                    method="GET",
                    path=_PATH,
                    handler=self.list,
                    summary="List the site features with the source of each value",
                    answer=FeaturesAnswer,
                ),
                endpoint(
                    method="PATCH",
                    path=_PATH,
                    handler=self.change,
                    summary="Change site features",
                    body=FeatureChangesBody,
                    answer=FeaturesAnswer,
                ),
                endpoint(
                    method="POST",
                    path=_PATH + "/reset",
                    handler=self.reset,
                    summary="Give site features their defaults again",
                    body=FeatureResetBody,
                    answer=FeaturesAnswer,
                ),
            ],
        )

    async def list(self, _request: web.Request) -> web.Response:
        await self._features.refresh()
        return json_response(await self._shown())

    async def change(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        body = await read_body(request, FeatureChangesBody)
        await self._features.change(body.written(), actor=actor)
        return json_response(await self._shown())

    async def reset(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        body = await read_body(request, FeatureResetBody)
        await self._features.reset(body.keys, actor=actor)
        return json_response(await self._shown())

    async def _shown(self) -> FeaturesAnswer:
        """Without the compute policies, which have a page and addresses of their own."""
        values = (await self._features.current()).model_dump(mode="json", by_alias=True)
        sources, defaults = await self._features.sources(), default_values()
        return FeaturesAnswer(
            features=[
                ShownFeature(key=key, value=values[key], default=defaults[key], source=sources[key].value)
                for key in FEATURE_KEYS
                if key != POLICIES_KEY
            ]
        )
