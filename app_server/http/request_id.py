"""Gives every request an identifier: in the response, in problems, in log lines and toward the worker."""

from aiohttp import web
from aiohttp.typedefs import Handler
from structlog.contextvars import bound_contextvars

from shared.rpc.request_ids import REQUEST_ID_HEADER, accepted_request_id

_KEY = web.RequestKey("request_id", str)


def request_id(request: web.Request) -> str:
    return request.get(_KEY) or ""


def setup_request_id(app: web.Application) -> None:
    app.middlewares.append(_with_request_id)
    app.on_response_prepare.append(_show_request_id)


@web.middleware
async def _with_request_id(request: web.Request, handler: Handler) -> web.StreamResponse:
    request[_KEY] = accepted_request_id(request.headers.get(REQUEST_ID_HEADER))
    with bound_contextvars(request_id=request[_KEY]):
        return await handler(request)


async def _show_request_id(request: web.Request, response: web.StreamResponse) -> None:
    if _KEY in request:
        response.headers[REQUEST_ID_HEADER] = request[_KEY]
