"""A reader of Lectern's own API, with a clock. It waits for nothing without an end."""

import asyncio
import io
import json
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

_CURSOR_SECONDS = 5.0  # a listener who isn't heard of for 15 s counts as gone
_GENERATION_SECONDS = 60.0  # without a new segment
_STREAM_SECONDS = aiohttp.ClientTimeout(total=None, sock_read=60.0)


class Reader:
    def __init__(self, http: aiohttp.ClientSession, base_url: str) -> None:
        self._http = http
        self._base_url = base_url

    @staticmethod
    @asynccontextmanager
    async def signed_up(
        base_url: str, *, trace_configs: Sequence[aiohttp.TraceConfig] = ()
    ) -> AsyncIterator["Reader"]:
        jar, headers = aiohttp.CookieJar(unsafe=True), {"Origin": base_url}
        async with aiohttp.ClientSession(
            cookie_jar=jar, headers=headers, trace_configs=list(trace_configs)
        ) as http:
            reader = Reader(http, base_url)
            account = {"email": f"{secrets.token_hex(6)}@example.org", "password": "a long enough password"}
            await reader.post("/api/auth/sign-up", account)
            yield reader

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        async with self._http.post(self._base_url + path, json=body) as answer:
            text = await answer.text()
            assert answer.status < 300, f"{path}: {answer.status} {text}"
            return json.loads(text) if text else None

    async def get(self, path: str) -> Any:
        async with self._http.get(self._base_url + path) as answer:
            assert answer.status == 200, f"{path}: {answer.status} {await answer.text()}"
            return await answer.json(content_type=None)

    async def status(self, path: str) -> int:
        async with self._http.get(self._base_url + path) as answer:
            return answer.status

    async def upload(self, name: str, body: bytes) -> str:
        form = aiohttp.FormData()
        form.add_field("file", io.BytesIO(body), filename=name, content_type="application/octet-stream")
        async with self._http.post(f"{self._base_url}/api/documents", data=form) as answer:
            text = await answer.text()
            assert answer.status == 201, text
            return str(json.loads(text)["document"]["id"])

    async def until_ready(self, document_id: str, seconds: float = 120) -> dict[str, Any]:
        async with asyncio.timeout(seconds):
            while True:
                document: dict[str, Any] = (await self.get(f"/api/documents/{document_id}"))["document"]
                if document["state"] == "ready":
                    return document
                assert document["state"] == "processing", document
                await asyncio.sleep(0.01)

    async def play(
        self, document_id: str, ordinal: int = 0, provider_ref: str = "builtin", voice: str | None = None
    ) -> dict[str, Any]:
        settings = (
            {"providerRef": provider_ref} if voice is None else {"providerRef": provider_ref, "voice": voice}
        )
        session: dict[str, Any] = await self.post(
            "/api/tts/playback/sessions",
            {
                "documentId": document_id,
                "start": {"ordinal": ordinal},
                "settings": settings,
            },
        )
        return session

    async def first_byte_seconds(self, url: str) -> float:
        """From the request to the first byte of audio."""
        began = time.perf_counter()
        async with self._http.get(url) as answer:
            assert answer.status in {200, 206}, answer.status
            assert await answer.content.readany()
            return time.perf_counter() - began

    async def read_seconds_of_audio(self, url: str, milliseconds: int) -> int:
        """Reads that much of a stream and returns the bytes read."""
        wanted = milliseconds * 8  # 64 kbit/s
        received = 0
        async with self._http.get(url) as answer:
            async for chunk in answer.content.iter_any():
                received += len(chunk)
                if received >= wanted:
                    break
        return received

    async def read_all(self, url: str) -> bytes:
        async with self._http.get(url, timeout=_STREAM_SECONDS) as answer:
            assert answer.status == 200, answer.status
            return await answer.read()

    async def upload_problem(self, name: str, body: bytes) -> dict[str, str]:
        """The code and message with which a file is refused, at once or after looking into it."""
        form = aiohttp.FormData()
        form.add_field("file", io.BytesIO(body), filename=name, content_type="application/octet-stream")
        async with self._http.post(f"{self._base_url}/api/documents", data=form) as answer:
            problem = json.loads(await answer.text())
            if answer.status != 201:
                return {"code": problem["code"], "message": problem["detail"]}
        async with asyncio.timeout(60):
            while True:
                document = (await self.get(f"/api/documents/{problem['document']['id']}"))["document"]
                assert document["state"] != "ready", document
                if document["state"] == "failed":
                    return dict(document["error"])
                await asyncio.sleep(0.05)

    async def generate(self, session: dict[str, Any], start: int, end: int) -> dict[int, int]:
        """Moves the cursor until segments [start, end) exist; their frames with pauses, by ordinal."""
        frames: dict[int, int] = {}
        missing = set(range(start, end))
        keep_alive = asyncio.create_task(self._stay_at_first(session, missing))
        try:
            async with (
                asyncio.timeout(_GENERATION_SECONDS) as patience,
                self._http.get(self._base_url + session["eventsUrl"], timeout=_STREAM_SECONDS) as events,
            ):
                async for line in events.content:
                    event = json.loads(line[5:]) if line.startswith(b"data:") else {}
                    if "frames" not in event:
                        assert "message" not in event or "ordinal" in event, event  # one may be unsayable
                        continue
                    frames[event["ordinal"]] = event["frames"] + event["pauseFrames"]
                    if event["ordinal"] in missing:
                        missing.discard(event["ordinal"])
                        if not missing:
                            return {ordinal: frames[ordinal] for ordinal in range(start, end)}
                        patience.reschedule(asyncio.get_running_loop().time() + _GENERATION_SECONDS)
                        await self.move(session, min(missing))
        except TimeoutError as error:
            raise AssertionError(f"no news of segments {sorted(missing)} of {start} to {end}") from error
        finally:
            keep_alive.cancel()
        raise AssertionError("the events ended before the segments did")

    async def events(self, session: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """What the browser is told of the session, as it comes."""
        async with self._http.get(self._base_url + session["eventsUrl"], timeout=_STREAM_SECONDS) as events:
            async for line in events.content:
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])

    async def until_resting(self, session: dict[str, Any]) -> None:
        """Until all of the window is made, and every word in it measured."""
        async with (
            asyncio.timeout(_GENERATION_SECONDS),
            self._http.get(self._base_url + session["eventsUrl"], timeout=_STREAM_SECONDS) as events,
        ):
            async for line in events.content:
                event = json.loads(line[5:]) if line.startswith(b"data:") else {}
                if event.get("state") in {"waiting", "complete"}:
                    return
        raise AssertionError("the events ended before the window was made")

    async def _stay_at_first(self, session: dict[str, Any], missing: set[int]) -> None:
        while True:
            await asyncio.sleep(_CURSOR_SECONDS)
            if missing:
                await self.move(session, min(missing))

    async def move(self, session: dict[str, Any], ordinal: int, *, playing: bool = True) -> None:
        path = f"/api/tts/playback/sessions/{session['sessionId']}/cursor"
        await self.post(path, {"ordinal": ordinal, "playing": playing})

    async def provider_ms(self, speech_url: str, text: str) -> float:
        """How long the provider itself takes to answer for a text."""
        began = time.perf_counter()
        body = {"model": "kokoro", "input": text, "voice": "en-us", "response_format": "wav"}
        async with self._http.post(f"{speech_url}/audio/speech", json=body) as answer:
            assert answer.status == 200, await answer.text()
            await answer.read()
        return (time.perf_counter() - began) * 1000
