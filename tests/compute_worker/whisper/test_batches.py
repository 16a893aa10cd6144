"""Which segments go to the model together, and that none pays for another."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from compute_worker.alignment.model import Alignment
from compute_worker.speech.model import SAMPLE_RATE, WordTime
from compute_worker.whisper.batches import MOST_SEGMENTS, AlignTogether, Batches, SegmentTask
from shared.errors import Code, LecternError

TOO_LONG = LecternError(Code.DEADLINE_EXCEEDED, "Too long.", reason="ALIGN_TIMEOUT")


def task(text: str, seconds: float = 1.0) -> SegmentTask:
    return SegmentTask(np.zeros(int(seconds * SAMPLE_RATE), dtype=np.float32), text, "en")


def answer(text: str) -> Alignment:
    return Alignment((WordTime(0, 1000, 0, len(text)),), 0.5, is_trusted=True)


class Model:
    """Answers when it is let to; some texts make it fail, with all that are asked together with them."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.may_answer = asyncio.Event()
        self.cancelled = 0

    async def align(self, tasks: Sequence[SegmentTask]) -> list[Alignment | LecternError]:
        texts = [one.text for one in tasks]
        self.batches.append(texts)
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if any(text == "endless" for text in texts):
            raise TOO_LONG
        return [TOO_LONG if text == "refused" else answer(text) for text in texts]


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
async def batches(model: Model):
    batches = Batches(align_together=model.align)
    yield batches
    await batches.close()


def asked(batches: Batches, *texts: str, seconds: float = 1.0) -> list[asyncio.Task[Alignment]]:
    return [asyncio.create_task(batches.align(task(text, seconds))) for text in texts]


async def reached(model: Model, count: int) -> None:
    async with asyncio.timeout(5):
        while len(model.batches) < count:
            await asyncio.sleep(0)


async def test_one_that_comes_alone_goes_at_once_and_those_that_wait_go_together(model, batches):
    first = asked(batches, "first")
    await reached(model, 1)
    later = asked(batches, *"abcdef")
    await asyncio.sleep(0)
    model.may_answer.set()
    found = await asyncio.wait_for(asyncio.gather(*first, *later), 5)
    assert model.batches == [["first"], ["a", "b", "c", "d"], ["e", "f"]]
    assert MOST_SEGMENTS == 4
    assert found == [answer(text) for text in ("first", *"abcdef")]


async def test_a_batch_holds_no_more_sound_than_the_model_hears_at_once(model, batches):
    model.may_answer.set()
    long = asked(batches, "whole chapter", seconds=300)
    shorter = asked(batches, "a", "b", "c", seconds=50)
    await asyncio.wait_for(asyncio.gather(*long, *shorter), 5)
    assert model.batches == [["whole chapter"], ["a", "b"], ["c"]]


async def test_what_is_wrong_with_one_is_told_to_that_one_only(model, batches):
    model.may_answer.set()
    found = await asyncio.gather(*asked(batches, "a", "refused", "b"), return_exceptions=True)
    assert found == [answer("a"), TOO_LONG, answer("b")]
    assert len(model.batches) == 1


async def test_one_that_never_ends_is_found_by_asking_each_alone(model, batches):
    model.may_answer.set()
    found = await asyncio.gather(*asked(batches, "a", "endless", "b"), return_exceptions=True)
    assert found == [answer("a"), TOO_LONG, answer("b")]
    assert model.batches == [["a", "endless", "b"], ["a"], ["endless"], ["b"]]
    assert await asyncio.wait_for(batches.align(task("c")), 5) == answer("c")


async def test_a_defect_is_told_to_all_and_those_that_follow_are_served(model, batches, monkeypatch):
    async def broken(tasks: Sequence[SegmentTask]) -> list[Alignment | LecternError]:
        raise KeyError("segments")

    failing: AlignTogether = broken
    monkeypatch.setattr(batches, "_align_together", failing)
    found = await asyncio.gather(*asked(batches, "a", "b"), return_exceptions=True)
    assert [type(one) for one in found] == [KeyError, KeyError]
    monkeypatch.setattr(batches, "_align_together", model.align)
    model.may_answer.set()
    assert await asyncio.wait_for(batches.align(task("c")), 5) == answer("c")


async def test_who_gives_up_leaves_the_others_alone_and_the_last_one_stops_the_work(model, batches):
    tasks = asked(batches, "a", "b", "c")
    await reached(model, 1)
    waiting = asked(batches, "gone", "d")
    await asyncio.sleep(0)
    for one in (*tasks[:2], waiting[0]):
        one.cancel()
    await asyncio.sleep(0)
    assert model.cancelled == 0
    tasks[2].cancel()  # nobody waits for what runs
    await reached(model, 2)
    model.may_answer.set()
    assert await asyncio.wait_for(waiting[1], 5) == answer("d")
    assert model.cancelled == 1
    assert model.batches == [["a", "b", "c"], ["d"]]


async def test_closing_leaves_nobody_waiting(model, batches):
    tasks = asked(batches, "a")
    await reached(model, 1)
    tasks += asked(batches, "b")
    await asyncio.sleep(0)
    await batches.close()
    found = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
    assert [type(one) for one in found] == [asyncio.CancelledError, asyncio.CancelledError]
    assert model.cancelled == 1
