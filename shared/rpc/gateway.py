"""HTTP/JSON in front of the servicer objects that also serve gRPC, by their google.api.http annotations.

In the same process, without a second hop. Everything needs the bearer token.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast

import structlog
from aiohttp import web
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from structlog.contextvars import bound_contextvars

from shared.errors import Code, LecternError
from shared.rpc.bindings import HttpBinding, bindings_of
from shared.rpc.connections import while_connected
from shared.rpc.event_stream import HEARTBEAT_SECONDS, send_events
from shared.rpc.invocation import INTERNAL_MESSAGE, CallContext, streamed_answers, unary_answer
from shared.rpc.methods import Method, methods_of
from shared.rpc.request_ids import REQUEST_ID_HEADER, accepted_request_id
from shared.rpc.server import MAX_REQUEST_BYTES
from shared.rpc.statuses import json_of
from shared.rpc.tokens import TokenCheck, refused_token
from shared.rpc.transcoding import json_bytes, message_of_http

RESUMPTION_FIELD: Final = "after_event_id"
_LAST_EVENT_ID: Final = "Last-Event-ID"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class GatewayLimits:
    max_body_bytes: int = MAX_REQUEST_BYTES
    # For callers that don't give up by themselves; ours do earlier.
    unary_seconds: float = 60.0
    heartbeat_seconds: float = HEARTBEAT_SECONDS


def add_gateway(
    app: web.Application,
    servicers: Sequence[object],
    *,
    token_check: TokenCheck,
    limits: GatewayLimits | None = None,
) -> None:
    """Adds a route for every binding of every method. Open streams end when the app shuts down."""
    gateway = _Gateway(token_check=token_check, limits=limits or GatewayLimits())
    for servicer in servicers:
        for method in methods_of(servicer):
            for binding in bindings_of(method.descriptor):
                app.router.add_route(binding.verb, binding.route, gateway.handler(method, binding))
    app.on_shutdown.append(gateway.close)


@dataclass(frozen=True, kw_only=True)
class _Gateway:
    token_check: TokenCheck
    limits: GatewayLimits
    open_streams: set["asyncio.Task[Any]"] = field(default_factory=set)

    def handler(self, method: Method, binding: HttpBinding) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            request_id = accepted_request_id(request.headers.get(REQUEST_ID_HEADER))
            with bound_contextvars(request_id=request_id):
                try:
                    return await self._answer(request, method, binding, request_id)
                except LecternError as error:
                    return _refusal(error, request_id)
                except ConnectionError:
                    return web.Response(status=Code.CANCELLED.http_status)  # nobody reads it
                except Exception:  # noqa: BLE001  # the request's edge
                    _log.exception("gateway failed unexpectedly", method=method.path)
                    return _refusal(LecternError(Code.INTERNAL, INTERNAL_MESSAGE), request_id)

        return handle

    async def close(self, _app: web.Application) -> None:
        for task in self.open_streams:
            task.cancel()

    async def _answer(
        self, request: web.Request, method: Method, binding: HttpBinding, request_id: str
    ) -> web.StreamResponse:
        if not self.token_check(request.headers.get("Authorization")):
            raise refused_token()
        message = message_of_http(
            method.request_type(),
            binding,
            path_values=list(request.match_info.values()),
            query=request.query.items(),
            body=await _body(request, self.limits.max_body_bytes),
        )
        context = CallContext(
            metadata=tuple((key.lower(), value) for key, value in request.headers.items()),
            peer=f"http:{request.remote}",
        )
        if not method.streams:
            answer = await self._unary(request, method, message, context)
            return _json_response(200, json_bytes(answer), request_id)
        _resume(request, message)
        with self._stream_open():
            return await self._stream(request, method, message, context, request_id)

    async def _unary(
        self, request: web.Request, method: Method, message: Message, context: CallContext
    ) -> Message:
        try:
            async with asyncio.timeout(self.limits.unary_seconds):
                return await while_connected(request, lambda: unary_answer(method, message, context))
        except TimeoutError as error:
            raise LecternError(
                Code.DEADLINE_EXCEEDED, f"No answer within {self.limits.unary_seconds:g} s."
            ) from error

    async def _stream(
        self, request: web.Request, method: Method, message: Message, context: CallContext, request_id: str
    ) -> web.StreamResponse:
        async def send() -> web.StreamResponse:
            async with aclosing(streamed_answers(method, message, context)) as answers:
                return await send_events(
                    request, answers, request_id=request_id, heartbeat_seconds=self.limits.heartbeat_seconds
                )

        return await while_connected(request, send)

    @contextmanager
    def _stream_open(self) -> Iterator[None]:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # a handler always runs in one
        self.open_streams.add(task)
        try:
            yield
        finally:
            self.open_streams.discard(task)


async def _body(request: web.Request, max_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > max_bytes:
            raise LecternError(
                Code.RESOURCE_EXHAUSTED,
                f"The request is larger than {max_bytes} bytes.",
                reason="REQUEST_TOO_LARGE",
                retryable=False,
            )
    return bytes(body)


def _resume(request: web.Request, message: Message) -> None:
    """Last-Event-ID overrides the query, which an EventSource repeats as it was at first."""
    presented = request.headers.get(_LAST_EVENT_ID)
    if not presented or RESUMPTION_FIELD not in cast("Descriptor", message.DESCRIPTOR).fields_by_name:
        return
    try:
        setattr(message, RESUMPTION_FIELD, int(presented))
    except ValueError as error:
        raise LecternError(
            Code.INVALID_ARGUMENT, f"{_LAST_EVENT_ID} must be the id of an event of this stream."
        ) from error


def _refusal(error: LecternError, request_id: str) -> web.Response:
    response = web.json_response(json_of(error, request_id=request_id), status=error.code.http_status)
    response.headers.update({REQUEST_ID_HEADER: request_id, "Cache-Control": "no-store"})
    if error.code is Code.UNAUTHENTICATED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _json_response(status: int, body: bytes, request_id: str) -> web.Response:
    # no-store: among the answers are credentials.
    headers = {REQUEST_ID_HEADER: request_id, "Cache-Control": "no-store"}
    return web.Response(status=status, body=body, content_type="application/json", headers=headers)
