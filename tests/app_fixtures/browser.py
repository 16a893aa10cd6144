"""A browser as the API knows it: cookies, an Origin, and nothing else."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientResponse, FormData, web
from aiohttp.test_utils import TestClient

from app_fixtures import contract

PASSWORD = "correct horse battery"


@dataclass
class Answer:
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        assert self.headers["Content-Type"].startswith("application/problem+json"), self.body
        return str(self.json["code"])


class Browser:
    def __init__(
        self, *, client: "TestClient[Any, Any]", origin: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """headers: of every request."""
        self.client = client
        self.origin = origin
        self.headers = dict(headers or {})

    async def send(self, method: str, path: str, **options: Any) -> Answer:
        headers = {"Origin": self.origin, **self.headers, **options.pop("headers", {})}
        async with self.client.request(
            method, path, headers=headers, allow_redirects=False, **options
        ) as response:
            answer = Answer(response.status, response.headers, await response.read())
        self._check(method, path, answer)
        return answer

    def _check(self, method: str, path: str, answer: Answer) -> None:
        app = self.client.app
        endpoint = contract.endpoint_of(app, method, path) if app is not None else None
        if endpoint is not None:
            content_type = answer.headers.get("Content-Type", "")
            contract.check_answer(endpoint, answer.status, content_type, answer.body)

    async def get(self, path: str, **options: Any) -> Answer:
        return await self.send("GET", path, **options)

    async def post(self, path: str, json: Any = None, **options: Any) -> Answer:
        return await self.send("POST", path, json=json, **options)

    async def enter(self, way: str, email: str, password: str = PASSWORD) -> Answer:
        return await self.post(f"/api/auth/{way}", {"email": email, "password": password})

    async def upload(self, body: bytes, name: str, to: str = "/api/documents") -> Answer:
        form = FormData()
        form.add_field("file", io.BytesIO(body), filename=name, content_type="application/octet-stream")
        return await self.send("POST", to, data=form)

    async def add_document(self, body: bytes = b"<p>Hello.</p>", name: str = "hello.html") -> str:
        """A document that is ready."""
        answer = await self.upload(body, name)
        assert answer.status == 201, answer.body
        identifier = str(answer.json["document"]["id"])
        await self.settled(identifier)
        return identifier

    async def settled(self, document_id: str) -> dict[str, Any]:
        last: dict[str, Any] = {}
        async for event in self.events(f"/api/documents/{document_id}/events"):
            last = event["data"]
        assert last["state"] != "processing"
        return last

    def opened(self, path: str, **headers: str) -> AbstractAsyncContextManager[ClientResponse]:
        return self.client.get(path, headers={**self.headers, **headers})

    async def events(self, path: str, **headers: str) -> AsyncIterator[dict[str, Any]]:
        endpoint = contract.endpoint_of(self.client.app, "GET", path) if self.client.app else None
        async with asyncio.timeout(20), self.opened(path, **headers) as response:
            assert response.status == 200, await response.read()
            assert response.headers["Content-Type"] == "text/event-stream"
            fields: dict[str, str] = {}
            async for raw in response.content:
                line = raw.decode().rstrip("\n")
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                elif "event" in fields:
                    data = json.loads(fields["data"])
                    if endpoint is not None:
                        contract.check_event(endpoint, fields["event"], data)
                    yield {**fields, "data": data}
                    fields = {}


@dataclass
class Instance:
    new_browser: Callable[[], Awaitable[Browser]]
    app: web.Application

    async def new_reader(self, email: str) -> Browser:
        browser = await self.new_browser()
        answer = await browser.enter("sign-up", email)
        assert answer.status == 201, answer.body
        return browser
