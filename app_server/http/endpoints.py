"""Every address of the browser API is declared once: what it takes, what it answers, whom it lets in.

The router, the check of who may, the OpenAPI document and the tests over all addresses come from it.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from app_server.accounts.access import Access, TokenScope, admit
from app_server.accounts.bearer import admit_token, bearer_token
from app_server.http.json_bodies import AnswerBody, RequestBody, RequestQuery

_NEEDS_NOBODY: Final = {Access.ANYBODY, Access.OWN_SECRET}
_ENDPOINTS: "Final[web.AppKey[list[Endpoint]]]" = web.AppKey("endpoints")


@dataclass(frozen=True)
class FileUpload:
    """A body of multipart/form-data whose one part is a file."""

    part: str


@dataclass(frozen=True)
class Content:
    """An answer that isn't JSON of ours, such as a file, a picture or sound."""

    media_types: tuple[str, ...]


@dataclass(frozen=True)
class Events:
    """An answer of server-sent events, by their names."""

    data: Mapping[str, type[AnswerBody]]


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """path: as aiohttp's router and OpenAPI both take it, so without patterns for its parts.
    handler gets the user as ever, from current_user.py, and reads what is declared here by read_body and
    read_query.
    answer: None for an empty one. other_answers: further good ones by status, without a body that
    programs read. scope: None keeps API tokens out. problems: the codes that this very address may answer;
    those of the access, the body and the query go without saying.
    """

    method: str
    path: str
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    summary: str
    tag: str
    access: Access
    scope: TokenScope | None = None
    body: type[RequestBody] | FileUpload | None = None
    query: type[RequestQuery] | None = None
    answer: type[AnswerBody] | Content | Events | None = None
    status: int = 200
    other_answers: Mapping[int, str] = field(default_factory=dict[int, str])
    problems: tuple[str, ...] = ()


def add_endpoints(app: web.Application, endpoints: Iterable[Endpoint]) -> None:
    """In their order: the first path that fits a request is taken. GET takes HEAD too."""
    for endpoint in endpoints:
        if endpoint.method == hdrs.METH_GET:
            app.router.add_get(endpoint.path, _guarded(endpoint))
        else:
            app.router.add_route(endpoint.method, endpoint.path, _guarded(endpoint))
        known: list[Endpoint] = app.setdefault(_ENDPOINTS, [])
        known.append(endpoint)


def endpoints_of(app: web.Application) -> tuple[Endpoint, ...]:
    if _ENDPOINTS not in app:
        return ()
    known = app[_ENDPOINTS]
    return tuple(known)


def _guarded(endpoint: Endpoint) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        token = bearer_token(request)
        if token is not None and endpoint.access not in _NEEDS_NOBODY:
            await admit_token(request, token, endpoint.scope)
        await admit(request, endpoint.access)
        return await endpoint.handler(request)

    return handle
