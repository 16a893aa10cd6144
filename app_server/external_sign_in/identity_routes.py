"""/api/user/identities: the ways to sign in that an account has."""

from collections.abc import Sequence
from typing import Final

from aiohttp import web

from app_server.accounts.access import Access
from app_server.accounts.current_user import require_user
from app_server.clock import iso_time
from app_server.external_sign_in.answers import ShownIdentity, WaysInAnswer
from app_server.external_sign_in.model import LinkedIdentity
from app_server.external_sign_in.ports import IdentityProvider, IdentityStore
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import json_response, no_content

_PATH: Final = "/api/user/identities"


class IdentityRoutes:
    def __init__(self, *, store: IdentityStore, providers: Sequence[IdentityProvider]) -> None:
        self._store = store
        self._providers = {provider.issuer: provider for provider in providers}

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="GET",
                    path=_PATH,
                    handler=self.list,
                    summary="The ways to sign in that this account has",
                    tag="Accounts",
                    access=Access.USER,
                    answer=WaysInAnswer,
                ),
                Endpoint(
                    method="DELETE",
                    path=f"{_PATH}/{{identity_id}}",
                    handler=self.remove,
                    summary="Remove a way to sign in, while another one remains",
                    tag="Accounts",
                    access=Access.USER,
                    status=204,
                    problems=("IDENTITY_NOT_FOUND", "LAST_SIGN_IN"),
                ),
            ],
        )

    async def list(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        return json_response(
            WaysInAnswer(
                has_password=await self._store.has_password(user.id),
                identities=[self._shown(identity) for identity in await self._store.of_user(user.id)],
            )
        )

    async def remove(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        # An identity of a provider that this instance doesn't have any more lets nobody in.
        await self._store.unlink(
            user.id, request.match_info["identity_id"], usable_issuers=self._providers.keys()
        )
        return no_content()

    def _shown(self, identity: LinkedIdentity) -> ShownIdentity:
        provider = self._providers.get(identity.issuer)
        return ShownIdentity(
            id=identity.id,
            provider_id=provider.id if provider else "",
            provider_name=provider.name if provider else identity.issuer,
            email=identity.email,
            name=identity.name,
            linked_at=iso_time(identity.linked_at_ms),
        )
