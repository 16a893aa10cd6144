"""A grpc.aio channel whose calls carry the token, have deadlines, and fail with LecternError."""

import re
from collections.abc import Callable
from typing import Any, Final

import grpc

from shared.errors import Code, LecternError, code_of_number
from shared.rpc.calls import (
    MAX_ANSWER_BYTES,
    StreamCall,
    call_headers,
    deadline_passed,
    unreachable,
    untrusted,
)
from shared.rpc.server import MAX_METADATA_BYTES
from shared.rpc.statuses import STATUS_DETAILS_KEY, error_of_status

CHANNEL_OPTIONS: Final = [
    ("grpc.max_receive_message_length", MAX_ANSWER_BYTES),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.enable_http_proxy", 0),  # neighbours are called directly
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),  # a restarted neighbour is found again soon
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
]
# gRPC says it in no other way than in words.
_DISTRUST: Final = re.compile(
    r"CERTIFICATE_VERIFY_FAILED: ([\w -]+)|(Hostname Verification Check failed|Peer name \S+ is not in peer)"
)


class GrpcChannel:
    """Has the part of grpc.aio.Channel that generated stubs use."""

    def __init__(
        self, *, channel: grpc.aio.Channel, service: str, token: str, unary_deadline_seconds: float
    ) -> None:
        self._channel = channel
        self._service = service
        self._token = token
        self._unary_deadline_seconds = unary_deadline_seconds

    def unary_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes],
        response_deserializer: Callable[[bytes], Any],
        **_options: object,
    ) -> Any:
        multicallable = self._channel.unary_unary(method, request_serializer, response_deserializer)

        async def call(
            request: Any,
            timeout: float | None = None,  # noqa: ASYNC109  # grpc's signature
            metadata: Any = None,
            wait_for_ready: bool | None = None,
        ) -> Any:
            headers = call_headers(self._token, metadata)
            seconds = self._unary_deadline_seconds if timeout is None else timeout
            try:
                return await multicallable(
                    request, timeout=seconds, metadata=headers, wait_for_ready=wait_for_ready
                )
            except grpc.aio.AioRpcError as error:
                raise lectern_error(error, self._service, seconds) from error

        return call

    def unary_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes],
        response_deserializer: Callable[[bytes], Any],
        **_options: object,
    ) -> Any:
        multicallable = self._channel.unary_stream(method, request_serializer, response_deserializer)

        def call(request: Any, timeout: float | None = None, metadata: Any = None) -> GrpcStreamCall:
            headers = call_headers(self._token, metadata)
            return GrpcStreamCall(
                call=multicallable(request, timeout=timeout, metadata=headers),
                service=self._service,
                seconds=timeout,
            )

        return call


class GrpcStreamCall(StreamCall[Any]):
    def __init__(self, *, call: Any, service: str, seconds: float | None) -> None:
        super().__init__()
        self._call = call
        self._messages = aiter(call)
        self._service = service
        self._seconds = seconds

    async def _next(self) -> Any:
        try:
            return await anext(self._messages)
        except grpc.aio.AioRpcError as error:
            raise lectern_error(error, self._service, self._seconds) from error

    def _close(self) -> None:
        self._call.cancel()


def lectern_error(
    error: "grpc.aio.AioRpcError", service: str, deadline_seconds: float | None
) -> LecternError:
    trailing: Any = error.trailing_metadata()  # iterable pairs, whatever the stubs say
    for key, value in trailing or ():
        if key == STATUS_DETAILS_KEY and isinstance(value, bytes):
            sent = error_of_status(value)
            if sent is not None:
                return sent
    # grpc itself speaks: its texts are for its developers.
    code = code_of_number(error.code().value[0])
    if code is Code.UNAVAILABLE:
        distrust = _DISTRUST.search(error.details() or "")
        return untrusted(service, distrust[1] or distrust[2]) if distrust else unreachable(service)
    if code is Code.DEADLINE_EXCEEDED:
        return deadline_passed(service, deadline_seconds)
    return LecternError(code, error.details() or f"The service at {service} answered {code.name}.")
