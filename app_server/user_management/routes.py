"""/api/admin/users: who is here, and who may be."""

from functools import partial

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import json_response, no_content, read_body, read_query
from app_server.user_management.answers import UserChangeBody, UsersAnswer, UsersQuery, shown_page
from app_server.user_management.service import UserManagement

_ALL = "/api/admin/users"
_ONE = _ALL + "/{user_id}"


class UserAdminRoutes:
    def __init__(self, *, management: UserManagement) -> None:
        self._management = management

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(Endpoint, tag="Administration: users", access=Access.ADMIN, scope=TokenScope.ADMIN)
        add_endpoints(
            app,
            [
                endpoint(
                    method="GET",
                    path=_ALL,
                    handler=self.list,
                    summary="Find users, 25 a page",
                    query=UsersQuery,
                    answer=UsersAnswer,
                ),
                endpoint(
                    method="PATCH",
                    path=_ONE,
                    handler=self.change,
                    summary="Approve, suspend, reactivate or promote a user, which ends their sessions",
                    body=UserChangeBody,
                    status=204,
                    problems=("OWN_ACCOUNT", "USER_CHANGE_NOT_POSSIBLE", "USER_NOT_FOUND"),
                ),
                endpoint(
                    method="DELETE",
                    path=_ONE,
                    handler=self.delete,
                    summary="Delete a user with everything that they have stored",
                    status=204,
                    problems=("OWN_ACCOUNT", "USER_NOT_FOUND"),
                ),
            ],
        )

    async def list(self, request: web.Request) -> web.Response:
        query = read_query(request, UsersQuery)
        return json_response(shown_page(await self._management.page(query.query())))

    async def change(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        body = await read_body(request, UserChangeBody)
        await self._management.change(actor, request.match_info["user_id"], body.change())
        return no_content()

    async def delete(self, request: web.Request) -> web.Response:
        await self._management.remove(await require_user(request), request.match_info["user_id"])
        return no_content()
