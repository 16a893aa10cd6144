"""Against the real `lectern speech-server`, and against servers that misbehave as real ones do."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from compute_worker.speech.http_answers import excerpt_of
from compute_worker.speech.synthesizer import SegmentSynthesizer
from shared.errors import LecternError

HELLO = "Hello there, this is a test."
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Awaitable[str]]]:
    """A server with one handler for POST /v1/audio/speech and others by path; gives the base URL."""
    async with AsyncExitStack() as stack:

        async def start(speech: Handler | None = None, **others: Any) -> str:
            application = web.Application()
            if speech:
                application.router.add_post("/v1/audio/speech", speech)
            for path, answer in others.get("get", {}).items():
                application.router.add_get(path, _constant(answer))
            server = await stack.enter_async_context(TestServer(application))
            return str(server.make_url("/v1"))

        yield start


def _constant(answer: Any) -> Handler:
    async def handle(_: web.Request) -> web.Response:
        return web.json_response(answer)

    return handle


async def statistics(session: aiohttp.ClientSession, address: str) -> dict[str, Any]:
    async with session.get(address + "/v1/stats") as answer:
        found: dict[str, Any] = await answer.json()
        return found


async def test_a_segment_comes_from_a_real_server(
    start_server, open_provider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    address = await start_server()
    segment = await synthesizer.speak(open_provider(address + "/v1"), request_for(HELLO))
    assert segment.frame_count > 40
    assert not segment.exact
    assert [HELLO[word.char_start : word.char_end] for word in segment.words] == HELLO.replace(",", "").strip(
        "."
    ).split()


async def test_a_trailing_slash_in_the_address_does_no_harm(start_server, open_provider, request_for) -> None:
    address = await start_server()
    assert (await open_provider(address + "/v1/").synthesize(request_for(HELLO))).body


async def test_a_key_is_sent_and_a_blank_one_is_not(
    serve, start_server, open_provider, request_for, tmp_path
) -> None:
    seen: list[str | None] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization"))
        return web.Response(body=b"x")

    base = await serve(handler)
    for key in ("", "  ", "secret"):
        await open_provider(base, api_key=key).synthesize(request_for(HELLO))
    assert seen == [None, None, "Bearer secret"]
    (tmp_path / "key").write_text("right\n")
    address = await start_server("--api-key-file", str(tmp_path / "key"))
    assert (await open_provider(address + "/v1", api_key="right").synthesize(request_for(HELLO))).body
    with pytest.raises(LecternError) as caught:
        await open_provider(address + "/v1", api_key="wrong-key").synthesize(request_for(HELLO))
    assert caught.value.reason == "PROVIDER_UNAUTHORIZED"
    assert "wrong-key" not in str(caught.value)


async def test_failures_are_retried_as_often_as_the_policy_says(
    session, start_server, open_provider, request_for
) -> None:
    address = await start_server("--fail-first", "2")
    provider = open_provider(address + "/v1", max_retries=2)
    assert (await provider.synthesize(request_for(HELLO))).body
    found = await statistics(session, address)
    assert found["asked"] == {HELLO: 3}
    assert found["spoken"] == {HELLO: 1}


async def test_no_retry_means_one_request(session, start_server, open_provider, request_for) -> None:
    address = await start_server("--fail-first", "1")
    with pytest.raises(LecternError) as caught:
        await open_provider(address + "/v1", max_retries=0).synthesize(request_for(HELLO))
    assert caught.value.reason == "PROVIDER_FAILING"
    assert caught.value.retryable
    assert (await statistics(session, address))["calls"] == 1


@pytest.mark.parametrize("field", ["response_format", "speed", "language", "instructions"])
async def test_a_rejected_field_is_left_out_and_that_is_remembered(
    field: str, session, start_server, open_provider, request_for
) -> None:
    address = await start_server("--reject-field", field)
    request = request_for(HELLO, native_speed=1.1, instructions="Calmly.")
    for _ in range(2):  # opened anew: the memory is the provider's, not the object's
        assert (await open_provider(address + "/v1", max_retries=0).synthesize(request)).body
    assert (await statistics(session, address))["calls"] == 3


async def test_two_rejected_fields_are_both_left_out(
    session, start_server, open_provider, request_for
) -> None:
    address = await start_server("--reject-field", "speed", "--reject-field", "language")
    provider = open_provider(address + "/v1", max_retries=0)
    assert (await provider.synthesize(request_for(HELLO, native_speed=1.1))).body


async def test_a_rate_limit_is_waited_for_and_cools_down_everybody(serve, open_provider, request_for) -> None:
    asked_at: list[float] = []

    async def handler(_: web.Request) -> web.Response:
        asked_at.append(asyncio.get_running_loop().time())
        if len(asked_at) == 1:
            return web.json_response({"error": "slow down"}, status=429, headers={"Retry-After": "0.4"})
        return web.Response(body=b"x")

    base = await serve(handler)
    first, second = (open_provider(base, max_concurrent=1) for _ in range(2))
    await asyncio.gather(*(provider.synthesize(request_for(HELLO)) for provider in (first, second)))
    assert len(asked_at) == 3
    assert asked_at[1] - asked_at[0] >= 0.39, "the other one waited too"


async def test_a_long_pause_is_reported_at_once_to_all(start_server, open_provider, request_for) -> None:
    address = await start_server("--rate-limit", "1")
    provider = open_provider(address + "/v1", max_retries=0)
    await provider.synthesize(request_for(HELLO))
    for _ in range(2):
        with pytest.raises(LecternError) as caught:
            async with asyncio.timeout(5):
                await open_provider(address + "/v1", max_retries=0).synthesize(request_for(HELLO))
        assert caught.value.reason == "PROVIDER_RATE_LIMITED"
        assert float(caught.value.details["retry_after_seconds"]) > 50


async def test_only_so_many_requests_are_under_way(serve, open_provider, request_for) -> None:
    under_way, most = 0, 0
    all_here = asyncio.Event()

    async def handler(_: web.Request) -> web.Response:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 2:
            all_here.set()
        await all_here.wait()
        under_way -= 1
        return web.Response(body=b"x")

    base = await serve(handler)
    requests = [open_provider(base, max_concurrent=2).synthesize(request_for(HELLO)) for _ in range(6)]
    await asyncio.gather(*requests)
    assert most == 2


async def test_redirects_are_refused(serve, open_provider, request_for) -> None:
    async def handler(_: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect("http://169.254.169.254/latest")

    with pytest.raises(LecternError) as caught:
        await open_provider(await serve(handler)).synthesize(request_for(HELLO))
    assert caught.value.reason == "PROVIDER_REDIRECTS"


async def test_nobody_listening_is_unreachable(free_port, open_provider, request_for) -> None:
    provider = open_provider(f"http://127.0.0.1:{free_port()}/v1", max_retries=1)
    with pytest.raises(LecternError) as caught:
        await provider.synthesize(request_for(HELLO))
    assert caught.value.reason == "PROVIDER_UNREACHABLE"


@pytest.mark.parametrize("address", ["", "   ", "not an address", "http://", "http://[::1/v1"])
async def test_an_address_that_is_none_is_an_error(address: str, open_provider, request_for) -> None:
    with pytest.raises(LecternError) as caught:
        await open_provider(address, max_retries=0).synthesize(request_for(HELLO))
    assert caught.value.reason in ("PROVIDER_INCOMPLETE", "PROVIDER_UNREACHABLE")


async def test_time_is_limited(start_server, open_provider, request_for) -> None:
    address = await start_server("--delay-ms", "30000")
    with pytest.raises(LecternError) as caught:
        await open_provider(address + "/v1", max_retries=0, timeout_ms=200).synthesize(request_for(HELLO))
    assert caught.value.reason == "PROVIDER_TIMEOUT"


async def test_a_wrong_content_type_does_no_harm(
    start_server, open_provider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    address = await start_server("--wrong-content-type")
    assert (await synthesizer.speak(open_provider(address + "/v1"), request_for(HELLO))).frames


async def test_a_cut_answer_is_a_failed_attempt(serve, open_provider, request_for) -> None:
    calls = 0

    async def handler(request: web.Request) -> web.StreamResponse:
        nonlocal calls
        calls += 1
        if calls > 1:
            return web.Response(body=b"whole")
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b"half")
        assert request.transport is not None
        request.transport.abort()
        return response

    assert (await open_provider(await serve(handler)).synthesize(request_for(HELLO))).body == b"whole"
    assert calls == 2


async def test_errors_show_a_short_excerpt_without_secrets(serve, open_provider, request_for) -> None:
    key = "sk-proj-abcdefgh12345678"

    async def handler(_: web.Request) -> web.Response:
        message = f"No access with {key} or Bearer zzz\n\x00 to voice 'q' " + "long " * 200
        return web.json_response({"error": {"message": message}}, status=400)

    with pytest.raises(LecternError) as caught:
        await open_provider(await serve(handler), api_key=key).synthesize(request_for(HELLO))
    assert "voice 'q'" in caught.value.message
    assert key not in caught.value.message
    assert "zzz" not in caught.value.message
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 300


def test_excerpts_of_usual_error_bodies() -> None:
    assert (
        excerpt_of(b'{"detail":[{"loc":["body","speed"],"msg":"not allowed"}]}', secret="")
        == "speed: not allowed"
    )
    assert (
        excerpt_of(b'{"detail":{"error":"x","message":"Voice not found"}}', secret="") == "x; Voice not found"
    )
    assert excerpt_of(b"<html><h1>Bad Gateway</h1></html>", secret="") == ""
    assert excerpt_of(b"plain words", secret="plain") == "[...] words"
    assert excerpt_of(b"\xff\xfe", secret="") == "\ufffd\ufffd"


@pytest.mark.parametrize(
    ("path", "answer", "voices"),
    [
        ("/v1/audio/voices", {"voices": ["a", "b"]}, ["a", "b"]),
        ("/v1/audio/voices", {"voices": [{"voice_id": "a", "name": "Anna"}, {"id": "b"}]}, ["a", "b"]),
        ("/v1/voices", {"data": [{"name": "a"}, {"name": "a"}]}, ["a"]),
        ("/v1/voices", ["x"], ["x"]),
        ("/v1/styles", {"styles": ["s"]}, ["s"]),
        ("/v1/audio/voices", {"voices": []}, []),
        ("/v1/voices", {"voices": {"v1": {}, "v2": {}}}, ["v1", "v2"]),
    ],
)
async def test_voices_are_discovered(path: str, answer: Any, voices: list[str], serve, open_provider) -> None:
    base = await serve(get={path: answer})
    found = await open_provider(base).list_voices("some-model")
    assert [voice.voice_id for voice in found] == voices


@pytest.mark.parametrize(
    ("answer", "models"),
    [
        ({"data": [{"id": "tts-1"}, {"id": "kokoro"}, {"id": "tts-1"}]}, ["tts-1", "kokoro"]),
        ([{"id": "a"}, "b", {"name": "c"}, {"id": 5}, {"id": ""}], ["a"]),
        ({"data": {"id": "a"}}, []),
        ("no list", []),
    ],
)
async def test_models_are_discovered(answer: Any, models: list[str], serve, open_provider) -> None:
    assert await open_provider(await serve(get={"/v1/models": answer})).list_models() == models


async def test_a_server_that_tells_no_models_has_none(serve, open_provider) -> None:
    assert await open_provider(await serve(get={})).list_models() == []


async def test_without_a_list_the_defaults_are_known(serve, open_provider) -> None:
    provider = open_provider(await serve(get={"/v1/voices": {"unexpected": 1}}))
    assert provider.default_voice("kokoro", "en") == "af_heart"
    assert provider.default_voice("kokoro", "fr-FR") == "ff_siwis"
    assert provider.default_voice("tts-1", "en") == "alloy"
    assert len(await provider.list_voices("kokoro")) > 50
    assert [voice.voice_id for voice in await provider.list_voices("gpt-4o-mini-tts")][-3:] == [
        "ash",
        "coral",
        "sage",
    ]


async def test_a_discovered_list_is_kept_and_gives_the_default_voice(
    session, start_server, open_provider
) -> None:
    address = await start_server()
    provider = open_provider(address + "/v1")
    assert len(await provider.list_voices("m")) > 200
    again = open_provider(address + "/v1")
    assert again.default_voice("m", "de-DE") == "de"
    assert again.default_voice("m", "en-GB") == "en-gb"


async def test_cancelling_frees_the_slot(start_server, open_provider, request_for) -> None:
    address = await start_server("--delay-ms", "200")
    provider = open_provider(address + "/v1", max_concurrent=1)
    slow = asyncio.create_task(provider.synthesize(request_for(HELLO)))
    waiting = asyncio.create_task(provider.synthesize(request_for(HELLO)))
    await asyncio.sleep(0)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow
    assert (await waiting).body
