"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), both ends.

A stream that fails sends `event: error` and then drops the connection without the end of the
chunked body, so that nobody takes it for complete.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, TypeAlias, cast

from aiohttp import web
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from shared.errors import LecternError
from shared.rpc.request_ids import REQUEST_ID_HEADER
from shared.rpc.statuses import json_of
from shared.rpc.transcoding import json_bytes

HEARTBEAT_SECONDS: Final = 15.0
# How long a stream may take to fail with an HTTP status; after it, headers go out without an event.
FIRST_EVENT_SECONDS: Final = 1.0
ERROR_EVENT: Final = "error"
EVENT_ID_FIELD: Final = "event_id"
_HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # nginx would hold events back
}
_HEARTBEAT: Final = b":\n\n"


@dataclass(frozen=True)
class _End:
    error: LecternError | None


# None: nothing within the time allowed.
_Item: TypeAlias = Message | _End | None


async def send_events(
    request: web.Request,
    messages: AsyncIterator[Message],
    *,
    request_id: str,
    heartbeat_seconds: float,
) -> web.StreamResponse:
    """Sends every message as an event. A failure before the first one is raised, for an HTTP status."""
    response = web.StreamResponse(headers={**_HEADERS, REQUEST_ID_HEADER: request_id})
    # One task runs the iterator from start to end, as its timeouts and task groups expect.
    queue: asyncio.Queue[_Item] = asyncio.Queue(maxsize=1)
    source = asyncio.create_task(_fill(queue, messages))
    try:
        item = await _next(queue, FIRST_EVENT_SECONDS)
        if isinstance(item, _End) and item.error is not None:
            raise item.error
        await response.prepare(request)
        numbers = count(1)
        while not isinstance(item, _End):
            await response.write(_HEARTBEAT if item is None else _event(item, next(numbers)))
            item = await _next(queue, heartbeat_seconds)
        if item.error is not None:
            await _break_off(request, response, json_of(item.error, request_id=request_id))
    finally:
        source.cancel()
        await asyncio.wait([source])
    return response


async def _fill(queue: asyncio.Queue[_Item], messages: AsyncIterator[Message]) -> None:
    try:
        async for message in messages:
            await queue.put(message)
    except LecternError as error:
        await queue.put(_End(error))
    else:
        await queue.put(_End(None))


async def _next(queue: asyncio.Queue[_Item], seconds: float) -> _Item:
    try:
        async with asyncio.timeout(seconds):
            return await queue.get()
    except TimeoutError:
        return None


def _event(message: Message, number: int) -> bytes:
    has_id = EVENT_ID_FIELD in cast("Descriptor", message.DESCRIPTOR).fields_by_name
    event_id = getattr(message, EVENT_ID_FIELD) if has_id else number
    return b"id: %d\ndata: %b\n\n" % (event_id, json_bytes(message))


async def _break_off(request: web.Request, response: web.StreamResponse, body: dict[str, Any]) -> None:
    await response.write(f"event: {ERROR_EVENT}\ndata: {json.dumps(body)}\n\n".encode())
    if request.transport is not None:
        request.transport.close()  # after what is written, and without the last chunk


@dataclass(frozen=True)
class ReceivedEvent:
    name: str
    data: str


async def received_events(lines: AsyncIterator[bytes]) -> AsyncIterator[ReceivedEvent]:
    """Parses the lines of a stream; comments and ids are left out, an unfinished event is dropped."""
    name, data = "", list[str]()
    async for line in lines:
        field, _, value = line.decode().rstrip("\r\n").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not field and not value and line.strip(b"\r\n") == b"":
            if data:
                yield ReceivedEvent(name=name, data="\n".join(data))
            name, data = "", []
