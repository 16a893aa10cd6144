"""The "align" operation: from a person's own recording and a document's text to the times of its words."""

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator
from dataclasses import astuple
from pathlib import Path
from typing import Final

from compute_worker.documents.parser_process import ParserProcess
from compute_worker.operations.ports import Job, ProgressReporter
from compute_worker.playback.model import PlanOptions, Segment
from compute_worker.playback.plans import Plans
from compute_worker.recordings.artifacts import OUTLINE_NAME, TRANSCRIPT_NAME
from compute_worker.recordings.model import ALIGNMENT_VERSION, PARTS_NAME, TextPart
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore

RECORDING_ID: Final = re.compile(r"[0-9a-f]{32}")


def recording_key(recording_id: str) -> str:
    return f"recordings/{recording_id}/audio"


def result_ref_of(recording_id: str, plan_id: str) -> str:
    return f"recordings/{recording_id}/aligned/{ALIGNMENT_VERSION}-{plan_id}/"


def outline_key(result_ref: str) -> str:
    """Its object is written last: where it exists, everything else does."""
    return f"{result_ref}{OUTLINE_NAME}"


class AlignHandler:
    def __init__(
        self,
        *,
        store: ObjectStore,
        plans: Plans,
        process: ParserProcess,
        media_bin: str,
        temporary_folder: Path | None = None,
    ) -> None:
        self._store = store
        self._plans = plans
        self._process = process
        self._media_bin = media_bin
        self._temporary_folder = temporary_folder

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        """Arguments: recording_id, reading_ref. Returns where the result lies."""
        recording_id = str(job.arguments.get("recording_id", ""))
        if not RECORDING_ID.fullmatch(recording_id):
            raise LecternError(Code.INVALID_ARGUMENT, "There is no such recording.")
        plan = await self._plans.plan(str(job.arguments.get("reading_ref", "")), PlanOptions())
        result_ref = result_ref_of(recording_id, plan.plan_id)
        if await self._store.info(outline_key(result_ref)) is not None:
            return result_ref
        with tempfile.TemporaryDirectory(prefix="lectern-align-", dir=self._temporary_folder) as name:
            source, folder = Path(name) / "source", Path(name) / "artifacts"
            folder.mkdir()
            await self._fetch(recording_key(recording_id), source, progress)
            parts = [astuple(_text_part(segment)) for segment in plan.segments]
            sections = [astuple(section) for section in plan.sections]
            told = json.dumps({"media_bin": self._media_bin, "parts": parts, "sections": sections})
            await asyncio.to_thread((folder / PARTS_NAME).write_text, told)
            await self._process.parse(
                path=source,
                folder=folder,
                source_format="recording",
                file_name="",
                on_progress=lambda phase, done, total: progress.report(phase=phase, done=done, total=total),
            )
            await self._store_artifacts(folder, result_ref, progress)
        return result_ref

    async def _fetch(self, key: str, target: Path, progress: ProgressReporter) -> None:
        info = await self._store.info(key)
        if info is None:
            raise LecternError(Code.NOT_FOUND, "The recording is gone.", reason="RECORDING_GONE")
        fetched = 0
        await progress.report(phase="fetching", done=0, total=_megabytes(info.size_bytes))
        file = await asyncio.to_thread(target.open, "wb")
        try:
            async for chunk in self._store.stream(key):
                await asyncio.to_thread(file.write, chunk)
                fetched += len(chunk)
                await progress.report(
                    phase="fetching", done=_megabytes(fetched), total=_megabytes(info.size_bytes)
                )
        except ObjectNotFoundError as error:
            raise LecternError(Code.NOT_FOUND, "The recording is gone.", reason="RECORDING_GONE") from error
        finally:
            await asyncio.to_thread(file.close)

    async def _store_artifacts(self, folder: Path, result_ref: str, progress: ProgressReporter) -> None:
        """The outline last: where it is, the rest is."""
        sections = sorted((folder / "sections").iterdir())
        paths = [*sections, folder / TRANSCRIPT_NAME, folder / OUTLINE_NAME]
        for done, path in enumerate(paths):
            await progress.report(phase="storing", done=done, total=len(paths))
            key = f"{result_ref}{path.relative_to(folder)}"
            await self._store.put_stream(key, _content(path), content_type="application/gzip")


def _text_part(segment: Segment) -> TextPart:
    return TextPart(
        segment.ordinal,
        segment.section,
        segment.block_id,
        segment.start,
        segment.end,
        segment.text,
        segment.language,
    )


def _megabytes(count: int) -> int:
    return -(-count // 2**20)


async def _content(path: Path) -> AsyncIterator[bytes]:
    yield await asyncio.to_thread(path.read_bytes)
