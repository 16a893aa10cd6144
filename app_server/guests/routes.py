"""/api/auth/guest: in without an account."""

from aiohttp import web

from app_server.accounts.access import Access
from app_server.accounts.answers import EnteredAnswer, shown_user
from app_server.accounts.current_user import signed_in_user
from app_server.accounts.entrance import Entrance
from app_server.guests.service import Guests
from app_server.http.client_address import ClientAddresses
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import json_response


class GuestRoutes:
    def __init__(self, *, guests: Guests, entrance: Entrance, addresses: ClientAddresses) -> None:
        self._guests = guests
        self._entrance = entrance
        self._addresses = addresses

    def add_to(self, app: web.Application) -> None:
        add_endpoints(
            app,
            [
                Endpoint(
                    method="POST",
                    path="/api/auth/guest",
                    handler=self.enter,
                    summary="Use the instance without an account; whoever is signed in stays so",
                    tag="Accounts",
                    access=Access.ANYBODY,
                    answer=EnteredAnswer,
                    status=201,
                    problems=("GUESTS_DISABLED", "TOO_MANY_ATTEMPTS"),
                )
            ],
        )

    async def enter(self, request: web.Request) -> web.Response:
        present = await signed_in_user(request)
        if present is None:
            present = await self._guests.welcome(address=self._addresses.of(request))
            await self._entrance.enter(request, present)
        return json_response(EnteredAnswer(user=shown_user(present)), status=201)
