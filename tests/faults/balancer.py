"""What stands before several servers: it passes connections on to one that is well, and cuts the others'."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

LOOK_SECONDS = 0.3
PATIENCE_SECONDS = 1.0
CHUNK_BYTES = 64 * 1024


@dataclass
class Backend:
    port: int
    health_url: str
    is_well: bool = True
    connections: set[asyncio.StreamWriter] = field(default_factory=set)


class Balancer:
    def __init__(self, backends: Sequence[Backend], *, chance: random.Random) -> None:
        self._backends = backends
        self._chance = chance

    @asynccontextmanager
    async def serving(self, port: int) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", port, backlog=512)
        looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            looking.cancel()
            server.close()
            for backend in self._backends:
                cut(backend)
            await asyncio.gather(looking, return_exceptions=True)

    async def _look(self) -> None:
        timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout) as http:
            while True:
                await asyncio.gather(*(self._look_at(http, backend) for backend in self._backends))
                await asyncio.sleep(LOOK_SECONDS)

    async def _look_at(self, http: aiohttp.ClientSession, backend: Backend) -> None:
        try:
            async with http.get(backend.health_url) as answer:
                backend.is_well = answer.status == 200
        except (aiohttp.ClientError, OSError, TimeoutError):
            backend.is_well = False
        if not backend.is_well:
            cut(backend)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        well = [backend for backend in self._backends if backend.is_well]
        for backend in self._chance.sample(well, len(well)):
            try:
                there, back = await asyncio.open_connection("127.0.0.1", backend.port)
            except OSError:
                continue
            backend.connections |= {writer, back}
            try:
                await asyncio.gather(pump(reader, back), pump(there, writer))
            finally:
                backend.connections -= {writer, back}
                writer.transport.abort()
                back.transport.abort()
            return
        writer.transport.abort()


def cut(backend: Backend) -> None:
    for writer in list(backend.connections):
        writer.transport.abort()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Until the end, which is passed on; a break is passed on as a break."""
    try:
        while chunk := await reader.read(CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
        with contextlib.suppress(OSError):
            writer.write_eof()
    except OSError:
        writer.transport.abort()
