"""Bytes that a server sends: as fast as it can, and at the pace of listening."""

import asyncio
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

BYTES_PER_SECOND = 8000  # of the stream, in real time
CHUNK_BYTES = 1 << 20
RECEIVE_BUFFER_BYTES = 32 * 1024
CONNECT_AT_ONCE = 50
UNDERRUN_SECONDS = 1.0  # what a browser has ahead at the very least


async def rate(url: str, *, seconds: float) -> float:
    """Bytes per second of whole answers, one after the other, on one connection each."""
    received, began = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        reader, writer = await _asked(url)
        while chunk := await reader.read(CHUNK_BYTES):
            received += len(chunk)
        writer.close()
    return received / elapsed


@dataclass
class Pace:
    """How listeners at real-time pace fared."""

    listeners: int
    underruns: int


async def listen_at_pace(urls: list[str], *, seconds: float) -> Pace:
    """One listener for each address, who takes a second of sound every second."""
    gate = asyncio.Semaphore(CONNECT_AT_ONCE)

    async def listen(url: str) -> int:
        async with gate:
            reader, writer = await _asked(url, limit=RECEIVE_BUFFER_BYTES)
            await reader.readuntil(b"\r\n\r\n")
        began, received, underruns = time.perf_counter(), 0, 0
        try:
            while (elapsed := time.perf_counter() - began) < seconds:
                try:
                    async with asyncio.timeout(UNDERRUN_SECONDS):
                        received += len(await reader.read(BYTES_PER_SECOND))
                except TimeoutError:
                    underruns += 1
                await asyncio.sleep(max(0.0, received / BYTES_PER_SECOND - elapsed - UNDERRUN_SECONDS))
        finally:
            writer.transport.abort()
        return underruns

    return Pace(len(urls), sum(await asyncio.gather(*(listen(url) for url in urls))))


async def _asked(url: str, *, limit: int = CHUNK_BYTES) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection("127.0.0.1", parts.port, limit=limit)
    address = f"{parts.path}?{parts.query}" if parts.query else parts.path
    writer.write(f"GET {address} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
    await writer.drain()
    return reader, writer
