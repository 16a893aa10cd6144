"""A session's events, relayed from the worker; a worker that goes away is asked again from the last one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import structlog

from app_server.http.event_stream import ServerEvent
from app_server.playback.proto_mapping import shown_event
from app_server.worker.clients import WorkerClients, errors_for_browsers
from lectern.compute.v1 import playback_pb2 as pb
from shared.errors import LecternError

_FIRST_PAUSE_SECONDS: Final = 0.2
_LONGEST_PAUSE_SECONDS: Final = 3.0
_log = structlog.get_logger(__name__)


async def session_events(
    worker: WorkerClients, session_id: str, *, after_event_id: int
) -> AsyncGenerator[ServerEvent, None]:
    """Ends only when the caller closes it. Raises what asking again doesn't mend."""
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            async with aclosing(_watch(worker, session_id, after_event_id)) as answers:
                async for answer in answers:
                    after_event_id = max(after_event_id, answer.event_id)
                    pause = _FIRST_PAUSE_SECONDS
                    event = shown_event(answer)
                    if event is not None:
                        yield event
        except LecternError as error:
            if not error.retryable:
                raise
            _log.info("the session's events are asked for again", reason=error.reason)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


async def _watch(
    worker: WorkerClients, session_id: str, after_event_id: int
) -> AsyncGenerator[pb.WatchSessionResponse, None]:
    request = pb.WatchSessionRequest(session_id=session_id, after_event_id=after_event_id)
    stream = worker.playback.WatchSession(request)
    try:
        with errors_for_browsers():
            async for answer in stream:
                yield answer
    finally:
        stream.cancel()
