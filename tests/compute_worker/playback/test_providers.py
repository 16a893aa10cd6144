"""Custom providers through a whole worker: a real OpenAI-compatible server, slow, failing or well."""

import asyncio

import aiohttp
import pytest

from compute_worker.speech.server import run_server
from compute_worker.speech.server_options import parse_options

TEXT = "\n\n".join(f"Paragraph {n} of a text that is said by somebody else." for n in range(10))


async def calls_by_text(worker, address: str) -> dict[str, int]:
    async with worker.http.get(f"{address}/v1/stats") as answer:
        statistics = await answer.json()
    return dict(statistics["asked"])


async def play_through(listener) -> None:
    async with asyncio.timeout(60):
        while len(listener.segments) < listener.segment_count:
            missing = set(range(listener.segment_count)) - set(listener.segments)
            await listener.cursor(min(missing))
            listener.changed.clear()
            await asyncio.wait({asyncio.create_task(listener.changed.wait())}, timeout=0.5)


async def test_each_segment_is_synthesized_once_for_all_listeners_on_all_workers(worker, open_worker):
    async with run_server(parse_options(["--port", "0", "--delay-ms", "60"])) as address:
        worker.credentials.add_custom("shared", f"{address}/v1")
        other = await open_worker()
        reading_ref = await worker.read(TEXT)
        listeners = [
            await (worker, other)[n % 2].listen(
                reading_ref, owner_id=f"listener {n}", provider_ref="shared", voice="en-us"
            )
            for n in range(6)
        ]
        await asyncio.gather(*(play_through(listener) for listener in listeners))
        calls = await calls_by_text(worker, address)
    assert len(calls) == listeners[0].segment_count
    assert set(calls.values()) == {1}


async def test_word_times_of_a_provider_without_any_are_said_to_be_estimated(worker):
    async with run_server(parse_options(["--port", "0"])) as address:
        worker.credentials.add_custom("plain", f"{address}/v1")
        listener = await worker.listen(await worker.read("Five plain words, no times."), provider_ref="plain")
        await listener.until(lambda it: len(it.segments) == 1)
    segment = listener.segments[0]
    assert len(segment.words) == 5
    assert not segment.failed


async def test_a_key_is_sent_where_one_is_set(worker, monkeypatch):
    monkeypatch.setenv("LECTERN_SPEECH_SERVER_KEY", "a-provider-key-for-tests")
    async with run_server(parse_options(["--port", "0"])) as address:
        worker.credentials.add_custom("keyed", f"{address}/v1", api_key="a-provider-key-for-tests")
        worker.credentials.add_custom("keyless", f"{address}/v1")
        reading_ref = await worker.read("Open, please.")
        good = await worker.listen(reading_ref, provider_ref="keyed", voice="en-us")
        await good.until(lambda it: len(it.segments) == 1)
        bad = await worker.listen(reading_ref, provider_ref="keyless", voice="en-us")
        await bad.until(lambda it: it.problems and "stopped" in it.states)
    assert "a-provider-key" not in bad.problems[0].message


@pytest.mark.parametrize("trouble", [["--fail-first", "1"], ["--rate-limit", "8"]])
async def test_trouble_that_passes_is_waited_out(worker, trouble):
    async with run_server(parse_options(["--port", "0", *trouble])) as address:
        worker.credentials.add_custom("moody", f"{address}/v1", max_retries=3)
        listener = await worker.listen(
            await worker.read("It will be said."), provider_ref="moody", voice="en-us"
        )
        await listener.until(lambda it: len(it.segments) == 1)
    assert not listener.segments[0].failed


async def test_a_provider_that_keeps_failing_stops_the_session_with_a_reason(worker):
    async with run_server(parse_options(["--port", "0", "--fail-rate", "1"])) as address:
        worker.credentials.add_custom("down", f"{address}/v1")
        listener = await worker.listen(await worker.read("Never said."), provider_ref="down", voice="en-us")
        with pytest.raises((aiohttp.ClientPayloadError, aiohttp.ClientConnectionError)):
            async with worker.http.get(listener.url()) as answer:
                await answer.read()
        await listener.until(lambda it: it.problems)
    assert listener.problems[0].message
