"""The alignment process: modest, replaceable, gone when it is not needed."""

import asyncio
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from compute_worker.alignment.model import ReferenceSpeech
from compute_worker.alignment.process import AlignmentProcess
from compute_worker.speech.model import SAMPLE_RATE, WordTime
from shared.errors import Code, LecternError

TONE = (0.3 * np.sin(np.arange(SAMPLE_RATE) / 20)).astype(np.float32)
REFERENCE = ReferenceSpeech(TONE, SAMPLE_RATE, (WordTime(0, 500, 0, 3), WordTime(500, 1000, 4, 7)))


def is_there(process_id: int) -> bool:
    return Path(f"/proc/{process_id}").exists()


async def test_it_answers_as_the_computation_does():
    async with AlignmentProcess(timeout_seconds=20) as process:
        alignment = await process.align(TONE, SAMPLE_RATE, REFERENCE)
    assert [(word.char_start, word.char_end) for word in alignment.words] == [(0, 3), (4, 7)]


async def test_it_is_started_by_need_and_ends_when_idle():
    async with AlignmentProcess(timeout_seconds=20, idle_seconds=0.05) as process:
        assert process.process_id is None
        await process.align(TONE, SAMPLE_RATE, REFERENCE)
        started = process.process_id
        assert started is not None
        async with asyncio.timeout(10):
            while is_there(started):
                await asyncio.sleep(0.01)


async def test_a_killed_process_is_replaced_for_the_next_task():
    async with AlignmentProcess(timeout_seconds=20) as process:
        await process.align(TONE, SAMPLE_RATE, REFERENCE)
        killed = process.process_id
        assert killed is not None
        os.kill(killed, signal.SIGSTOP)
        task = asyncio.create_task(process.align(TONE, SAMPLE_RATE, REFERENCE))
        await asyncio.sleep(0)
        os.kill(killed, signal.SIGKILL)
        with pytest.raises(LecternError, match="failed"):
            await task
        assert (await process.align(TONE, SAMPLE_RATE, REFERENCE)).words
        assert process.process_id != killed


async def test_a_task_that_takes_too_long_is_given_up():
    async with AlignmentProcess(timeout_seconds=0.001) as process:
        with pytest.raises(LecternError) as raised:
            await process.align(TONE, SAMPLE_RATE, REFERENCE)
        assert raised.value.code is Code.DEADLINE_EXCEEDED
        assert process.process_id is None


async def test_audio_of_no_length_is_not_trusted():
    async with AlignmentProcess(timeout_seconds=20) as process:
        assert not (await process.align(TONE[:0], SAMPLE_RATE, REFERENCE)).is_trusted


async def test_what_the_computation_cannot_do_is_an_error_and_the_process_goes_on():
    wordless = ReferenceSpeech(TONE, SAMPLE_RATE, ())
    async with AlignmentProcess(timeout_seconds=20) as process:
        with pytest.raises(LecternError) as raised:
            await process.align(TONE, SAMPLE_RATE, wordless)
        assert raised.value.reason == "ALIGN_FAILED"
        before = process.process_id
        assert (await process.align(TONE, SAMPLE_RATE, REFERENCE)).words
        assert process.process_id == before
