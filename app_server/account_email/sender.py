"""The e-mail service's HTTP API: POST /emails in the form that Resend gave it.

https://resend.com/docs/api-reference/emails/send-email
"""

import asyncio
import json
from email.headerregistry import Address
from http import HTTPStatus
from typing import Final

import aiohttp

from app_server.account_email.model import AccountEmail, Attempt, EmailText, Verdict

_TIMEOUT: Final = aiohttp.ClientTimeout(total=15, sock_connect=5)
_MOST_ANSWER_BYTES: Final = 64_000
_MOST_REASON_CHARACTERS: Final = 300
# What another time may be different: the rest of 4xx is about the message itself.
_LATER: Final = {401, 403, 404, 408, 409, 425, 429}


class EmailSender:
    def __init__(self, *, http: aiohttp.ClientSession, base_url: str) -> None:
        self._http = http
        self._address = f"{base_url.rstrip('/')}/emails"

    async def send(
        self, text: EmailText, *, recipient: str, settings: AccountEmail, api_key: str, idempotency_key: str
    ) -> Attempt:
        """idempotency_key: the service sends one message for it, however often it is asked."""
        body = {
            "from": str(Address(settings.sender_name, addr_spec=settings.sender_email)),
            "to": [recipient],
            "subject": text.subject,
            "text": text.text,
            "html": text.html,
            **({"reply_to": settings.reply_to} if settings.reply_to else {}),
        }
        headers = {
            "Authorization": f"Bearer {api_key}",
            "Idempotency-Key": idempotency_key,
            "Accept-Encoding": "identity",
        }
        try:
            async with self._http.post(
                self._address, json=body, headers=headers, timeout=_TIMEOUT, allow_redirects=False
            ) as answer:
                said = await answer.content.read(_MOST_ANSWER_BYTES)
                return _attempt(answer.status, said, answer.headers.get("Retry-After", ""))
        except TimeoutError:
            return Attempt(Verdict.LATER, "The e-mail service didn't answer in time.")
        except (aiohttp.ClientError, asyncio.IncompleteReadError, OSError) as error:
            return Attempt(Verdict.LATER, f"The e-mail service can't be reached ({_shortened(str(error))}).")


def _attempt(status: int, said: bytes, retry_after: str) -> Attempt:
    if 200 <= status < 300:
        return Attempt(Verdict.SENT)
    words = _message_of(said)
    if status in {401, 403}:
        reason = f"The e-mail service refused ({status}{words}). Check the API key and the sender's domain."
    elif status == HTTPStatus.TOO_MANY_REQUESTS:
        reason = f"The e-mail service wants fewer messages at a time (429{words})."
    elif status >= 500:
        reason = f"The e-mail service is in trouble ({status}{words})."
    else:
        reason = f"The e-mail service refused the message ({status}{words})."
    verdict = Verdict.LATER if status in _LATER or status >= 500 or status < 400 else Verdict.NEVER
    seconds = int(retry_after) if retry_after.isascii() and retry_after.isdigit() else None
    return Attempt(verdict, reason, seconds)


def _message_of(said: bytes) -> str:
    try:
        message = json.loads(said)["message"]
    except (ValueError, KeyError, TypeError):
        return ""
    return f": {_shortened(message)}" if isinstance(message, str) and message else ""


def _shortened(words: str) -> str:
    return " ".join(words.split())[:_MOST_REASON_CHARACTERS]
