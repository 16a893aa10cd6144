"""Session and cursor records in the job-state bucket. Both lapse half an hour after the last sign of life."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from compute_worker.operations.job_states import JobStates, Value
from compute_worker.playback.model import SESSION_TTL_SECONDS, Cursor, Session
from shared.errors import Code, LecternError

RENEW_AFTER_SECONDS = 300.0  # a session's record is renewed at most this often
RECORD_TTL_SECONDS = SESSION_TTL_SECONDS + RENEW_AFTER_SECONDS


class CursorView:
    """The latest cursor, and a way to wait for the next."""

    def __init__(self, cursor: Cursor) -> None:
        self.current = cursor
        self._changed = asyncio.Event()

    def receive(self, value: Value) -> None:
        self.current = _cursor(value)
        self._changed.set()

    async def changed(self) -> None:
        await self._changed.wait()
        self._changed.clear()


class Sessions:
    def __init__(self, *, states: JobStates, clock: Callable[[], float] = time.time) -> None:
        self._states = states
        self._clock = clock
        self._held: dict[str, tuple[float, Session]] = {}  # renewed at, by this worker

    async def save(self, session: Session) -> None:
        await self._states.put(
            _session_key(session.session_id), session.to_json(), ttl_seconds=RECORD_TTL_SECONDS
        )
        self._hold(session)

    async def get(self, session_id: str) -> Session:
        """Raises LecternError NOT_FOUND (reason SESSION_EXPIRED) when it has lapsed."""
        held = self._held.get(session_id)
        if held is not None and self._clock() - held[0] < RENEW_AFTER_SECONDS:
            return held[1]
        entry = await self._states.get(_session_key(session_id))
        if entry is None:
            self._held.pop(session_id, None)
            raise LecternError(
                Code.NOT_FOUND,
                "This listening session has ended. Press play to start again.",
                reason="SESSION_EXPIRED",
            )
        session = Session.from_json(entry.value)
        await self.save(session)
        return session

    async def set_cursor(self, session_id: str, ordinal: int, *, playing: bool) -> Cursor:
        cursor = Cursor(ordinal, playing, self._clock())
        value = {"ordinal": cursor.ordinal, "playing": cursor.playing, "at": cursor.at}
        await self._states.put(_cursor_key(session_id), value, ttl_seconds=SESSION_TTL_SECONDS)
        return cursor

    async def cursor(self, session_id: str) -> Cursor | None:
        entry = await self._states.get(_cursor_key(session_id))
        return None if entry is None else _cursor(entry.value)

    @asynccontextmanager
    async def follow_cursor(self, session_id: str) -> AsyncIterator[CursorView]:
        view = CursorView(await self.cursor(session_id) or Cursor(0, playing=False, at=0.0))
        async with self._states.watch(_cursor_key(session_id), view.receive):
            yield view

    def _hold(self, session: Session) -> None:
        now = self._clock()
        self._held[session.session_id] = (now, session)
        for session_id, (renewed_at, _) in list(self._held.items()):
            if now - renewed_at > RECORD_TTL_SECONDS:
                del self._held[session_id]


def _cursor(value: Value) -> Cursor:
    return Cursor(value["ordinal"], value["playing"], value["at"])


def _session_key(session_id: str) -> str:
    return f"session.{session_id}"


def _cursor_key(session_id: str) -> str:
    return f"cursor.{session_id}"
