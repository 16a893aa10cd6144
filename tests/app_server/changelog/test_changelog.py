"""What is new is read from any usual feed, shown as plain text, and asked for once an hour at most."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from app_fixtures.administrator import VARIABLES, new_administrator
from app_fixtures.browser import Instance

from app_server.changelog.model import News
from app_server.changelog.reading import MOST_ENTRIES, read_feed
from app_server.changelog.service import Changelog
from app_server.site_features.model import SiteFeatures
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.errors import LecternError

ATOM = b"""<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Releases</title><entry>
<title>5.1 &amp; more</title><link rel="alternate" href="https://example.org/5.1"/>
<updated>2026-11-20T10:00:00Z</updated>
<content type="html">&lt;p&gt;Faster &lt;b&gt;speech&lt;/b&gt;.&lt;/p&gt;</content></entry></feed>"""
RSS = b"""<rss version="2.0"><channel><item>
<title>5.1 &amp; more</title><link>https://example.org/5.1</link>
<pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>
<description><![CDATA[<p>Faster <b>speech</b>.</p>]]></description></item></channel></rss>"""
JSON = b"""{"version": "https://jsonfeed.org/version/1.1", "items": [{"title": "5.1 & more",
"url": "https://example.org/5.1", "date_published": "2026-11-20T10:00:00+00:00",
"content_html": "<p>Faster <b>speech</b>.</p>"}]}"""
ENTITY = b"""<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<rss><channel><item><title>&x;</title></item></channel></rss>"""
NEWS = News("5.1 & more", "https://example.org/5.1", "2026-11-20", "Faster speech.")


@pytest.mark.parametrize("feed", [ATOM, RSS, JSON], ids=["atom", "rss", "json"])
def test_each_kind_of_feed_says_the_same(feed: bytes) -> None:
    assert read_feed(feed) == [NEWS]


def test_a_feed_is_somebody_elses() -> None:
    hostile = ATOM.replace(b"https://example.org/5.1", b"javascript:alert(1)")
    assert read_feed(hostile)[0].url == ""
    assert "root:" not in read_feed(ENTITY)[0].title
    long = b"<rss><channel>" + b"<item><title>x</title></item>" * 50 + b"</channel></rss>"
    assert len(read_feed(long)) == MOST_ENTRIES
    for rubbish in (
        b"",
        b"<html><body>Not found</body></html>",
        b"<rss>",
        b"{}",
        b"\xff\x00",
    ):
        with pytest.raises(ValueError, match=r"feed|RSS|Expecting|decode"):
            read_feed(rubbish)


class Feed:
    """Counts who asks; answers what it is told."""

    def __init__(self) -> None:
        self.asked = 0
        self.answer: Callable[[], web.Response] = lambda: web.Response(body=ATOM)

    async def handle(self, _request: web.Request) -> web.Response:
        self.asked += 1
        return self.answer()


@pytest.fixture
async def feed() -> AsyncIterator[tuple[Feed, str]]:
    feed, app = Feed(), web.Application()
    app.router.add_get("/feed", feed.handle)
    async with TestServer(app) as server:
        yield feed, str(server.make_url("/feed"))


async def test_it_is_asked_once_an_hour_and_sooner_after_a_failure(
    feed: tuple[Feed, str], clock: Any
) -> None:
    served, url = feed

    class Features:
        async def current(self) -> SiteFeatures:
            return SiteFeatures.model_validate({"changelogFeedUrl": url})

    async with aiohttp.ClientSession(auto_decompress=False) as http:
        changelog = Changelog(http=http, features=Features(), clock=clock)
        for _ in range(3):
            assert await changelog.news() == [NEWS]
        assert served.asked == 1
        served.answer = lambda: web.Response(status=503)
        clock.turn(seconds=3600)
        for _ in range(2):
            with pytest.raises(LecternError) as caught:
                await changelog.news()
            assert caught.value.reason == "CHANGELOG_UNAVAILABLE"
        assert served.asked == 2
        served.answer = lambda: web.Response(body=b"<rss>" + b" " * 2_000_000)
        clock.turn(seconds=60)
        with pytest.raises(LecternError):
            await changelog.news()


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, **VARIABLES})


async def test_it_is_there_when_the_site_names_a_feed(instance: Instance, feed: tuple[Feed, str]) -> None:
    admin = await new_administrator(instance)
    reader = await instance.new_reader("reader@example.org")
    assert (await reader.get("/api/auth/session")).json["features"]["hasChangelog"] is False
    assert (await reader.get("/api/changelog")).json == {"entries": []}
    await admin.send("PATCH", "/api/admin/features", json={"changelogFeedUrl": feed[1]})
    assert (await reader.get("/api/auth/session")).json["features"]["hasChangelog"] is True
    (entry,) = (await reader.get("/api/changelog")).json["entries"]
    assert (entry["title"], entry["published"]) == ("5.1 & more", "2026-11-20")
    assert (await (await instance.new_browser()).get("/api/changelog")).status == 401
