"""An e-mail service with Resend's HTTP API: keeps what it gets, and can be told to fail or to be slow.

https://resend.com/docs/api-reference/emails/send-email
"""

import json
import re
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

API_KEY = "re_a_key_for_tests_1234"


@dataclass(frozen=True)
class Received:
    body: dict[str, Any]
    idempotency_key: str

    @property
    def recipient(self) -> str:
        return str(self.body["to"][0])

    @property
    def subject(self) -> str:
        return str(self.body["subject"])

    @property
    def link(self) -> str:
        """The one address in its text."""
        (found,) = set(re.findall(r"https?://\S+", self.body["text"]))
        return found

    @property
    def token(self) -> str:
        return self.link.partition("#")[2]


@dataclass(frozen=True)
class Answer:
    """What the service does with a request instead of taking the message."""

    status: int
    message: str = "something is wrong"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class EmailService:
    url: str
    messages: list[Received] = field(default_factory=list)
    # Answers to the next requests, before it works again.
    troubles: deque[Answer] = field(default_factory=deque)
    requests: int = 0
    # Unset holds every request back.
    is_quick: threading.Event = field(default_factory=threading.Event)

    def to(self, recipient: str) -> list[Received]:
        return [message for message in self.messages if message.recipient == recipient]

    def wait_for(self, recipient: str, subject: str, *, seconds: float = 15) -> Received:
        """The newest of them, for tests without an event loop."""
        deadline = time.monotonic() + seconds
        while True:
            found = [message for message in self.to(recipient) if subject in message.subject]
            if found:
                return found[-1]
            assert time.monotonic() < deadline, [(it.recipient, it.subject) for it in self.messages]
            time.sleep(0.02)


@contextmanager
def running_email_service() -> Iterator[EmailService]:
    service = EmailService(url="")
    service.is_quick.set()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.is_quick.wait(30)
            with lock:
                service.requests += 1
                answer = self._answer(body)
            text = json.dumps(answer[1]).encode()
            self.send_response(answer[0])
            for name, value in answer[2].items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def _answer(self, body: bytes) -> tuple[int, dict[str, Any], dict[str, str]]:
            if service.troubles:
                trouble = service.troubles.popleft()
                return trouble.status, _error(trouble.status, trouble.message), trouble.headers
            if self.path != "/emails":
                return 404, _error(404, "There is no such path"), {}
            if self.headers["Authorization"] != f"Bearer {API_KEY}":
                return 401, _error(401, "API key is invalid"), {}
            key = self.headers.get("Idempotency-Key", "")
            if not any(message.idempotency_key == key for message in service.messages):
                service.messages.append(Received(json.loads(body), key))
            return 200, {"id": f"message-{len(service.messages)}"}, {}

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the library's word
            """Tests say what they need to."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield service
    finally:
        service.is_quick.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _error(status: int, message: str) -> dict[str, Any]:
    return {"statusCode": status, "name": "error", "message": message}
