"""Secrets planted in a whole running instance show nowhere that anybody could look."""

import asyncio
import base64
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import nats
import pytest
from books.locked_pdfs import locked_pdf

from bench.reader import Reader
from servers.lectern import LECTERN, LecternInstance, lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started, stop

PLANTED = (
    "AUTH_SECRET",
    "API_KEY",
    "COMPUTE_WORKER_TOKEN",
    "COMPUTE_CREDENTIAL_BROKER_TOKEN",
    "TTS_PLAYBACK_TOKEN_SECRET",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
)
STREAMS = ("lectern_jobs", "lectern_events", "KV_lectern_job_states")


class Sightings:
    """Looks for planted secrets, also under the usual disguises, and keeps the places where they were."""

    def __init__(self, planted: dict[str, str]) -> None:
        self.looked_at = 0
        self.found: set[tuple[str, str]] = set()
        self._needles = {
            needle: name for name, secret in planted.items() for needle in disguises(secret.encode())
        }

    def look(self, place: str, content: bytes | str) -> None:
        self.looked_at += 1
        raw = content.encode() if isinstance(content, str) else content
        self.found |= {(place, name) for needle, name in self._needles.items() if needle in raw}


def disguises(secret: bytes) -> Iterator[bytes]:
    """As it is, in hexadecimal, and what base64 makes of it at each of three offsets."""
    yield secret
    yield secret.hex().encode()
    for offset in range(3):
        encoded = base64.b64encode(b"x" * offset + secret)
        yield encoded[4:-4]  # without what its neighbours take part in


@pytest.mark.parametrize("log_format", ["pretty", "json"])
@pytest.mark.timeout(120)
async def test_planted_secrets_show_nowhere(tmp_path: Path, log_format: str) -> None:
    planted = {name: f"sentinel{secrets.token_hex(20)}" for name in PLANTED}
    passwords = {name: f"sentinel{secrets.token_hex(12)}" for name in ("PDF_PASSWORD", "WRONG_PASSWORD")}
    sightings = Sightings(planted | passwords)
    upstream = free_port()
    environment = lectern_environment(
        **planted,
        API_BASE=f"http://127.0.0.1:{upstream}/v1",
        LOG_FORMAT=log_format,
        LOG_LEVEL="debug",
        COMPUTE_LOG_LEVEL="debug",
    )
    speech_server = started(
        [*LECTERN, "speech-server", "--port", str(upstream)],
        environment={**environment, "LECTERN_SPEECH_SERVER_KEY": planted["API_KEY"]},
        directory=tmp_path,
        output=tmp_path / "speech-server.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{upstream}/health") == 200,
    )
    with running_lectern(tmp_path / "workspace", environment=environment) as instance:
        async with looking_at_processes(sightings):
            with speech_server as process:
                audio_bytes = await listen(instance, sightings, stop_upstream=lambda: stop(process))
            await unlock(instance, sightings, passwords)
            await provoke_errors(instance, sightings)
        await look_at_messages(instance, sightings)
    assert audio_bytes > 0
    for file in (tmp_path / "workspace").rglob("*"):
        if file.is_file():
            sightings.look(f"file {file.relative_to(tmp_path)}", file.read_bytes())
    said = instance.said()
    assert "debug" in said
    assert "request" in said
    assert sightings.looked_at > 100
    assert sightings.found == set()


async def listen(instance: LecternInstance, sightings: Sightings, *, stop_upstream: Any) -> int:
    """One document is heard from the shared provider; then the provider goes away, and that is an error."""
    async with Reader.signed_up(instance.base_url, trace_configs=[tracing(sightings)]) as reader:
        assert (await reader.get("/api/tts/shared-providers"))["default"] == "default-provider"
        first = await reader.upload("first.txt", b"This sentence is spoken by a provider with a key.")
        await reader.until_ready(first, seconds=30)
        session = await reader.play(first, provider_ref="default-provider")
        sightings.look("playback session", json.dumps(session))
        audio = await reader.read_all(session["audioUrl"])
        stop_upstream()
        second = await reader.upload("second.txt", b"Nobody is there to speak this one.")
        await reader.until_ready(second, seconds=30)
        silent = await reader.play(second, provider_ref="default-provider")
        problem = await first_event(reader, silent["eventsUrl"], "problem")
        sightings.look("problem event", problem)
        return len(audio)


