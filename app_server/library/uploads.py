"""Receiving a file: streamed to a temporary object while it is recognized, hashed and counted; or adopting
one that a browser has put into the store itself."""

import asyncio
import hashlib
import secrets
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from app_server.compute_limits.refusals import LIMIT_PROBLEMS
from app_server.library.formats import SNIFF_BYTES, DocumentFormat, recognized_format
from app_server.library.upload_tickets import UploadTicket
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore

UPLOADS_PREFIX = "uploads/"
# What may be wrong with a file that comes through the app.
UPLOAD_PROBLEMS = (
    *LIMIT_PROBLEMS,
    "FILE_EMPTY",
    "FILE_MISSING",
    "FILE_TOO_LARGE",
    "FORMAT_UNSUPPORTED",
    "MEDIA_TYPE_UNSUPPORTED",
    "UPLOAD_INCOMPLETE",
)
_FILE_NAME_BYTES = 255
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ReceivedFile:
    temporary_key: str
    file_name: str
    format: DocumentFormat
    sha256: str
    size_bytes: int


class UploadReceiver:
    def __init__(self, *, objects: ObjectStore) -> None:
        self._objects = objects

    @asynccontextmanager
    async def receive(
        self, chunks: AsyncIterator[bytes], *, file_name: str, max_bytes: int
    ) -> AsyncIterator[ReceivedFile]:
        """The temporary object is gone after the block, whatever happened.

        Raises FILE_EMPTY, FILE_TOO_LARGE or FORMAT_UNSUPPORTED.
        """
        name = cleaned_file_name(file_name)
        start, rest = await _start_of(chunks)
        if not start:
            raise LecternError(Code.INVALID_ARGUMENT, "This file is empty.", reason="FILE_EMPTY")
        document_format = recognized_format(start, name)
        key = new_upload_key()
        digest = hashlib.sha256()
        try:
            counted = _counted(start, rest, digest, max_bytes)
            size_bytes = await self._objects.put_stream(key, counted, content_type="application/octet-stream")
            yield ReceivedFile(key, name, document_format, digest.hexdigest(), size_bytes)
        finally:
            await self._delete(key)

    @asynccontextmanager
    async def adopt(self, ticket: UploadTicket, *, sha256: str | None) -> AsyncIterator[ReceivedFile]:
        """It's copied before it is looked at: who holds the upload's address may still write there, and
        what has been hashed must be what is kept. After the block both objects are gone, except where
        asking again may help.

        Raises what receive does, and UPLOAD_INCOMPLETE or UPLOAD_DAMAGED when it isn't the file announced.
        """
        key = new_upload_key()
        try:
            await self._copy(ticket, key)
            start, rest = await _start_of(self._objects.stream(key))
            document_format = recognized_format(start, ticket.file_name)
            digest, size_bytes = hashlib.sha256(), 0
            async for chunk in _counted(start, rest, digest, ticket.size_bytes):
                size_bytes += len(chunk)
            if size_bytes != ticket.size_bytes:
                raise upload_incomplete()
            if sha256 not in {None, digest.hexdigest()}:
                raise _damaged()
            yield ReceivedFile(key, ticket.file_name, document_format, digest.hexdigest(), size_bytes)
        except LecternError as error:
            if not error.retryable:
                await self._delete(ticket.key)
            raise
        else:
            await self._delete(ticket.key)
        finally:
            await self._delete(key)

    async def _copy(self, ticket: UploadTicket, key: str) -> None:
        found = await self._objects.info(ticket.key)
        if found is None or found.size_bytes != ticket.size_bytes:
            raise upload_incomplete()
        try:
            await self._objects.copy(ticket.key, key)
        except ObjectNotFoundError as error:
            raise upload_incomplete() from error

    async def _delete(self, key: str) -> None:
        try:
            # To the end, even if the request is being cancelled.
            await asyncio.shield(self._objects.delete(key))
        except LecternError as error:
            _log.warning("a temporary upload stays behind", key=key, reason=error.reason)


def new_upload_key() -> str:
    return f"{UPLOADS_PREFIX}{secrets.token_hex(16)}"


def cleaned_file_name(name: str) -> str:
    """Without folders and control characters, at most 255 bytes."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    visible = "".join(c for c in last if unicodedata.category(c) not in {"Cc", "Cs"}).strip()
    cut = visible.encode("utf-8", "ignore")
    if len(cut) > _FILE_NAME_BYTES:
        stem, dot, suffix = visible.rpartition(".")
        ending = f"{dot}{suffix}" if stem and len(suffix) <= 16 else ""
        room = _FILE_NAME_BYTES - len(ending.encode())
        visible = cut[:room].decode("utf-8", "ignore") + ending
    return visible or "Untitled"


def title_of_file(name: str) -> str:
    """What a document is called until its own title is known."""
    stem = name.rpartition(".")[0] or name
    return " ".join(stem.replace("_", " ").split()) or name


async def _start_of(chunks: AsyncIterator[bytes]) -> tuple[bytes, AsyncIterator[bytes]]:
    start = bytearray()
    async for chunk in chunks:
        start += chunk
        if len(start) >= SNIFF_BYTES:
            break
    return bytes(start), chunks


async def _counted(
    start: bytes, rest: AsyncIterator[bytes], digest: "hashlib._Hash", max_bytes: int
) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in _joined(start, rest):
        size += len(chunk)
        if size > max_bytes:
            raise too_large(max_bytes)
        digest.update(chunk)
        yield chunk


async def _joined(start: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield start
    async for chunk in rest:
        yield chunk


def upload_incomplete() -> LecternError:
    return LecternError(
        Code.INVALID_ARGUMENT, "The upload was cut off. Send the file again.", reason="UPLOAD_INCOMPLETE"
    )


def _damaged() -> LecternError:
    return LecternError(
        Code.INVALID_ARGUMENT, "The file was damaged on its way. Send it again.", reason="UPLOAD_DAMAGED"
    )


def too_large(max_bytes: int) -> LecternError:
    return LecternError(
        Code.INVALID_ARGUMENT,
        f"This file is larger than the {max_bytes // (1024 * 1024)} MB that this instance accepts.",
        reason="FILE_TOO_LARGE",
    )
