"""What is new, from the feed that the site names; asked for at most every hour, however many read it."""

import asyncio
from typing import Final

import aiohttp
import structlog

from app_server.changelog.model import News
from app_server.changelog.reading import read_feed
from app_server.clock import Clock
from app_server.site_features.ports import FeatureReader
from shared.errors import Code, LecternError

_FRESH_MS: Final = 3_600_000
_FAILURE_FRESH_MS: Final = 60_000
_MOST_BYTES: Final = 1024 * 1024
_TIMEOUT: Final = aiohttp.ClientTimeout(total=8)
_log = structlog.get_logger(__name__)


class Changelog:
    def __init__(self, *, http: aiohttp.ClientSession, features: FeatureReader, clock: Clock) -> None:
        """http undoes no compression: an answer is as large as it is."""
        self._http = http
        self._features = features
        self._clock = clock
        self._asking = asyncio.Lock()
        self._url = ""
        self._news: list[News] | None = None
        self._until_ms = 0

    async def news(self) -> list[News]:
        """Empty where the site names no feed. Raises UNAVAILABLE when it can't be read."""
        url = (await self._features.current()).changelog_feed_url
        if not url:
            return []
        async with self._asking:
            if url != self._url or self._clock() >= self._until_ms:
                await self._ask(url)
            news = self._news
        if news is None:
            raise LecternError(
                Code.UNAVAILABLE,
                "The feed of what is new can't be read just now. Try again in a while.",
                reason="CHANGELOG_UNAVAILABLE",
            )
        return news

    async def _ask(self, url: str) -> None:
        self._url = url
        try:
            self._news = read_feed(await self._body(url))
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            _log.warning("the changelog feed can't be read", cause=type(error).__name__)
            self._news = None
        self._until_ms = self._clock() + (_FAILURE_FRESH_MS if self._news is None else _FRESH_MS)

    async def _body(self, url: str) -> bytes:
        headers = {"Accept-Encoding": "identity", "User-Agent": "Lectern"}
        async with self._http.get(url, headers=headers, timeout=_TIMEOUT, max_redirects=3) as answer:
            answer.raise_for_status()
            body = await answer.content.read(_MOST_BYTES + 1)
            while len(body) <= _MOST_BYTES and (more := await answer.content.read(_MOST_BYTES)):
                body += more
        if len(body) > _MOST_BYTES:
            raise ValueError("the feed is too large")
        return body
