import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from aiohttp import ClientSession

from compute_worker.alignment.chosen import ChosenAligner
from compute_worker.alignment.model import Alignment
from compute_worker.speech.model import SAMPLE_RATE, WordTime
from compute_worker.speech.words import spoken_words
from compute_worker.whisper.aligner import ModelAligner
from compute_worker.whisper.engines import open_model_aligner
from compute_worker.whisper.progress import shown_progress
from shared.errors import Code, LecternError

TEXT = "the hour in the house"
SOUND = np.sin(np.arange(3 * SAMPLE_RATE) / 9).astype(np.float32) * 0.3


@pytest.fixture
async def aligner(model_url: str, tmp_path: Path) -> AsyncIterator[ModelAligner]:
    async with (
        ClientSession() as session,
        open_model_aligner(
            base_url=model_url, folder=tmp_path, session=session, timeout_seconds=60
        ) as aligner,
    ):
        assert aligner is not None
        yield aligner


async def test_the_first_who_needs_the_model_has_it_downloaded(aligner: ModelAligner):
    assert shown_progress(aligner)["status"] == "missing"
    with pytest.raises(LecternError) as refusal:
        await aligner.align(SOUND, TEXT, "en")
    assert (refusal.value.reason, refusal.value.retryable) == ("MODEL_ARRIVING", True)
    await aligner.install()
    alignment = await aligner.align(SOUND, TEXT, "en")
    assert [(word.char_start, word.char_end) for word in alignment.words] == list(spoken_words(TEXT))
    assert all(0 <= word.start_ms <= word.end_ms <= 3000 for word in alignment.words)
    assert shown_progress(aligner) == {"status": "installed"}


async def test_prewarming_downloads_and_loads(aligner: ModelAligner):
    await aligner.prewarm()
    assert aligner.is_installed
    done, total = aligner.progress
    assert done == total > 100_000


async def test_a_language_that_the_model_does_not_know_is_said(aligner: ModelAligner):
    await aligner.install()
    with pytest.raises(LecternError) as refusal:
        await aligner.align(SOUND, TEXT, "fi")
    assert refusal.value.reason == "LANGUAGE_UNKNOWN"


async def test_files_that_are_no_model_are_said(model_folder: Path, aligner: ModelAligner):
    installed = await aligner.install()
    (installed.folder / "encoder_model.onnx").unlink()
    (installed.folder / "encoder_model.onnx").write_bytes(b"not a graph")
    with pytest.raises(LecternError) as refusal:
        await aligner.prewarm()
    assert refusal.value.reason == "MODEL_UNUSABLE"
    assert shown_progress(aligner) == {"status": "failed", "reason": "MODEL_UNUSABLE"}


async def test_another_kind_of_model_is_refused(
    model_folder: Path, aligner: ModelAligner, monkeypatch: pytest.MonkeyPatch
):
    manifest = model_folder / "manifest.json"
    before = manifest.read_text()
    manifest.write_text(json.dumps({**json.loads(before), "kind": "pdf-layout"}))
    try:
        with pytest.raises(LecternError) as refusal:
            await aligner.install()
    finally:
        manifest.write_text(before)
    assert refusal.value.reason == "MODEL_UNUSABLE"
    assert "pdf-layout" in refusal.value.message


async def test_segments_that_wait_together_each_get_their_own_answer(aligner: ModelAligner):
    """One has a language that the model doesn't know, and one no words at all."""
    await aligner.prewarm()
    texts = [TEXT, "another hour", "Sie hat es", "…", "nine in the north"]
    languages = ["en", "en", "de", "en", "en"]
    sounds = [SOUND[: (3 - index % 2) * SAMPLE_RATE] for index in range(5)]
    asked = zip(sounds, texts, languages, strict=True)
    answers = await asyncio.gather(*(aligner.align(*one) for one in asked), return_exceptions=True)
    refused = answers.pop(2)
    assert isinstance(refused, LecternError)
    assert refused.reason == "LANGUAGE_UNKNOWN"
    del sounds[2], texts[2]
    for samples, text, answer in zip(sounds, texts, answers, strict=True):
        assert isinstance(answer, Alignment)
        alone = await aligner.align(samples, text, "en")
        assert [word.char_end for word in answer.words] == [end for _, end in spoken_words(text)]
        for word, own in zip(answer.words, alone.words, strict=True):
            assert abs(word.start_ms - own.start_ms) <= 20  # a frame of the model
            assert abs(word.end_ms - own.end_ms) <= 20


class Scripted:
    """An aligner that answers as told."""

    segments_at_once = 4

    def __init__(self, name: str, *, trusted: bool, installed: bool = True) -> None:
        self.version, self.trusted, self.is_installed = name, trusted, installed
        self.asked = self.begun = 0
        self.error: LecternError | None = None

    async def prepare(self) -> None: ...

    def begin_install(self) -> None:
        self.begun += 1

    async def align(self, samples: np.ndarray, text: str, language: str) -> Alignment:
        self.asked += 1
        if self.error:
            raise self.error
        return Alignment((WordTime(0, 1, 0, 1),), 0.9 if self.trusted else 0.1, is_trusted=self.trusted)


async def test_auto_asks_the_model_only_where_the_comparison_is_not_to_be_trusted():
    acoustic, model = Scripted("acoustic", trusted=True), Scripted("model", trusted=True)
    chosen = ChosenAligner(acoustic=acoustic, model=model)
    assert (await chosen.align(SOUND, TEXT, "en")).is_trusted
    assert (acoustic.asked, model.asked) == (1, 0)
    acoustic.trusted = False
    assert (await chosen.align(SOUND, TEXT, "en")).is_trusted
    assert model.asked == 1


async def test_auto_lights_the_sentence_while_the_model_is_not_there_and_tries_again_when_it_is():
    acoustic, model = Scripted("acoustic", trusted=False), Scripted("model", trusted=True, installed=False)
    chosen = ChosenAligner(acoustic=acoustic, model=model)
    before = chosen.version
    assert not (await chosen.align(SOUND, TEXT, "en")).is_trusted
    assert (model.asked, model.begun) == (0, 1)
    model.is_installed = True
    assert chosen.version != before  # what was tried without it is tried anew


async def test_auto_lights_the_sentence_where_the_model_fails():
    acoustic, model = Scripted("acoustic", trusted=False), Scripted("model", trusted=True)
    model.error = LecternError(Code.DEADLINE_EXCEEDED, "Too long.", reason="ALIGN_TIMEOUT")
    chosen = ChosenAligner(acoustic=acoustic, model=model)
    assert not (await asyncio.wait_for(chosen.align(SOUND, TEXT, "en"), 5)).is_trusted
