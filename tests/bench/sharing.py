"""Many listeners of one document on several workers: how often the provider is asked for each segment."""

import asyncio
import hashlib
from typing import Any

import aiohttp

from bench.figures import Figure
from bench.queueing import reading_of
from bench.reader import Reader
from lectern.compute.v1 import playback_pb2
from lectern.compute.v1.playback_pb2_grpc import PlaybackServiceStub

SESSIONS = 50
PATIENCE_SECONDS = 60.0


async def measure_sharing(reader: Reader, channels: list[Any], speech_url: str, body: bytes) -> list[Figure]:
    """channels: one to each worker. body: a text that nobody has heard."""
    document_id = await reader.upload("sharing.txt", body)
    await reader.until_ready(document_id)
    parsed = await reading_of(channels[0], body)
    stubs = [PlaybackServiceStub(channels[number % len(channels)]) for number in range(SESSIONS)]
    async with asyncio.timeout(PATIENCE_SECONDS):
        segments = await asyncio.gather(
            *(_hear(stub, parsed.result_ref, f"listener {number}") for number, stub in enumerate(stubs))
        )
    async with aiohttp.ClientSession() as http, http.get(f"{speech_url}/stats") as answer:
        asked = (await answer.json())["asked"]
    assert len(asked) == segments[0], f"{len(asked)} texts for {segments[0]} segments"
    name = f"synthesis calls per segment, {len(channels)} workers, {SESSIONS} sessions on one document"
    return [Figure(name, max(asked.values()), "", 1)]


async def _hear(stub: PlaybackServiceStub, reading_ref: str, owner_id: str) -> int:
    """All of it, from any worker; the number of segments."""
    session = await stub.CreateSession(
        playback_pb2.CreateSessionRequest(
            owner_id=owner_id,
            document_id=hashlib.sha256(reading_ref.encode()).hexdigest()[:16],
            reading_ref=reading_ref,
            start=playback_pb2.StartPosition(ordinal=0),
            settings=playback_pb2.VoiceSettings(provider_ref="default-provider", voice="en-us"),
            background_extent=playback_pb2.EXTENT_SECTION,
        )
    )
    missing = set(range(session.segment_count))
    async for event in stub.WatchSession(playback_pb2.WatchSessionRequest(session_id=session.session_id)):
        assert event.WhichOneof("event") != "problem", event
        if event.WhichOneof("event") == "segment" and event.segment.ordinal in missing:
            missing.discard(event.segment.ordinal)
            if not missing:
                break
            moved = playback_pb2.UpdateCursorRequest(
                session_id=session.session_id, ordinal=min(missing), playing=True
            )
            await stub.UpdateCursor(moved)
    return int(session.segment_count)
