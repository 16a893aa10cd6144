"""The "document" operation: from a stored file to stored artifacts."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from compute_worker.documents.artifacts import (
    RESOURCE_TYPES,
    UNLOCKED_NAME,
    document_key,
    reading_ref_of,
    source_key,
    unlocked_key,
)
from compute_worker.documents.layout_models import LayoutModels
from compute_worker.documents.parser_process import ParserProcess
from compute_worker.documents.passwords import EARLIER_ARGUMENT, SEALED_ARGUMENT, DocumentPasswords
from compute_worker.operations.ports import Job, ProgressReporter
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore
from shared.readings import password_name_in

FORMATS: Final = frozenset({"docx", "epub", "html", "markdown", "text", "pdf", "web_page"})
_UPLOADS_AT_ONCE: Final = 8
_CONTENT_TYPES: Final = {**RESOURCE_TYPES, "pdf": "application/pdf"}


class DocumentHandler:
    def __init__(
        self,
        *,
        store: ObjectStore,
        parser: ParserProcess,
        passwords: DocumentPasswords,
        layout_models: LayoutModels | None = None,
        temporary_folder: Path | None = None,
    ) -> None:
        """layout_models: None where PDFs are laid out by geometry alone."""
        self._store = store
        self._layout_models = layout_models
        self._parser = parser
        self._passwords = passwords
        self._temporary_folder = temporary_folder

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        """Arguments: sha256, format, file_name and, sealed, the password; or instead of it the reference of
        what it opened before. Returns the reading reference."""
        sha256, source_format = str(job.arguments.get("sha256", "")), str(job.arguments.get("format", ""))
        if source_format not in FORMATS or not _is_sha256(sha256):
            raise LecternError(
                Code.INVALID_ARGUMENT, "Files of this kind cannot be read.", reason="FORMAT_UNSUPPORTED"
            )
        sealed = str(job.arguments.get(SEALED_ARGUMENT, ""))
        password = self._passwords.unseal(sealed, sha256) if sealed else ""
        earlier_ref = str(job.arguments.get(EARLIER_ARGUMENT, ""))
        unlocked = unlocked_key(earlier_ref) if earlier_ref else ""
        reading_ref = reading_ref_of(
            sha256,
            source_format,
            password_name=self._passwords.name(password, sha256)
            if password
            else password_name_in(earlier_ref),
        )
        if await self._store.info(document_key(reading_ref)) is not None:
            return reading_ref
        with tempfile.TemporaryDirectory(prefix="lectern-document-", dir=self._temporary_folder) as name:
            source, artifacts = Path(name) / "source", Path(name) / "artifacts"
            artifacts.mkdir()
            await self._download(unlocked or source_key(sha256), source, progress)
            options = await self._pdf_options(password, progress) if source_format == "pdf" else {}
            await self._parser.parse(
                options=options,
                path=source,
                folder=artifacts,
                source_format=source_format,
                file_name=str(job.arguments.get("file_name", "")),
                on_progress=lambda phase, done, total: progress.report(phase=phase, done=done, total=total),
            )
            if unlocked:
                await self._store.copy(unlocked, unlocked_key(reading_ref))
            await self._upload(artifacts, reading_ref, progress)
        return reading_ref

    async def _pdf_options(self, password: str, progress: ProgressReporter) -> Mapping[str, str | float]:
        options = {} if self._layout_models is None else dict(await self._layout_models.options(progress))
        return options | {"password": password} if password else options

    async def _download(self, key: str, target: Path, progress: ProgressReporter) -> None:
        await progress.report(phase="fetching", done=0)
        file = await asyncio.to_thread(target.open, "wb")
        try:
            async for chunk in self._store.stream(key):
                await asyncio.to_thread(file.write, chunk)
        finally:
            await asyncio.to_thread(file.close)

    async def _upload(self, folder: Path, reading_ref: str, progress: ProgressReporter) -> None:
        """The document last: where it is, the rest is."""
        resources = await asyncio.to_thread(_files, folder / "resources")
        sections = await asyncio.to_thread(_files, folder / "sections")
        unlocked = [folder / UNLOCKED_NAME] if (folder / UNLOCKED_NAME).exists() else []
        done, total = 0, len(resources) + len(sections) + len(unlocked) + 1
        slots = asyncio.Semaphore(_UPLOADS_AT_ONCE)

        async def put(path: Path) -> None:
            nonlocal done
            async with slots:
                name = str(path.relative_to(folder))
                await self._put(f"{reading_ref}{name}", path)
            done += 1
            await progress.report(phase="storing", done=done, total=total)

        for files in (resources, sections, unlocked, [folder / "document.json.gz"]):
            try:
                async with asyncio.TaskGroup() as tasks:
                    for path in files:
                        tasks.create_task(put(path))
            except* LecternError as group:
                raise _first(group) from group

    async def _put(self, key: str, path: Path) -> None:
        content_type = _CONTENT_TYPES.get(path.suffix.lstrip("."), "application/gzip")
        with path.open("rb") as file:
            await self._store.put_stream(key, _chunks(file), content_type=content_type)


async def _chunks(file: BinaryIO) -> AsyncIterator[bytes]:
    while chunk := await asyncio.to_thread(file.read, 1024 * 1024):
        yield chunk


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())


def _is_sha256(value: str) -> bool:
    return len(value) == 64 and set(value) <= set("0123456789abcdef")


def _first(group: ExceptionGroup[LecternError]) -> LecternError:
    error = group.exceptions[0]
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
