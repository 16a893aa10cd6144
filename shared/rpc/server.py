"""The gRPC server of a process: servicers, health, reflection, bearer tokens, errors, request ids."""

import errno
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError, Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from structlog.contextvars import bound_contextvars

from shared.errors import Code, LecternError
from shared.rpc.invocation import streamed_answers, unary_answer
from shared.rpc.methods import Method, methods_of, service_of
from shared.rpc.request_ids import REQUEST_ID_HEADER, accepted_request_id
from shared.rpc.statuses import STATUS_DETAILS_KEY, grpc_code, status_of
from shared.rpc.tokens import TokenCheck, refused_token

MAX_REQUEST_BYTES: Final = 4 * 1024 * 1024
MAX_METADATA_BYTES: Final = 64 * 1024
_OPTIONS: Final = [
    ("grpc.so_reuseport", 0),  # a second server on the port must fail, not share it
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),  # our clients ping every 20 s
]
_HEALTH_PREFIX: Final = "/grpc.health.v1.Health/"

RpcContext: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


@dataclass(frozen=True)
class RunningServer:
    port: int
    health: Any

    async def set_serving(self, serving: bool) -> None:
        """What gRPC health answers for the server as a whole."""
        states = health_pb2.HealthCheckResponse
        await self.health.set("", states.SERVING if serving else states.NOT_SERVING)


@asynccontextmanager
async def serve_grpc(
    servicers: Sequence[object],
    *,
    token_check: TokenCheck,
    host: str,
    port: int,
    grace_seconds: float = 1.0,
    is_serving: bool = True,
) -> AsyncIterator[RunningServer]:
    """Serves until the block is left; calls still open after the grace are cancelled.

    is_serving: what gRPC health answers at first. Port 0 takes a free one.
    OSError (EADDRINUSE) when the port can't be had.
    """
    server = grpc.aio.server(interceptors=[_TokenInterceptor(token_check)], options=_OPTIONS)
    health_servicer = health.aio.HealthServicer()  # type: ignore[attr-defined]  # the stubs lack it
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    running = RunningServer(port=_bind(server, host, port), health=health_servicer)
    await running.set_serving(is_serving)
    names = [service_of(servicer).full_name for servicer in servicers]
    reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    for name, servicer in zip(names, servicers, strict=True):
        handlers = {method.descriptor.name: _handler(method) for method in methods_of(servicer)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
    await server.start()
    try:
        yield running
    finally:
        await health_servicer.enter_graceful_shutdown()
        await server.stop(grace_seconds)


def _bind(server: grpc.aio.Server, host: str, port: int) -> int:
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        return server.add_insecure_port(address)
    except RuntimeError as error:
        raise OSError(errno.EADDRINUSE, f"gRPC can't listen on {address}.") from error


class _TokenInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]  # not generic at run time
    def __init__(self, token_check: TokenCheck) -> None:
        self._token_check = token_check

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        method = handler_call_details.method
        if method.startswith(_HEALTH_PREFIX) or self._token_check(
            _first(handler_call_details.invocation_metadata, "authorization")
        ):
            return await continuation(handler_call_details)
        # A handler of this kind serves calls of every kind, and reads nothing of them.
        return grpc.stream_stream_rpc_method_handler(_refuse_token)


async def _refuse_token(_requests: object, context: RpcContext) -> None:
    request_id = accepted_request_id(_first(context.invocation_metadata(), REQUEST_ID_HEADER))
    await _abort(context, refused_token(), request_id)


def _handler(method: Method) -> Any:
    """Takes and gives bytes, so that a request that doesn't parse is refused by us and not by grpc."""

    async def unary(payload: bytes, context: RpcContext) -> bytes | None:
        async with _answering(context):
            answer = await unary_answer(method, _parsed(method, payload), context)
            return answer.SerializeToString()
        return None

    async def stream(payload: bytes, context: RpcContext) -> None:
        async with _answering(context), aclosing(_answers(method, payload, context)) as answers:
            async for answer in answers:
                await context.write(answer.SerializeToString())

    if method.streams:
        return grpc.unary_stream_rpc_method_handler(stream)
    return grpc.unary_unary_rpc_method_handler(unary)


def _answers(method: Method, payload: bytes, context: RpcContext) -> Any:
    return streamed_answers(method, _parsed(method, payload), context)


@asynccontextmanager
async def _answering(context: RpcContext) -> AsyncIterator[None]:
    request_id = accepted_request_id(_first(context.invocation_metadata(), REQUEST_ID_HEADER))
    context.set_trailing_metadata(((REQUEST_ID_HEADER, request_id),))
    with bound_contextvars(request_id=request_id):
        try:
            yield
        except LecternError as error:
            await _abort(context, error, request_id)


async def _abort(context: RpcContext, error: LecternError, request_id: str) -> None:
    status = status_of(error, request_id=request_id)
    trailing = (
        (REQUEST_ID_HEADER, request_id),
        (STATUS_DETAILS_KEY, status.SerializeToString()),
    )
    await context.abort(grpc_code(error.code), status.message, trailing)


def _parsed(method: Method, payload: bytes) -> Message:
    try:
        return method.request_type.FromString(payload)
    except DecodeError as error:
        name = method.descriptor.input_type.full_name
        raise LecternError(Code.INVALID_ARGUMENT, f"The request is not a {name} message.") from error


def _first(metadata: Any, key: str) -> str | None:
    for name, value in metadata or ():
        if name == key:
            return value if isinstance(value, str) else None
    return None
