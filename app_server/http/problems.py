"""Errors as application/problem+json (RFC 9457), all in one shape and never with a stack trace."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_exceptions import HTTPException

from app_server.http.problem_body import FieldProblem, ProblemBody
from app_server.http.request_id import request_id
from shared.errors import Code, LecternError

FIELDS_INVALID: Final = "FIELDS_INVALID"
RETRY_AFTER: Final = "retry_after_seconds"
RESETS_AT: Final = "resets_at"

# Where a browser should be told more than the code's own status says.
_STATUS_OF_REASON: Final = {
    FIELDS_INVALID: 422,
    "FILE_EMPTY": 422,
    "FILE_TOO_LARGE": 413,
    "FORMAT_UNSUPPORTED": 415,
    "LINK_EXPIRED": 410,
    "MEDIA_TYPE_UNSUPPORTED": 415,
    "REGION_NOT_SERVED": 451,
}
_STATUS_OF_CODE: Final = {Code.FAILED_PRECONDITION: 409}
# What aiohttp itself refuses.
CODE_OF_STATUS: Final = {
    400: "BAD_REQUEST",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    413: "REQUEST_TOO_LARGE",
    417: "EXPECTATION_FAILED",
    502: "BAD_GATEWAY",
}
MESSAGE_OF_STATUS: Final = {
    404: "There is nothing at this address.",
    405: "This address doesn't take that kind of request.",
    413: "The request is too large.",
}

_UNEXPECTED: Final = LecternError(Code.INTERNAL, "Something went wrong on the server. Try again in a moment.")
_STARTED: Final = web.RequestKey("response_started", bool)
_CLIENT_GONE: Final = 499

_log = structlog.get_logger(__name__)


def setup_problems(app: web.Application) -> None:
    app.middlewares.append(_errors_as_problems)
    app.on_response_prepare.append(_note_start)


def http_status(error: LecternError) -> int:
    by_code = _STATUS_OF_CODE.get(error.code, error.code.http_status)
    return _STATUS_OF_REASON.get(error.reason, by_code)


def invalid_fields(errors: Mapping[str, str]) -> LecternError:
    """Values by field name that were understood but can't be accepted."""
    message = next(iter(errors.values()), "Something in the request isn't right.")
    return LecternError(Code.INVALID_ARGUMENT, message, reason=FIELDS_INVALID, details=errors)


def problem_response(request: web.Request, error: LecternError) -> web.Response:
    headers = {"Cache-Control": "private, no-store"}
    if RETRY_AFTER in error.details:
        headers["Retry-After"] = error.details[RETRY_AFTER]
    if http_status(error) == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="Lectern"'  # RFC 9110, 11.6.1
    fields = error.details if error.reason == FIELDS_INVALID else {}
    return _response(
        request,
        status=http_status(error),
        code=error.reason,
        detail=error.message,
        errors=[FieldProblem(field=name, message=message) for name, message in fields.items()],
        headers=headers,
        resets_at=error.details.get(RESETS_AT, ""),
    )


@web.middleware
async def _errors_as_problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except HTTPException as error:
        if error.status < 400:
            raise
        return _plain_http_problem(request, error)
    except ConnectionError:
        return web.Response(status=_CLIENT_GONE)  # nobody reads it
    except Exception as error:  # noqa: BLE001 - the edge: whatever it was, the browser gets the same shape
        return _cut(request, error) if request.get(_STARTED) else _told(request, error)


def _told(request: web.Request, error: Exception) -> web.Response:
    told = error if isinstance(error, LecternError) else _UNEXPECTED
    if told.code in {Code.INTERNAL, Code.UNKNOWN, Code.DATA_LOSS}:
        _log.error("request failed", code=told.reason, exc_info=error)
    return problem_response(request, told)


def _cut(request: web.Request, error: Exception) -> web.Response:
    """After the first byte, failure resets the connection: an answer cut short must not look whole."""
    _log.warning("a response was cut off", exc_info=error)
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=_CLIENT_GONE)


async def _note_start(request: web.Request, _response: web.StreamResponse) -> None:
    request[_STARTED] = True


def _plain_http_problem(request: web.Request, error: HTTPException) -> web.Response:
    return _response(
        request,
        status=error.status,
        code=CODE_OF_STATUS.get(error.status, f"HTTP_{error.status}"),
        detail=MESSAGE_OF_STATUS.get(error.status, "The request can't be answered."),
        errors=[],
        headers={"Allow": error.headers["Allow"]} if "Allow" in error.headers else {},
    )


def _response(
    request: web.Request,
    *,
    status: int,
    code: str,
    detail: str,
    errors: list[FieldProblem],
    headers: Mapping[str, str],
    resets_at: str = "",
) -> web.Response:
    body = ProblemBody(
        type="about:blank",
        title=_title(status),
        status=status,
        code=code,
        detail=detail,
        request_id=request_id(request),
        errors=errors,
        resets_at=resets_at,
    )
    return web.Response(
        status=status,
        body=body.model_dump_json(exclude_defaults=True).encode(),
        content_type="application/problem+json",
        headers=dict(headers),
    )


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"
