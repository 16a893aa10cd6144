"""Models on this machine: downloaded once, whoever asks, and either there completely or not at all."""

import asyncio
import fcntl
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from aiohttp import ClientSession

from compute_worker.model_files.download import fetch_file, fetch_small
from compute_worker.model_files.manifest import (
    MANIFEST_NAME,
    MOST_MANIFEST_BYTES,
    Manifest,
    ModelFile,
    read_manifest,
)
from shared.errors import Code, LecternError

MOST_MODEL_BYTES: Final = 8 * 2**30
_LOCK_POLL_SECONDS: Final = 0.25
_log = structlog.get_logger(__name__)

OnProgress = Callable[[int, int], Awaitable[None]]


@dataclass(frozen=True)
class InstalledModel:
    folder: Path
    manifest: Manifest


class ModelFolder:
    """One model under one base address. Other processes of this machine may use the same folder."""

    def __init__(
        self,
        *,
        folder: Path,
        base_url: str,
        session: ClientSession,
        most_bytes: int = MOST_MODEL_BYTES,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._folder = folder / hashlib.sha256(self._base_url.encode()).hexdigest()[:16]
        self._session = session
        self._most_bytes = most_bytes

    def installed(self) -> InstalledModel | None:
        """What was downloaded before, without asking anybody."""
        try:
            body = (self._current / MANIFEST_NAME).read_bytes()
        except OSError:
            return None
        return InstalledModel(self._current, read_manifest(body))

    async def install(self, on_progress: OnProgress) -> InstalledModel:
        """Downloads what is missing; on_progress is told bytes that are there, and of how many.

        Raises LecternError: MODEL_UNREACHABLE, MODEL_NOT_FOUND, MODEL_MANIFEST_INVALID, MODEL_TOO_LARGE,
        MODEL_FILE_DAMAGED or MODEL_DISK.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            async with _lock(self._folder / "lock"):
                found = self.installed()  # another process may have been faster
                return found or await self._install(on_progress)
        except OSError as error:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"The model can't be written to {self._folder}: {error.strerror or error}.",
                reason="MODEL_DISK",
            ) from error

    async def _install(self, on_progress: OnProgress) -> InstalledModel:
        url = f"{self._base_url}/{MANIFEST_NAME}"
        body = await fetch_small(self._session, url, most_bytes=MOST_MANIFEST_BYTES)
        manifest = read_manifest(body)
        self._check_room(manifest)
        arriving, partial = self._folder / "arriving", self._folder / "partial"
        shutil.rmtree(arriving, ignore_errors=True)
        for folder in (arriving, partial):
            folder.mkdir(exist_ok=True)
        done = 0
        for file in manifest.files:
            before = done

            async def tell(present: int, before: int = before) -> None:
                await on_progress(before + present, manifest.size_bytes)

            await self._fetch(file, partial / file.sha256, tell)
            done += file.size_bytes
        # The same bytes may be wanted under two names.
        for file in manifest.files:
            target = arriving / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(partial / file.sha256, target)
        (arriving / MANIFEST_NAME).write_bytes(body)
        arriving.rename(self._current)
        shutil.rmtree(partial)
        _log.info("model installed", base_url=self._base_url, bytes=manifest.size_bytes)
        return InstalledModel(self._current, manifest)

    async def _fetch(self, file: ModelFile, partial: Path, tell: Callable[[int], Awaitable[None]]) -> None:
        await fetch_file(self._session, f"{self._base_url}/{file.path}", file, partial, tell)

    def _check_room(self, manifest: Manifest) -> None:
        if manifest.size_bytes > self._most_bytes:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"The model is {manifest.size_bytes // 2**20} MB large; "
                f"at most {self._most_bytes // 2**20} MB are accepted.",
                reason="MODEL_TOO_LARGE",
            )
        free = shutil.disk_usage(self._folder).free
        if manifest.size_bytes > free:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"The model needs {manifest.size_bytes // 2**20} MB, and {free // 2**20} MB are free in "
                f"{self._folder}.",
                reason="MODEL_DISK",
            )

    @property
    def _current(self) -> Path:
        return self._folder / "model"


@asynccontextmanager
async def _lock(path: Path) -> AsyncIterator[None]:
    """Held by one process of the machine at a time; given back by the system should it die."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(_LOCK_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)
