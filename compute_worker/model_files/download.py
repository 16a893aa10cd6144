"""One file from an address into a folder: resumed where an earlier try ended, checked before it counts."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout

from compute_worker.model_files.manifest import ModelFile
from shared.errors import Code, LecternError

_CHUNK_BYTES: Final = 1024 * 1024
# As long as bytes come; a model may be gigabytes over a slow line.
_TIMEOUT: Final = ClientTimeout(total=None, sock_connect=20, sock_read=60)

OnBytes = Callable[[int], Awaitable[None]]


async def fetch_small(session: ClientSession, url: str, *, most_bytes: int) -> bytes:
    """Raises MODEL_UNREACHABLE, MODEL_NOT_FOUND or MODEL_MANIFEST_INVALID."""
    try:
        async with session.get(url, timeout=_TIMEOUT, allow_redirects=True) as response:
            _check(response, url, {200})
            body = await response.content.read(most_bytes + 1)
            while len(body) <= most_bytes and (more := await response.content.read(most_bytes)):
                body += more
    except (ClientError, TimeoutError, OSError) as error:
        raise unreachable(url) from error
    if len(body) > most_bytes:
        raise LecternError(
            Code.FAILED_PRECONDITION, f"{url} is too large to be a list.", reason="MODEL_MANIFEST_INVALID"
        )
    return body


async def fetch_file(
    session: ClientSession, url: str, file: ModelFile, partial: Path, on_bytes: OnBytes
) -> None:
    """Completes `partial`, which may hold the beginning already; on_bytes is told how much is there.

    Raises MODEL_UNREACHABLE (what has arrived stays), MODEL_NOT_FOUND or MODEL_FILE_DAMAGED (nothing stays).
    """
    present = await asyncio.to_thread(_size_of, partial)
    await on_bytes(min(present, file.size_bytes))
    if present < file.size_bytes:
        async with _opened(session, url, present) as response:
            await _append(response, file, partial, on_bytes)
    if await asyncio.to_thread(_size_of, partial) < file.size_bytes:
        raise unreachable(url)  # cut off politely
    if await asyncio.to_thread(_sha256_of, partial) != file.sha256:
        await asyncio.to_thread(partial.unlink)
        raise LecternError(
            Code.DATA_LOSS,
            f"{url} is not the file that the model's manifest describes: its SHA-256 differs.",
            reason="MODEL_FILE_DAMAGED",
            retryable=False,
        )


@asynccontextmanager
async def _opened(session: ClientSession, url: str, present: int) -> AsyncIterator[ClientResponse]:
    """From the byte after those that are present on, if the server can do that."""
    headers = {"Range": f"bytes={present}-", "Accept-Encoding": "identity"} if present else {}
    try:
        async with session.get(url, headers=headers, timeout=_TIMEOUT) as response:
            _check(response, url, {200, 206})
            yield response
    except (ClientError, TimeoutError) as error:
        raise unreachable(url) from error


async def _append(response: ClientResponse, file: ModelFile, partial: Path, on_bytes: OnBytes) -> None:
    is_rest = response.status == 206
    with await asyncio.to_thread(partial.open, "ab" if is_rest else "wb") as target:
        present = target.tell()
        async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
            present += len(chunk)
            await asyncio.to_thread(target.write, chunk)
            if present > file.size_bytes:
                return  # too long is as wrong as anything else
            await on_bytes(present)


def _check(response: ClientResponse, url: str, good: set[int]) -> None:
    if response.status in {401, 403, 404, 410}:
        raise LecternError(
            Code.FAILED_PRECONDITION,
            f"There is no model file at {url} (HTTP {response.status}). Check the base address.",
            reason="MODEL_NOT_FOUND",
        )
    if response.status not in good:
        raise LecternError(
            Code.UNAVAILABLE, f"{url} answered {response.status}.", reason="MODEL_UNREACHABLE", retryable=True
        )


def unreachable(url: str) -> LecternError:
    return LecternError(
        Code.UNAVAILABLE,
        f"{url} could not be downloaded completely. What has arrived is kept for the next try.",
        reason="MODEL_UNREACHABLE",
        retryable=True,
    )


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
