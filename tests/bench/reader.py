"""A reader of Lectern's own API, with a clock."""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp


class Reader:
    def __init__(self, http: aiohttp.ClientSession, base_url: str) -> None:
        self._http = http
        self._base_url = base_url

    @staticmethod
    @asynccontextmanager
    async def signed_up(base_url: str) -> AsyncIterator["Reader"]:
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar, headers={"Origin": base_url}) as http:
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
        form.add_field("file", body, filename=name, content_type="application/octet-stream")
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

    async def play(self, document_id: str, ordinal: int = 0) -> dict[str, Any]:
        session: dict[str, Any] = await self.post(
            "/api/tts/playback/sessions",
            {
                "documentId": document_id,
                "start": {"ordinal": ordinal},
                "settings": {"providerRef": "builtin"},
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

    async def generate_all(self, session: dict[str, Any]) -> int:
        """Moves the cursor through the session until every segment exists; frames of all of them."""
        frames: dict[int, int] = {}
        async with self._http.get(self._base_url + session["eventsUrl"]) as events:
            async for line in events.content:
                if not line.startswith(b"data:"):
                    continue
                event = json.loads(line[5:])
                if "ordinal" in event and "frames" in event:
                    frames[event["ordinal"]] = event["frames"]
                    if len(frames) == session["segmentCount"]:
                        return sum(frames.values())
                    await self.move(session, min(set(range(session["segmentCount"])) - set(frames)))
        raise AssertionError("the events ended before the segments did")

    async def move(self, session: dict[str, Any], ordinal: int, *, playing: bool = True) -> None:
        path = f"/api/tts/playback/sessions/{session['sessionId']}/cursor"
        await self.post(path, {"ordinal": ordinal, "playing": playing})
