"""Requests to a sign-in provider: short, small, without detours, and never with a secret in an error."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote_plus, urlsplit

import aiohttp

from app_server.external_sign_in.ports import ProviderAnswerError, ProviderUnreachableError
from shared.configuration.parsers import is_loopback

_DEADLINE: Final = aiohttp.ClientTimeout(total=10)
_MOST_BYTES: Final = 1024 * 1024  # discovery documents and sets of keys have a few kilobytes
_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "Lectern"}


class ProviderHttp:
    """Raises ProviderUnreachableError and ProviderAnswerError, as name's."""

    def __init__(self, *, session: aiohttp.ClientSession, name: str) -> None:
        self._session = session
        self._name = name

    async def get(self, url: str, *, token: str = "") -> Any:
        """The JSON at an address."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await self._json("GET", url, headers)

    async def post(
        self, url: str, form: Mapping[str, str], *, credentials: tuple[str, str] | None = None
    ) -> Any:
        """credentials go into HTTP Basic, encoded as RFC 6749, section 2.3.1 wants them."""
        headers = {}
        if credentials:
            headers["Authorization"] = aiohttp.encode_basic_auth(*map(quote_plus, credentials))
        return await self._json("POST", url, headers, form=form)

    def fault(self, text: str) -> ProviderAnswerError:
        return ProviderAnswerError(self._name, text)

    async def _json(
        self, method: str, url: str, headers: Mapping[str, str], *, form: Mapping[str, str] | None = None
    ) -> Any:
        if not is_safe_address(url):
            raise self.fault(f"{_place(url)} is neither https:// nor on this machine")
        try:
            async with self._session.request(
                method,
                url,
                headers={**_HEADERS, **headers},
                data=form,
                timeout=_DEADLINE,
                allow_redirects=False,
            ) as response:
                body, status = await _body(response), response.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ProviderUnreachableError(self._name) from error
        if status >= 500 or status == 429:
            raise ProviderUnreachableError(self._name)
        if status != 200:
            raise self.fault(f"{method} {_place(url)} was answered with {status}{_error_word(body)}")
        try:
            return json.loads(body)
        except ValueError as error:
            raise self.fault(f"{_place(url)} holds no JSON") from error


def is_safe_address(url: str) -> bool:
    """https, or plain http that doesn't leave this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """What is too long is cut off, and no JSON then."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(16 * 1024):
        body += chunk
        if len(body) > _MOST_BYTES:
            break
    return bytes(body[:_MOST_BYTES])


def _error_word(body: bytes) -> str:
    """OAuth's word for what is wrong (RFC 6749, section 5.2); nothing else of the body is repeated."""
    found = re.search(rb'"error"\s*:\s*"([a-z_]{1,40})"', body)
    return f" ({found[1].decode()})" if found else ""


def _place(url: str) -> str:
    return url.partition("?")[0]