async def unlock(instance: LecternInstance, sightings: Sightings, passwords: dict[str, str]) -> None:
    """A locked document is opened at the second attempt."""
    async with Reader.signed_up(instance.base_url, trace_configs=[tracing(sightings)]) as reader:
        pdf = locked_pdf(passwords["PDF_PASSWORD"])
        assert (await reader.upload_problem("locked.pdf", pdf))["code"] == "PASSWORD_REQUIRED"
        (document,) = (await reader.get("/api/documents"))["documents"]
        path = f"/api/documents/{document['id']}/password"
        await reader.post(path, {"password": passwords["WRONG_PASSWORD"]})
        assert (await reader.upload_problem("locked.pdf", pdf))["code"].startswith("PASSWORD_")
        await reader.post(path, {"password": passwords["PDF_PASSWORD"]})
        await reader.until_ready(document["id"], seconds=30)


async def first_event(reader: Reader, path: str, kind: str) -> str:
    """The data of the first event of a kind. Provider errors are retried for a while before they are told."""
    async with asyncio.timeout(60), reader._http.get(reader._base_url + path) as events:
        seen = ""
        async for line in events.content:
            seen = line.decode().strip().removeprefix("event: ") if line.startswith(b"event:") else seen
            if seen == kind and line.startswith(b"data:"):
                return line.decode()
    raise AssertionError(f"no {kind} event came")


async def provoke_errors(instance: LecternInstance, sightings: Sightings) -> None:
    wrong = {"Authorization": "Bearer wrong", "Origin": instance.base_url}
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", f"{instance.base_url}/api/nothing", {}),
        ("GET", f"{instance.base_url}/metrics", {}),
        ("GET", f"{instance.worker_url}/metrics", {}),
        ("GET", f"{instance.base_url}/health/ready", {}),
        ("GET", f"{instance.worker_url}/health/ready", {}),
        ("POST", f"{instance.base_url}/api/auth/sign-in", {"json": {"email": 5}}),
        ("POST", f"{instance.base_url}/api/documents", {"data": b"rubbish"}),
        (
            "POST",
            f"{instance.base_url}/api/internal/compute/tts-credentials",
            {"json": {"provider_ref": "x"}},
        ),
        ("POST", f"{instance.worker_url}/v1/operations", {"data": b"{"}),
        ("GET", f"{instance.worker_url}/v1/tts-playback/sessions/x/audio?token=wrong", {}),
    ]
    async with aiohttp.ClientSession(trace_configs=[tracing(sightings)], headers=wrong) as http:
        for method, url, options in requests:
            async with http.request(method, url, **options) as answer:
                sightings.look(f"answer of {url}", await answer.read())


def tracing(sightings: Sightings) -> aiohttp.TraceConfig:
    """Sees the address, the headers and the body of every answer that a client gets."""

    async def on_end(_session: Any, _context: Any, seen: aiohttp.TraceRequestEndParams) -> None:
        place = f"answer of {seen.method} {seen.url.path}"
        sightings.look(place, f"{seen.url} {seen.response.headers}")

    async def on_chunk(_session: Any, _context: Any, seen: aiohttp.TraceResponseChunkReceivedParams) -> None:
        sightings.look(f"body of {seen.method} {seen.url.path}", seen.chunk)

    config = aiohttp.TraceConfig()
    config.on_request_end.append(on_end)
    config.on_response_chunk_received.append(on_chunk)
    return config


async def look_at_messages(instance: LecternInstance, sightings: Sightings) -> None:
    """Everything that the broker has stored, as a client reads it."""
    configuration = instance.workspace / "docstore" / "broker" / "nats-server.conf"
    account = json.loads(configuration.read_text())["authorization"]
    url = f"nats://127.0.0.1:{instance.environment['EMBEDDED_BROKER_PORT']}"
    client = await nats.connect(url, user=account["user"], password=account["password"])
    try:
        jetstream = client.jetstream()
        for stream in STREAMS:
            state = (await jetstream.stream_info(stream)).state
            for number in range(state.first_seq, state.last_seq + 1):
                with contextlib.suppress(nats.js.errors.NotFoundError):
                    message = await jetstream.get_msg(stream, number)
                    content = f"{message.subject} {message.headers} ".encode() + (message.data or b"")
                    sightings.look(f"message on {message.subject}", content)
    finally:
        await client.close()


@asynccontextmanager
async def looking_at_processes(sightings: Sightings) -> AsyncIterator[None]:
    """As any user of the machine could, the whole time."""

    def look_once() -> None:
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                sightings.look(f"command line of {file.parent.name}", file.read_bytes())

    async def look() -> None:
        while True:
            look_once()
            await asyncio.sleep(0.25)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


def test_a_planted_secret_would_be_seen() -> None:
    secret = f"sentinel{secrets.token_hex(20)}"
    for disguised in (
        f"key={secret};",
        secret.encode().hex(),
        base64.b64encode(f"user:{secret}:more".encode()).decode(),
        base64.b64encode(f"12{secret}".encode()).decode(),
    ):
        sightings = Sightings({"NAME": secret})
        sightings.look("here", disguised)
        assert sightings.found == {("here", "NAME")}
