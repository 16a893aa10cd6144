import asyncio
import os
import signal
import sys

import aiohttp
import pytest

from compute_worker.audio.detection import AudioKind, detect
from compute_worker.audio.media_tool import MediaTool, bundled_media_bin
from compute_worker.audio.normalizer import AudioNormalizer

HELLO = "Hello there, this is a test."


@pytest.mark.parametrize("name", ["mp3", "wav", "opus", "flac", "aac", "pcm"])
async def test_every_format_of_the_api_is_real_speech(name: str, start_server, session) -> None:
    address = await start_server()
    body = {"model": "tts-1", "input": HELLO, "voice": "alloy", "response_format": name}
    async with session.post(address + "/v1/audio/speech", json=body) as answer:
        assert answer.status == 200
        sound = await answer.read()
    kinds = {"wav": AudioKind.WAV, "pcm": AudioKind.RAW_PCM}
    assert detect(sound) is kinds.get(name, AudioKind.ENCODED)
    normalizer = AudioNormalizer(media_tool=MediaTool(media_bin=bundled_media_bin()))
    start, end = (await normalizer.normalize(sound)).speech_ms
    assert 1200 < end - start < 2600


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({}, "input"),
        ({"input": " "}, "input"),
        ({"input": 5}, "input"),
        ({"input": "x" * 5000}, "input"),
        ({"input": "x", "response_format": "midi"}, "response_format"),
        ({"input": "x", "speed": 9}, "speed"),
        ({"input": "x", "speed": "fast"}, "speed"),
        ([], "input"),
    ],
)
async def test_wrong_requests_are_answered_in_openais_shape(
    fields, param: str, start_server, session
) -> None:
    address = await start_server()
    async with session.post(address + "/v1/audio/speech", json=fields) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]["param"] == param


async def test_the_key_is_asked_for_everywhere_but_at_health(start_server, session, tmp_path) -> None:
    (tmp_path / "key").write_text("right\n")
    address = await start_server("--api-key-file", str(tmp_path / "key"))
    statuses = {}
    for path in ("/health", "/v1/models", "/v1/audio/voices"):
        for key in ("right", "wrong"):
            async with session.get(address + path, headers={"Authorization": f"Bearer {key}"}) as answer:
                statuses[path, key] = answer.status
    assert statuses == {
        ("/health", "right"): 200,
        ("/health", "wrong"): 200,
        ("/v1/models", "right"): 200,
        ("/v1/models", "wrong"): 401,
        ("/v1/audio/voices", "right"): 200,
        ("/v1/audio/voices", "wrong"): 401,
    }


async def test_random_failures_repeat_with_their_seed(start_server, session) -> None:
    async def statuses() -> list[int]:
        address = await start_server("--fail-rate", "0.5", "--seed", "7")
        found = []
        for _ in range(12):
            async with session.post(address + "/v1/audio/speech", json={"input": "x"}) as answer:
                found.append(answer.status)
        return found

    first = await statuses()
    assert set(first) == {200, 503}
    assert await statuses() == first


async def test_the_command_prints_its_address_serves_and_ends_with_its_helpers() -> None:
    program = "import sys; from compute_worker.speech.server import main; sys.exit(main(sys.argv[1:]))"
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, "--port", "0"),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "LECTERN_SPEECH_SERVER_KEY": "k"},
    )
    assert server.stdout is not None
    address = (await server.stdout.readline()).decode().split()[-1]
    async with (
        aiohttp.ClientSession(headers={"Authorization": "Bearer k"}) as session,
        session.post(f"{address}/audio/speech", json={"input": HELLO}) as answer,
    ):
        assert answer.status == 200
        assert len(await answer.read()) > 5_000
    server.send_signal(signal.SIGTERM)
    assert await server.wait() == 0
    assert await server.stdout.read() == b""
