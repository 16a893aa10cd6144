"""A listener as a browser is one: follows the events, moves the cursor, and hears on where it was cut off."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from bench.reader import Reader

BYTES_PER_SECOND, FRAME_MS = 8000, 24
BUFFER_SECONDS = 20.0  # of audio; what a browser takes ahead
PAUSE_SECONDS = 0.3
CURSOR_SECONDS = 0.7
SILENCE_SECONDS = 20.0  # events have a sign of life every 15 s
PROVIDER = "default-provider"
CALL = aiohttp.ClientTimeout(total=15)


class NotNowError(Exception):
    """An answer after which asking again is right."""


@dataclass
class Listener:
    base_url: str
    name: str
    password: str
    document: bytes
    speed: float  # as a multiple of real time
    audio: bytearray = field(default_factory=bytearray)
    cuts: int = 0
    uploads_cut: int = 0
    plays: int = 0
    problems: list[str] = field(default_factory=list)
    frames: dict[int, int] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)  # of the audio's addresses, and the cookies'
    doing: str = "nothing yet"
    _session: dict[str, Any] = field(default_factory=dict)
    _last_event_id: str = ""
    _began: float = 0.0

    async def listen(self, http: aiohttp.ClientSession) -> None:
        """From the upload to the last byte."""
        reader = Reader(http, self.base_url)
        account = {"email": f"{self.name}@example.org", "password": self.password}
        self.doing = "signing up"
        await patiently(lambda: self._sign_up(http, account))
        self.tokens |= {cookie.value for cookie in http.cookie_jar}
        document_id = await self._ready_document(http, reader)
        self.doing = "starting to play"
        await self._play(http, document_id)
        self._began = time.monotonic()
        followers = [
            asyncio.create_task(self._follow_events(http)),
            asyncio.create_task(self._move_cursor(http)),
        ]
        try:
            await self._hear(http, document_id)
        finally:
            for follower in followers:
                follower.cancel()
            await asyncio.gather(*followers, return_exceptions=True)
        self.doing = "done"

    def where(self) -> str:
        return (
            f"{self.name}: {self.doing}, {len(self.audio)} bytes, segments {sorted(self.frames)[-3:]}, "
            f"cuts {self.cuts}, plays {self.plays}, session {self._session.get('sessionId')}, "
            f"problems {self.problems[-3:]}"
        )

    async def _sign_up(self, http: aiohttp.ClientSession, account: dict[str, str]) -> None:
        try:
            await call(http, "POST", f"{self.base_url}/api/auth/sign-up", account)
        except NotNowError as error:  # the address may be taken by us: the answer was lost
            try:
                await call(http, "POST", f"{self.base_url}/api/auth/sign-in", account)
            except AssertionError:
                raise error from None

    async def _ready_document(self, http: aiohttp.ClientSession, reader: Reader) -> str:
        self.doing = "uploading"
        document_id = await patiently(lambda: self._upload(http))
        self.doing = "waiting for the document"
        one = f"{self.base_url}/api/documents/{document_id}"
        while True:
            document = (await patiently(lambda: call(http, "GET", one)))["document"]
            if document["state"] == "ready":
                return document_id
            if document["state"] == "failed":
                assert document["error"]["message"], document
                self.problems.append(document["error"]["code"])
                await patiently(lambda: call(http, "POST", f"{one}/retry", {}))
            await asyncio.sleep(PAUSE_SECONDS)

    async def _upload(self, http: aiohttp.ClientSession) -> str:
        form = aiohttp.FormData()
        form.add_field("file", self.document, filename="book.txt", content_type="text/plain")
        self.uploads_cut += 1
        async with http.post(f"{self.base_url}/api/documents", data=form, timeout=CALL) as answer:
            document_id = str((await judged(answer))["document"]["id"])
        self.uploads_cut -= 1
        return document_id

    async def _play(self, http: aiohttp.ClientSession, document_id: str) -> None:
        body = {
            "documentId": document_id,
            "start": {"ordinal": self._ordinal()},
            "settings": {"providerRef": PROVIDER, "voice": "test"},
        }
        url = f"{self.base_url}/api/tts/playback/sessions"
        self._session = await patiently(lambda: call(http, "POST", url, body))
        self.plays += 1

    async def _hear(self, http: aiohttp.ClientSession, document_id: str) -> None:
        without_progress = 0
        while True:
            before = len(self.audio)
            try:
                self.doing = "listening"
                if await self._hear_on(http):
                    return
            except (aiohttp.ClientError, OSError, TimeoutError, NotNowError) as error:
                self.cuts += 1
                self.doing = f"cut ({type(error).__name__}: {error})"
            without_progress = 0 if len(self.audio) > before else without_progress + 1
            await asyncio.sleep(PAUSE_SECONDS)
            if without_progress >= 4:  # what a person does: presses play again
                without_progress = 0
                self.doing = "playing again"
                await self._play(http, document_id)

    async def _hear_on(self, http: aiohttp.ClientSession) -> bool:
        """Whether the stream has ended properly. What was heard is heard on from its last byte."""
        have = len(self.audio)
        renew = f"{self.base_url}/api/tts/playback/sessions/{self._session['sessionId']}/audio-url"
        address = (await call(http, "POST", renew, {}))["audioUrl"]
        self.tokens |= set(parse_qs(urlsplit(address).query)["token"])
        headers = {"Range": f"bytes={have}-"} if have else {}
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=3, sock_read=SILENCE_SECONDS)
        async with http.get(f"{address}&from=0&at=0", headers=headers, timeout=timeout) as answer:
            if answer.status == 416:
                return answer.headers["Content-Range"] == f"bytes */{have}"
            if answer.status not in {200, 206}:
                raise NotNowError(f"status {answer.status}")
            assert (answer.status == 206) == bool(have), (answer.status, have)
            async for chunk in answer.content.iter_any():
                self.audio += chunk
                ahead = len(self.audio) / BYTES_PER_SECOND - self._heard_seconds() - BUFFER_SECONDS
                await asyncio.sleep(max(0.0, ahead / self.speed))
        return True

    def _heard_seconds(self) -> float:
        played = (time.monotonic() - self._began) * self.speed if self._began else 0.0
        return min(played, len(self.audio) / BYTES_PER_SECOND)

    def _ordinal(self) -> int:
        """The segment that is being heard."""
        heard_frames, ordinal = self._heard_seconds() * 1000 / FRAME_MS, 0
        while ordinal in self.frames and heard_frames >= self.frames[ordinal]:
            heard_frames -= self.frames[ordinal]
            ordinal += 1
        return min(ordinal, max(self._session.get("segmentCount", 1) - 1, 0))

    async def _follow_events(self, http: aiohttp.ClientSession) -> None:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=3, sock_read=SILENCE_SECONDS)
        while True:
            headers = {"Last-Event-ID": self._last_event_id} if self._last_event_id else {}
            with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
                async with http.get(
                    self.base_url + self._session["eventsUrl"], headers=headers, timeout=timeout
                ) as answer:
                    if answer.status == 200:
                        async for identifier, kind, data in server_events(answer):
                            self._last_event_id = identifier
                            self._learn(kind, data)
            await asyncio.sleep(PAUSE_SECONDS)

    def _learn(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "segment":
            self.frames[data["ordinal"]] = data["frames"] + data["pauseFrames"]
        elif kind == "problem":
            self.problems.append(data["code"])

    async def _move_cursor(self, http: aiohttp.ClientSession) -> None:
        while True:
            url = f"{self.base_url}/api/tts/playback/sessions/{self._session['sessionId']}/cursor"
            with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError, NotNowError):
                await call(http, "POST", url, {"ordinal": self._ordinal(), "playing": True})
            await asyncio.sleep(CURSOR_SECONDS)


async def server_events(answer: aiohttp.ClientResponse) -> AsyncIterator[tuple[str, str, dict[str, Any]]]:
    fields: dict[str, str] = {}
    async for line in answer.content:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            fields[name] = value
        elif "data" in fields:
            yield fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"])
            fields = {}


async def call(http: aiohttp.ClientSession, method: str, url: str, body: dict[str, Any] | None = None) -> Any:
    async with http.request(method, url, json=body, timeout=CALL) as answer:
        return await judged(answer)


async def judged(answer: aiohttp.ClientResponse) -> Any:
    text = await answer.text()
    if answer.status in {409, 429} or answer.status >= 500:
        raise NotNowError(f"{answer.url.path}: {answer.status} {text}")
    assert answer.status < 300, f"{answer.url.path}: {answer.status} {text}"
    return json.loads(text) if text else None


async def patiently(what: Callable[[], Awaitable[Any]]) -> Any:
    """Until it works; whoever calls bounds the time."""
    while True:
        try:
            return await what()
        except (aiohttp.ClientError, OSError, TimeoutError, NotNowError):
            await asyncio.sleep(PAUSE_SECONDS)
