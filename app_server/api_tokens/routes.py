"""/api/user/tokens: one's own API tokens. No token makes another one."""

from functools import partial
from typing import Annotated

from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.api_tokens.model import LONGEST_LIFE_DAYS, NAME_CHARACTERS, ApiToken
from app_server.api_tokens.service import ApiTokenService
from app_server.clock import iso_time
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import (
    AnswerBody,
    RequestBody,
    StoredText,
    json_response,
    no_content,
    read_body,
)


class NewTokenBody(RequestBody):
    name: Annotated[StoredText, Field(min_length=1, max_length=NAME_CHARACTERS)]
    scopes: Annotated[list[TokenScope], Field(min_length=1, max_length=len(TokenScope))]
    # None: until it is revoked.
    expires_in_days: Annotated[int, Field(ge=1, le=LONGEST_LIFE_DAYS)] | None = None


class ShownToken(AnswerBody):
    id: str
    name: str
    scopes: list[TokenScope]
    created_at: str
    expires_at: str | None
    last_used_at: str | None


class TokensAnswer(AnswerBody):
    tokens: list[ShownToken]
    # What a new token of this user can be good for.
    scopes: list[TokenScope]


class NewTokenAnswer(AnswerBody):
    token: ShownToken
    # What programs send as `Authorization: Bearer …`. It is never shown again.
    secret: str


class ApiTokenRoutes:
    def __init__(self, *, service: ApiTokenService) -> None:
        self._service = service

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(Endpoint, tag="API tokens", access=Access.USER)
        add_endpoints(
            app,
            [
                endpoint(
                    method="GET",
                    path="/api/user/tokens",
                    handler=self.list,
                    summary="List one's API tokens, and what a new one can be good for",
                    answer=TokensAnswer,
                ),
                endpoint(
                    method="POST",
                    path="/api/user/tokens",
                    handler=self.create,
                    summary="Make an API token; its text is shown this once",
                    body=NewTokenBody,
                    answer=NewTokenAnswer,
                    status=201,
                    problems=("TOKENS_TOO_MANY",),
                ),
                endpoint(
                    method="DELETE",
                    path="/api/user/tokens/{token_id}",
                    handler=self.revoke,
                    summary="Revoke an API token",
                    status=204,
                    problems=("TOKEN_NOT_FOUND",),
                ),
            ],
        )

    async def list(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        tokens = [_shown(token) for token in await self._service.of_user(user)]
        scopes = [scope for scope in TokenScope if scope is not TokenScope.ADMIN or user.is_admin]
        return json_response(TokensAnswer(tokens=tokens, scopes=scopes))

    async def create(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, NewTokenBody)
        new = await self._service.create(
            user, name=body.name, scopes=body.scopes, expires_in_days=body.expires_in_days
        )
        return json_response(NewTokenAnswer(token=_shown(new.token), secret=new.text), status=201)

    async def revoke(self, request: web.Request) -> web.Response:
        await self._service.revoke(await require_user(request), request.match_info["token_id"])
        return no_content()


def _shown(token: ApiToken) -> ShownToken:
    return ShownToken(
        id=token.id,
        name=token.name,
        scopes=list(token.scopes),
        created_at=iso_time(token.created_at_ms),
        expires_at=None if token.expires_at_ms is None else iso_time(token.expires_at_ms),
        last_used_at=None if token.last_used_at_ms is None else iso_time(token.last_used_at_ms),
    )
