"""Opens a channel to a neighbour by its address: gRPC or the HTTP gateway, for the same stubs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, cast
from urllib.parse import urlsplit

import aiohttp
import grpc

from shared.rpc.calls import UNARY_DEADLINE_SECONDS
from shared.rpc.gateway_channel import GatewayChannel
from shared.rpc.grpc_channel import CHANNEL_OPTIONS, GrpcChannel
from shared.rpc.trust import tls_context, trusted_roots

_GRPC_TLS_PORT: Final = 443


@asynccontextmanager
async def open_channel(
    url: str, token: str, *, unary_deadline_seconds: float = UNARY_DEADLINE_SECONDS
) -> AsyncIterator[grpc.aio.Channel]:
    """A channel for generated stubs: XServiceStub(channel).Method(request, timeout=...).

    grpc://host:port, grpcs://host[:port], http(s)://host[:port][/prefix]. Nothing connects before the
    first call. Every call carries the token and the present request id; a unary call has the deadline
    unless it names its own. Failures are LecternErrors on both transports.

    Of grpc.aio's calls the stubs' results have `await` (unary), `async for` and `cancel()` (stream).
    ValueError for an address of another form.
    """
    parts = urlsplit(url)
    if parts.scheme in ("grpc", "grpcs"):
        async with _grpc_channel(parts.scheme, _target(url)) as channel:
            grpc_channel = GrpcChannel(
                channel=channel,
                service=_target(url),
                token=token,
                unary_deadline_seconds=unary_deadline_seconds,
            )
            yield cast("grpc.aio.Channel", grpc_channel)
    elif parts.scheme in ("http", "https") and parts.hostname:
        # No limit: every open stream holds a connection.
        connector = aiohttp.TCPConnector(limit=0, ssl=tls_context() if parts.scheme == "https" else True)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
            gateway_channel = GatewayChannel(
                session=session, address=url, token=token, unary_deadline_seconds=unary_deadline_seconds
            )
            yield cast("grpc.aio.Channel", gateway_channel)
    else:
        raise ValueError("A service address starts with grpc://, grpcs://, http:// or https://.")


def _grpc_channel(scheme: str, target: str) -> grpc.aio.Channel:
    if scheme == "grpcs":
        credentials = grpc.ssl_channel_credentials(trusted_roots())
        return grpc.aio.secure_channel(target, credentials, options=CHANNEL_OPTIONS)
    return grpc.aio.insecure_channel(target, options=CHANNEL_OPTIONS)


def _target(url: str) -> str:
    parts = urlsplit(url)
    port = parts.port or (_GRPC_TLS_PORT if parts.scheme == "grpcs" else None)
    if not parts.hostname or port is None or parts.path not in ("", "/"):
        raise ValueError("A gRPC address has the form grpc://host:port.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{port}"
