"""Reading a provider's HTTP answer: bounded, and nothing of it shown to a user that should not be."""

import contextlib
import json
from typing import Any

import aiohttp
import regex

from compute_worker.speech.model import RequestPolicy
from compute_worker.speech.retry import Failure, retry_after_seconds
from shared.errors import Code, LecternError

MAX_AUDIO_BYTES = 64 * 2**20
_CONNECT_SECONDS = 10.0
_MAX_ERROR_BYTES = 64 * 2**10
_EXCERPT_CHARACTERS = 200
_SECRET = regex.compile(r"(?i)(bearer\s+\S+|\b(?:sk|pk|r8|key|token)[-_][\w-]{6,}|[\w+/=-]{32,})")
_MESSAGE_FIELDS = ("error", "message", "detail", "code", "param")
_INVISIBLE = regex.compile(r"[\p{C}\s]+")


def bearer(api_key: str) -> dict[str, str]:
    """No header at all when the key is blank: some servers refuse an empty one."""
    key = api_key.strip()
    return {"Authorization": f"Bearer {key}"} if key else {}


def timeout_of(policy: RequestPolicy) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=policy.timeout_ms / 1000, sock_connect=_CONNECT_SECONDS)


async def read_audio(answer: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in answer.content.iter_chunked(2**16):
        body += chunk
        if len(body) > MAX_AUDIO_BYTES:
            message = "The speech provider's answer is too large."
            raise LecternError(Code.FAILED_PRECONDITION, message, reason="AUDIO_TOO_LARGE")
    return bytes(body)


async def read_failure(answer: aiohttp.ClientResponse, *, secret: str) -> Failure:
    body = await answer.content.read(_MAX_ERROR_BYTES)
    pause = retry_after_seconds(answer.headers.get("Retry-After"))
    return Failure(answer.status, excerpt_of(body, secret=secret), pause)


def excerpt_of(body: bytes, *, secret: str) -> str:
    """What the provider says went wrong, on one short line, without anything that looks like a key."""
    text = body.decode(errors="replace").strip()
    if text.startswith("<"):
        return ""  # a proxy's HTML page tells nobody anything
    with contextlib.suppress(ValueError):
        text = _message_of(json.loads(text)) or ""
    if secret:
        text = text.replace(secret, "[...]")
    text = str(_SECRET.sub("[...]", _INVISIBLE.sub(" ", text))).strip()
    return text if len(text) <= _EXCERPT_CHARACTERS else text[: _EXCERPT_CHARACTERS - 1] + "…"


def _message_of(answer: Any) -> str | None:
    """The message in OpenAI's, FastAPI's and problem+json's shapes."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list):
        return "; ".join(filter(None, (_message_of(item) for item in answer[:3])))
    if not isinstance(answer, dict):
        return None
    if isinstance(answer.get("msg"), str):
        place = ".".join(str(part) for part in answer.get("loc", []) if part != "body")
        return f"{place}: {answer['msg']}" if place else str(answer["msg"])
    parts = [
        _message_of(answer[name])
        for name in ("error", "message", "detail", "code", "param")
        if name in answer
    ]
    return "; ".join(part for part in parts if part) or None
