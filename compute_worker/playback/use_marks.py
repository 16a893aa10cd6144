"""Marks beside cached speech that say when it was last loaded, so that what nobody hears can be removed.

They are written beside the listener's way, and forgotten when the object store is too slow for them.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog

from shared.errors import LecternError
from shared.objects.ports import ObjectStore

EVERY_SECONDS = 24 * 3600.0  # one mark for each piece of speech
WAITING_MARKS = 1000
REMEMBERED_MARKS = 100_000  # about 15 MB

log = structlog.get_logger(__name__)


class UseMarks:
    def __init__(self, *, store: ObjectStore, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._marked_at: OrderedDict[str, float] = OrderedDict()
        self._waiting: asyncio.Queue[str] = asyncio.Queue(WAITING_MARKS)

    def note(self, key: str) -> None:
        """The speech of that name was loaded just now. Never waits."""
        now = self._clock()
        if now - self._marked_at.get(key, now - EVERY_SECONDS) < EVERY_SECONDS or self._waiting.full():
            return
        self.remember(key)
        self._waiting.put_nowait(key)

    def remember(self, key: str) -> None:
        """It needs no mark for a day."""
        self._marked_at[key] = self._clock()
        self._marked_at.move_to_end(key)
        if len(self._marked_at) > REMEMBERED_MARKS:
            self._marked_at.popitem(last=False)

    async def write_all(self) -> None:
        """Runs until cancelled."""
        while True:
            key = await self._waiting.get()
            try:
                await self._store.put(mark_key(key), b"")
            except LecternError as error:
                self._marked_at.pop(key, None)
                log.info("a mark of use was not written", reason=error.reason)
            finally:
                self._waiting.task_done()

    async def written(self) -> None:
        """Once all that was noted is written."""
        await self._waiting.join()


@asynccontextmanager
async def open_use_marks(store: ObjectStore) -> AsyncIterator[UseMarks]:
    marks = UseMarks(store=store)
    writing = asyncio.create_task(marks.write_all())
    try:
        yield marks
    finally:
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)


def mark_key(key: str) -> str:
    return f"speech/{key[:2]}/{key}.used"
