"""The HTTP/JSON gateway behind the shape of a grpc.aio channel, so that generated stubs work over it."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import aiohttp
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import Message
from yarl import URL

from shared.errors import Code, LecternError
from shared.rpc.bindings import HttpBinding, bindings_of
from shared.rpc.calls import (
    MAX_ANSWER_BYTES,
    StreamCall,
    call_headers,
    deadline_passed,
    unreachable,
    untrusted,
)
from shared.rpc.event_stream import ERROR_EVENT, HEARTBEAT_SECONDS, ReceivedEvent, received_events
from shared.rpc.statuses import error_of_json
from shared.rpc.transcoding import http_of_message, message_of_json

# A stream that is silent for three heartbeats has lost its server.
_SILENCE_SECONDS: Final = 3 * HEARTBEAT_SECONDS
_MAX_LINE_BYTES: Final = 4 * 1024 * 1024


class GatewayChannel:
    """Has the part of grpc.aio.Channel that generated stubs use.

    The address is the gateway's origin, with a path prefix if it has one. The full address of a
    method without path variables is understood too: COMPUTE_CREDENTIAL_BROKER_URL is one.
    """

    def __init__(
        self, *, session: aiohttp.ClientSession, address: str, token: str, unary_deadline_seconds: float
    ) -> None:
        self._session = session
        self._address = URL(address)
        self._token = token
        self._unary_deadline_seconds = unary_deadline_seconds

    def unary_unary(self, method: str, **_codecs: object) -> Any:
        binding, answer_type = _resolved(method)

        async def call(
            request: Message,
            timeout: float | None = None,  # noqa: ASYNC109  # grpc's signature
            metadata: Any = None,
            **_grpc_only: object,
        ) -> Any:
            seconds = self._unary_deadline_seconds if timeout is None else timeout
            with self._failures_translated(seconds):
                async with asyncio.timeout(seconds), self._send(request, binding, metadata) as response:
                    body = await _whole(response)
            return message_of_json(body, answer_type())

        return call

    def unary_stream(self, method: str, **_codecs: object) -> Any:
        binding, answer_type = _resolved(method)

        def call(request: Message, timeout: float | None = None, metadata: Any = None) -> GatewayStreamCall:
            return GatewayStreamCall(
                open_response=lambda: self._send(request, binding, metadata, seconds=timeout),
                failures_translated=lambda: self._failures_translated(timeout),
                answer_type=answer_type,
            )

        return call

    def _send(
        self, request: Message, binding: HttpBinding, metadata: Any, *, seconds: float | None = None
    ) -> Any:
        path, query, body = http_of_message(request, binding)
        return self._session.request(
            binding.verb,
            self._url(path, query),
            data=io.BytesIO(body) if body else None,
            headers=[*call_headers(self._token, metadata), ("content-type", "application/json")],
            timeout=aiohttp.ClientTimeout(total=seconds, sock_read=_SILENCE_SECONDS),
            allow_redirects=False,  # the token is for this address only
        )

    def _url(self, path: str, query: list[tuple[str, str]]) -> URL:
        prefix = self._address.raw_path.rstrip("/").removesuffix(path)
        encoded = URL.build(query=query).raw_query_string if query else ""
        text = f"{self._address.origin()}{prefix}{path}" + (f"?{encoded}" if encoded else "")
        return URL(text, encoded=True)  # a path value may hold an encoded slash or dot

    @contextmanager
    def _failures_translated(self, seconds: float | None) -> Iterator[None]:
        service = str(self._address.origin())
        try:
            yield
        except aiohttp.SocketTimeoutError as error:
            raise unreachable(service) from error
        except TimeoutError as error:
            raise deadline_passed(service, seconds) from error
        except aiohttp.ClientConnectorCertificateError as error:
            why = getattr(error.certificate_error, "verify_message", "")
            raise untrusted(service, why or type(error.certificate_error).__name__) from error
        except (aiohttp.ClientError, ConnectionError) as error:
            raise unreachable(service) from error


class GatewayStreamCall(StreamCall[Any]):
    def __init__(
        self,
        *,
        open_response: Callable[[], Any],
        failures_translated: Callable[[], Any],
        answer_type: type[Message],
    ) -> None:
        super().__init__()
        self._response: aiohttp.ClientResponse | None = None
        self._open_response = open_response
        self._failures_translated = failures_translated
        self._answer_type = answer_type
        self._events: AsyncIterator[ReceivedEvent] | None = None

    async def _next(self) -> Any:
        try:
            with self._failures_translated():
                event = await self._next_event()
            if event.name == ERROR_EVENT:
                raise error_of_json(_json(event.data), http_status=500)
            return message_of_json(event.data.encode(), self._answer_type())
        except BaseException:
            self._close()
            raise

    async def _next_event(self) -> ReceivedEvent:
        if self._events is None:
            self._response = await self._open_response()
            if self._response.status != 200:
                await _whole(self._response)
            self._events = received_events(_lines(self._response))
        return await anext(self._events)

    def _close(self) -> None:
        if self._response is not None:
            self._response.close()

    def __del__(self) -> None:
        self._close()  # a loop left by break; grpc's calls do the same


def _resolved(method: str) -> tuple[HttpBinding, type[Message]]:
    """The main binding and the answer's type of "/package.Service/Method"."""
    descriptor = descriptor_pool.Default().FindMethodByName(method.strip("/").replace("/", "."))
    bindings = bindings_of(descriptor)
    if not bindings:
        raise TypeError(f"{method} has no google.api.http annotation")
    return bindings[0], message_factory.GetMessageClass(descriptor.output_type)


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    """The body of a good answer; a LecternError for any other."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise LecternError(Code.RESOURCE_EXHAUSTED, "The answer is too large.", retryable=False)
    if response.status != 200:
        response.release()
        raise error_of_json(_json(bytes(body)), http_status=response.status)
    return bytes(body)


async def _lines(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    while line := await response.content.readline(max_line_length=_MAX_LINE_BYTES):
        yield line


def _json(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
