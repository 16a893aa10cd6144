"""Whether a child serves: a real request, and any answer of the wanted kind."""

import asyncio
from collections.abc import Awaitable, Callable

_PROBE_SECONDS = 2.0


Probe = Callable[[], Awaitable[bool]]


def reachable_host(bind_host: str) -> str:
    """Where something that listens on all interfaces is reached from here."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(bind_host, bind_host)


def answers_http(host: str, port: int, path: str, *, any_status: bool = False) -> Probe:
    """By status 200, or by any status where each one proves that the server is up."""

    async def probe() -> bool:
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                status_line = await _status_line(host, port, path)
        except (OSError, TimeoutError):
            return False
        return status_line.startswith(b"HTTP/1.") and (any_status or status_line[8:].startswith(b" 200"))

    return probe


async def _status_line(host: str, port: int, path: str) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        return await reader.readline()
    finally:
        writer.close()
