"""Ways into a library other than an upload: pasted text, a web page, a file in a folder of the server."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import BinaryIO, Final, Literal

from app_server.compute_limits.caller import Caller
from app_server.imports.page_fetcher import PageFetcher
from app_server.imports.server_folders import ServerFolders
from app_server.library.formats import DocumentFormat
from app_server.library.model import Added
from app_server.library.service import LibraryService
from app_server.library.uploads import UploadReceiver
from app_server.site_features.ports import FeatureReader
from shared.errors import Code, LecternError

TextKind = Literal["text", "markdown"]
_SUFFIX: Final[dict[TextKind, str]] = {"text": ".txt", "markdown": ".md"}
_FORMAT: Final[dict[TextKind, DocumentFormat]] = {
    "text": DocumentFormat.TEXT,
    "markdown": DocumentFormat.MARKDOWN,
}
_MOST_TITLE_CHARACTERS: Final = 80
_CHUNK_BYTES: Final = 256 * 1024
_PAGES_AT_ONCE: Final = 8


class ImportService:
    def __init__(
        self,
        *,
        library: LibraryService,
        receiver: UploadReceiver,
        features: FeatureReader,
        fetcher: PageFetcher,
        folders: ServerFolders,
    ) -> None:
        self._library = library
        self._receiver = receiver
        self._features = features
        self._fetcher = fetcher
        self._folders = folders
        self._fetching = asyncio.Semaphore(_PAGES_AT_ONCE)

    async def add_text(self, caller: Caller, text: str, *, title: str, kind: TextKind) -> Added:
        """Without a title its first line stands for one. Raises TEXT_EMPTY."""
        if not text.strip():
            raise LecternError(Code.INVALID_ARGUMENT, "There is no text in this.", reason="TEXT_EMPTY")
        name = " ".join(title.split()) or _first_line(text, kind)
        return await self._add(
            caller,
            _one(text.encode()),
            file_name=f"{_without_slashes(name)}{_SUFFIX[kind]}",
            document_format=_FORMAT[kind],
            title=name,
        )

    async def add_page(self, caller: Caller, address: str) -> Added:
        """Raises what PageFetcher does."""
        async with self._fetching:
            page = await self._fetcher.fetch(address)
        return await self._add(
            caller,
            _one(page.content),
            file_name=_without_slashes(page.file_name),
            document_format=page.format,
            source_url=page.url,
        )

    async def add_file(self, caller: Caller, root: int, path: str) -> Added:
        """Raises what ServerFolders and uploads do."""
        file = await asyncio.to_thread(self._folders.open_file, root, path)
        try:
            return await self._add(caller, _chunks(file), file_name=path)
        finally:
            await asyncio.to_thread(file.close)

    async def _add(
        self,
        caller: Caller,
        chunks: AsyncIterator[bytes],
        *,
        file_name: str,
        document_format: DocumentFormat | None = None,
        title: str | None = None,
        source_url: str | None = None,
    ) -> Added:
        """document_format: what it is taken for, where its first bytes aren't asked."""
        max_bytes = (await self._features.current()).max_upload_bytes
        async with self._receiver.receive(chunks, file_name=file_name, max_bytes=max_bytes) as received:
            file = replace(received, format=document_format or received.format)
            return await self._library.add(caller, file, title=title, source_url=source_url)


async def _one(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _chunks(file: BinaryIO) -> AsyncIterator[bytes]:
    while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
        yield chunk


def _first_line(text: str, kind: TextKind) -> str:
    line = " ".join(text.lstrip().split("\n", 1)[0].split())
    if kind == "markdown":
        line = line.lstrip("#").strip() or line
    if len(line) <= _MOST_TITLE_CHARACTERS:
        return line
    return line[:_MOST_TITLE_CHARACTERS].rpartition(" ")[0] + "…"


def _without_slashes(name: str) -> str:
    """What stands before the last one would be taken for folders."""
    return name.replace("/", "-").replace("\\", "-")
