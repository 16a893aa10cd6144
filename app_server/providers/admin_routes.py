"""/api/admin/providers: the shared providers, changed and tried by administrators."""

from functools import partial

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import json_response, no_content, read_body
from app_server.providers.admin_answers import (
    ManagedProviderAnswer,
    ManagedProvidersAnswer,
    NewProviderBody,
    ProviderBody,
    TrialAnswer,
    shown_provider,
    shown_step,
)
from app_server.providers.management import ManagedProvider, ProviderManagement
from app_server.providers.trial import ProviderTrial

_ALL = "/api/admin/providers"
_ONE = _ALL + "/{slug}"


class ProviderAdminRoutes:
    def __init__(self, *, management: ProviderManagement, trial: ProviderTrial) -> None:
        self._management = management
        self._trial = trial

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(
            Endpoint, tag="Administration: providers", access=Access.ADMIN, scope=TokenScope.ADMIN
        )
        add_endpoints(
            app,
            [
                endpoint(
                    method="GET",
                    path=_ALL,
                    handler=self.list,
                    summary="List the shared providers, those that are turned off included",
                    answer=ManagedProvidersAnswer,
                ),
                endpoint(
                    method="POST",
                    path=_ALL,
                    handler=self.create,
                    summary="Add a shared provider",
                    body=NewProviderBody,
                    answer=ManagedProviderAnswer,
                    status=201,
                    problems=("PROVIDER_SLUG_TAKEN",),
                ),
                endpoint(
                    method="PUT",
                    path=_ONE,
                    handler=self.change,
                    summary="Change a shared provider",
                    body=ProviderBody,
                    answer=ManagedProviderAnswer,
                    problems=("PROVIDER_NOT_FOUND",),
                ),
                endpoint(
                    method="DELETE",
                    path=_ONE,
                    handler=self.delete,
                    summary="Delete a shared provider",
                    status=204,
                    problems=("PROVIDER_NOT_FOUND",),
                ),
                endpoint(
                    method="POST",
                    path=_ONE + "/test",
                    handler=self.test,
                    summary="Try a shared provider from where speech is made",
                    answer=TrialAnswer,
                    problems=("PROVIDER_NOT_FOUND",),
                ),
            ],
        )

    async def list(self, _request: web.Request) -> web.Response:
        shown = [shown_provider(managed) for managed in await self._management.all()]
        return json_response(ManagedProvidersAnswer(providers=shown))

    async def create(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        body = await read_body(request, NewProviderBody)
        return _answer(await self._management.create(actor, body.slug, body.draft()), status=201)

    async def change(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        body = await read_body(request, ProviderBody)
        return _answer(await self._management.change(actor, request.match_info["slug"], body.draft()))

    async def delete(self, request: web.Request) -> web.Response:
        await self._management.remove(await require_user(request), request.match_info["slug"])
        return no_content()

    async def test(self, request: web.Request) -> web.Response:
        managed = await self._management.get(request.match_info["slug"])
        steps = await self._trial.run(managed.provider)
        return json_response(TrialAnswer(steps=[shown_step(step) for step in steps]))


def _answer(managed: ManagedProvider, *, status: int = 200) -> web.Response:
    return json_response(ManagedProviderAnswer(provider=shown_provider(managed)), status=status)
