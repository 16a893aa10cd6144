"""Who runs a worker sees how far the model's download is, in its health and in the system check."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from compute_worker.whisper.aligner import ModelAligner
from compute_worker.whisper.engines import open_model_aligner
from compute_worker.whisper.progress import look_at_alignment_model, shown_progress
from shared.errors import LecternError


class SlowFiles:
    """An operator's server that stops in the middle of the largest file until it is let go on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._largest = max(folder.iterdir(), key=lambda path: path.stat().st_size).name
        self.may_go_on = asyncio.Event()
        self.is_gone = False

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if self.is_gone:
            raise web.HTTPNotFound
        body = (self._folder / request.match_info["name"]).read_bytes()
        answer = web.StreamResponse(headers={"Content-Length": str(len(body))})
        await answer.prepare(request)
        half = len(body) // 2
        await answer.write(body[:half])
        if request.match_info["name"] == self._largest:
            await self.may_go_on.wait()
        await answer.write(body[half:])
        return answer


@pytest.fixture
def files(model_folder: Path) -> SlowFiles:
    return SlowFiles(model_folder)


@pytest.fixture
async def aligner(files: SlowFiles, tmp_path: Path) -> AsyncIterator[ModelAligner]:
    app = web.Application()
    app.router.add_get("/{name}", files.answer)
    async with (
        TestServer(app) as server,
        ClientSession() as session,
        open_model_aligner(
            base_url=str(server.make_url("/")), folder=tmp_path, session=session, timeout_seconds=60
        ) as aligner,
    ):
        assert aligner is not None
        yield aligner


async def test_the_share_that_is_there_is_told_while_it_grows(files: SlowFiles, aligner: ModelAligner):
    assert shown_progress(aligner) == {"status": "missing"}
    assert "COMPUTE_PREWARM_MODELS" in await look_at_alignment_model(aligner)
    installing = asyncio.create_task(aligner.install())
    async with asyncio.timeout(10):
        while not aligner.progress[0]:
            await asyncio.sleep(0.01)
    done, total = aligner.progress
    assert 0 < done < total
    assert shown_progress(aligner) == {"status": "downloading", "doneBytes": done, "totalBytes": total}
    assert "% of" in await look_at_alignment_model(aligner)
    files.may_go_on.set()
    await asyncio.wait_for(installing, 20)
    assert shown_progress(aligner) == {"status": "installed"}
    assert await look_at_alignment_model(aligner) == "Installed on this worker."


async def test_a_download_that_failed_is_told_until_one_succeeds(files: SlowFiles, aligner: ModelAligner):
    files.is_gone = True
    files.may_go_on.set()
    with pytest.raises(LecternError):
        await aligner.install()
    assert shown_progress(aligner) == {"status": "failed", "reason": "MODEL_NOT_FOUND"}
    with pytest.raises(LecternError) as failure:
        await look_at_alignment_model(aligner)
    assert failure.value.reason == "MODEL_NOT_FOUND"
    files.is_gone = False
    await aligner.prewarm()
    assert shown_progress(aligner) == {"status": "installed"}


async def test_without_a_model_that_is_told_too():
    assert shown_progress(None) == {"status": "none"}
    assert "ALIGN_MODEL_BASE_URL" in await look_at_alignment_model(None)
