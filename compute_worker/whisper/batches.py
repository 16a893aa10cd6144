"""Segments that wait while the model is busy go to it together; one that comes alone goes at once."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from compute_worker.alignment.model import Alignment
from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import SAMPLE_RATE
from compute_worker.whisper.mel import WINDOW_SECONDS
from shared.errors import LecternError

MOST_SEGMENTS: Final = 4
# The windows that the model hears at once.
_MOST_SAMPLES: Final = MOST_SEGMENTS * WINDOW_SECONDS * SAMPLE_RATE


@dataclass(frozen=True)
class SegmentTask:
    """samples: at the stream's rate."""

    samples: Samples = field(repr=False)
    text: str
    language: str


# What came of each task, in their order; raises LecternError when nothing came of any.
AlignTogether = Callable[[Sequence[SegmentTask]], Awaitable[Sequence[Alignment | LecternError]]]


@dataclass(frozen=True, eq=False)
class _Waiting:
    task: SegmentTask
    answer: asyncio.Future[Alignment]


class Batches:
    def __init__(self, *, align_together: AlignTogether) -> None:
        self._align_together = align_together
        self._waiting: deque[_Waiting] = deque()
        self._serving: asyncio.Task[None] | None = None

    async def align(self, task: SegmentTask) -> Alignment:
        """Raises LecternError for what is wrong with this task; the others of its batch don't matter."""
        one = _Waiting(task, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve())
        return await one.answer  # whoever is cancelled cancels it

    async def close(self) -> None:
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)
        for one in self._waiting:
            one.answer.cancel()

    async def _serve(self) -> None:
        while batch := self._next():
            try:
                await self._serve_one(batch)
            finally:
                for one in batch:
                    one.answer.cancel()  # those that were told are done

    def _next(self) -> list[_Waiting]:
        """In the order of need. The first is taken however long it is."""
        batch: list[_Waiting] = []
        samples = 0
        while self._waiting and len(batch) < MOST_SEGMENTS:
            one = self._waiting[0]
            samples += len(one.task.samples)
            if batch and samples > _MOST_SAMPLES:
                break
            self._waiting.popleft()
            if not one.answer.done():
                batch.append(one)
        return batch

    async def _serve_one(self, batch: Sequence[_Waiting]) -> None:
        asked = asyncio.ensure_future(self._align_together([one.task for one in batch]))

        def give_up(_: object) -> None:
            if all(one.answer.done() for one in batch):  # nobody waits for any of them any more
                asked.cancel()

        for one in batch:
            one.answer.add_done_callback(give_up)
        try:
            await asyncio.wait([asked])
        except asyncio.CancelledError:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
            raise
        if asked.cancelled():
            return
        error = asked.exception()
        if error is None:
            for one, answer in zip(batch, asked.result(), strict=True):
                _tell(one, answer)
        elif len(batch) > 1 and isinstance(error, LecternError):
            # It took too long or broke the process: whose fault that was shows when each is asked alone.
            for one in batch:
                if not one.answer.done():
                    await self._serve_one([one])
        else:
            for one in batch:
                _tell(one, error)


def _tell(one: _Waiting, answer: Alignment | BaseException) -> None:
    if one.answer.done():
        return
    if isinstance(answer, BaseException):
        one.answer.set_exception(answer)
    else:
        one.answer.set_result(answer)
