"""Streams behave the same on both transports: order, end, resumption, cancelling, silence."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from contract.mesh import Mesh, running_mesh
from contract.services import WATCH_SESSION, method_named
from google.protobuf import message_factory
from google.protobuf.message import Message

from shared.errors import Code, LecternError
from shared.rpc.gateway import GatewayLimits

METHOD = method_named(WATCH_SESSION)
Request = message_factory.GetMessageClass(METHOD.input_type)
Answer = message_factory.GetMessageClass(METHOD.output_type)
PATH = "/v1/tts-playback/sessions/s/events"


def answers(count: int) -> list[Message]:
    return [Answer(event_id=number) for number in range(1, count + 1)]


async def test_resuming_gives_what_came_after(mesh: Mesh, transport: str) -> None:
    mesh.recorder.answers = answers(5)
    async with mesh.calling(transport, METHOD) as call:
        seen = [answer.event_id async for answer in call(Request(session_id="s", after_event_id=3))]
    assert seen == [4, 5]


async def test_a_thousand_messages_arrive_in_order(mesh: Mesh, transport: str) -> None:
    mesh.recorder.answers = answers(1000)
    async with mesh.calling(transport, METHOD) as call:
        assert [answer.event_id async for answer in call(Request())] == list(range(1, 1001))


async def test_cancelling_ends_the_call_on_both_sides(mesh: Mesh, transport: str) -> None:
    mesh.recorder.answers = answers(1)
    mesh.recorder.hangs = True
    async with mesh.calling(transport, METHOD) as call:
        stream = call(Request())
        assert (await anext(stream)).event_id == 1
        waiting = asyncio.create_task(anext(stream))
        await asyncio.wait([waiting], timeout=0)
        stream.cancel()
        with pytest.raises(LecternError) as caught:
            await waiting
        assert caught.value.code is Code.CANCELLED
        async with asyncio.timeout(5):
            await mesh.recorder.ended.wait()


async def test_a_cancelled_reader_closes_its_call(mesh: Mesh, transport: str) -> None:
    mesh.recorder.answers = answers(1)
    mesh.recorder.hangs = True
    first = asyncio.Event()

    async def read() -> None:
        async with mesh.calling(transport, METHOD) as call:
            async for _ in call(Request()):
                first.set()

    reader = asyncio.create_task(read())
    await first.wait()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    async with asyncio.timeout(5):
        await mesh.recorder.ended.wait()


async def test_a_stream_has_a_deadline_when_it_names_one(mesh: Mesh, transport: str) -> None:
    mesh.recorder.hangs = True
    async with mesh.calling(transport, METHOD) as call:
        with pytest.raises(LecternError) as caught:
            await anext(call(Request(), timeout=0.2))
    assert caught.value.code is Code.DEADLINE_EXCEEDED


async def test_a_server_that_stops_breaks_its_streams(transport: str) -> None:
    async with running_mesh() as mesh:
        mesh.recorder.answers = answers(1)
        mesh.recorder.hangs = True
        calling = mesh.calling(transport, METHOD)
        call = await calling.__aenter__()
        stream = call(Request())
        await anext(stream)
    with pytest.raises(LecternError) as caught:
        await anext(stream)
    assert caught.value.code in (Code.UNAVAILABLE, Code.CANCELLED)
    await calling.__aexit__(None, None, None)


async def test_events_have_the_messages_ids_and_resume_by_last_event_id(mesh: Mesh) -> None:
    mesh.recorder.answers = answers(3)
    lines = [line async for line in raw_lines(mesh, {"Last-Event-ID": "1"})]
    assert [line for line in lines if line.startswith("id:")] == ["id: 2", "id: 3"]
    assert mesh.recorder.requests == [Request(session_id="s", after_event_id=1)]


async def test_last_event_id_overrides_the_query_that_an_event_source_repeats(mesh: Mesh) -> None:
    mesh.recorder.answers = answers(3)
    lines = raw_lines(mesh, {"Last-Event-ID": "2"}, query="?afterEventId=1")
    assert [line async for line in lines if line.startswith("id:")] == ["id: 3"]


@pytest.mark.parametrize("presented", ["x", "1.5", "9" * 30])
async def test_a_malformed_last_event_id_is_refused(mesh: Mesh, presented: str) -> None:
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {mesh.token}"}) as session:
        url = mesh.address("http") + PATH
        async with session.get(url, headers={"Last-Event-ID": presented}) as response:
            assert (response.status, (await response.json())["code"]) == (400, "INVALID_ARGUMENT")


async def test_a_failing_event_stream_says_so_and_never_ends_properly(mesh: Mesh) -> None:
    mesh.recorder.answers = answers(1)
    mesh.recorder.failure = LecternError(Code.ABORTED, "Moved elsewhere.")
    lines: list[str] = []
    with pytest.raises(aiohttp.ClientPayloadError):
        await collect(raw_lines(mesh, {}), lines)
    assert "event: error" in lines
    assert any('"code": "ABORTED"' in line for line in lines)


async def test_a_silent_stream_is_kept_alive_by_comments() -> None:
    async with running_mesh(GatewayLimits(heartbeat_seconds=0.05)) as mesh:
        mesh.recorder.answers = answers(1)
        mesh.recorder.hangs = True
        lines = raw_lines(mesh, {})
        comments = 0
        async with asyncio.timeout(5):
            async for line in lines:
                comments += line == ":"
                if comments == 3:
                    break
        await lines.aclose()


async def raw_lines(mesh: Mesh, headers: dict[str, str], query: str = "") -> AsyncIterator[str]:
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {mesh.token}"}) as session:
        url = mesh.address("http") + PATH + query
        async with session.get(url, headers=headers) as response:
            assert response.status == 200
            assert response.content_type == "text/event-stream"
            async for line in response.content:
                yield line.decode().rstrip("\n")


async def collect(source: AsyncIterator[str], into: list[str]) -> None:
    async for item in source:
        into.append(item)  # noqa: PERF401  # they count although the loop fails
