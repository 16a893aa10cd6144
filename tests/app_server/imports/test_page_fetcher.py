"""The fetcher against servers that mean well and servers that don't. Names are resolved by the test, and
"public.test" stands for a public address: 127.0.0.1, which the test's own policy lets through."""

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from app_server.imports.address_policy import is_public
from app_server.imports.page_fetcher import FetchLimits, PageFetcher
from app_server.library.formats import DocumentFormat
from shared.errors import LecternError

HTML = "<!doctype html><title>Page</title><p>Überall Text.</p>"
HERE = "127.0.0.1"


class Names:
    """A resolver whose answers for a name may change from one question to the next."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self._answers = {name.replace("_", "."): list(lists) for name, lists in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[tuple[Any, ...]]:
        self.asked.append(host)
        lists = self._answers.get(host)
        if not lists:
            raise socket.gaierror("no such name")
        addresses = lists.pop(0) if len(lists) > 1 else lists[0]
        return [
            (
                socket.AF_INET6 if ":" in address else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (address, port),
            )
            for address in addresses
        ]


def only_here(address: str) -> bool:
    return address == HERE


class Site:
    """What is at public.test; answer may be exchanged."""

    def __init__(self) -> None:
        self.hits: list[str] = []
        self.answer: Callable[[web.Request], Any] = lambda _: web.Response()
        app = web.Application()
        app.router.add_get("/{path:.*}", self._handle)
        self.server = TestServer(app, host=HERE)

    def address(self, path: str = "/", host: str = "public.test") -> str:
        return f"http://{host}:{self.server.port}{path}"

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.hits.append(request.path)
        result = self.answer(request)
        response: web.StreamResponse = await result if asyncio.iscoroutine(result) else result
        return response


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    await site.server.start_server()
    yield site
    await site.server.close()


def answering(site: Site, answer: Callable[[web.Request], Any]) -> Callable[..., str]:
    site.answer = answer
    return site.address


def fetcher(names: Names | None = None, **limits: Any) -> PageFetcher:
    return PageFetcher(
        policy=only_here,
        resolve=names or Names(public_test=[[HERE]]),
        limits=FetchLimits(**limits) if limits else None,
    )


async def refusal(action: Any) -> str:
    with pytest.raises(LecternError) as refused:
        await action
    return refused.value.reason


def page(
    body: bytes | str = HTML, content_type: str = "text/html; charset=utf-8"
) -> Callable[..., web.Response]:
    content = body.encode() if isinstance(body, str) else body
    return lambda _request: web.Response(body=content, headers={"Content-Type": content_type})


async def test_a_page_is_fetched(site: Site) -> None:
    found = await fetcher().fetch(answering(site, page())("/notes/the-river.html?x=1#part"))
    assert found.content.decode() == HTML
    assert (found.format, found.file_name) == (DocumentFormat.WEB_PAGE, "the-river.html")
    assert found.url.endswith("/notes/the-river.html?x=1")


async def test_the_encoding_that_the_server_tells_stays_with_the_bytes(site: Site) -> None:
    address = answering(site, page(HTML.encode("latin-1"), "text/html; charset=iso-8859-1"))
    assert (await fetcher().fetch(address("/"))).content.decode("utf-8-sig") == HTML


@pytest.mark.parametrize(
    ("path", "content_type", "expected"),
    [
        ("/a.txt", "text/plain", (DocumentFormat.TEXT, "a.txt")),
        ("/README.md", "text/plain", (DocumentFormat.MARKDOWN, "README.md")),
        ("/a", "text/markdown", (DocumentFormat.MARKDOWN, "a.md")),
        ("/", "application/xhtml+xml", (DocumentFormat.WEB_PAGE, "public.test.html")),
    ],
)
async def test_text_and_markdown_are_pages_too(
    site: Site, path: str, content_type: str, expected: tuple[DocumentFormat, str]
) -> None:
    found = await fetcher().fetch(answering(site, page("Some words.", content_type))(path))
    assert (found.format, found.file_name) == expected


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"%PDF-1.7 ...", "application/pdf"),
        (b"%PDF-1.7 ...", "text/html"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "text/plain"),
        (b"PK\x03\x04" + bytes(50), "text/html"),
        (b"{}", "application/json"),
        (b"x", "nonsense"),
        (b"  \n", "text/html"),
    ],
)
async def test_only_html_and_text_are_taken_by_type_and_by_bytes(
    site: Site, body: bytes, content_type: str
) -> None:
    address = answering(site, page(body, content_type))
    expected = "PAGE_UNSUPPORTED"
    if content_type == "nonsense":  # RFC 2045 takes it for plain text
        assert (await fetcher().fetch(address("/"))).format is DocumentFormat.TEXT
        return
    assert await refusal(fetcher().fetch(address("/"))) == expected


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "ftp://public.test/a", "javascript:alert(1)", "http://", "http://a b/", "data:,x",
     "http://name:word@public.test/", "gopher://public.test", "http://public.test:99999/", ""],
)  # fmt: skip
async def test_other_schemes_and_what_is_no_address_are_refused(address: str) -> None:
    names = Names(public_test=[[HERE]])
    assert await refusal(fetcher(names).fetch(address)) == "ADDRESS_INVALID"
    assert names.asked == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"]
)
async def test_this_machine_is_not_reached_in_any_spelling(site: Site, host: str) -> None:
    address = answering(site, page())("/", host)
    assert await refusal(PageFetcher(policy=is_public).fetch(address)) in {
        "ADDRESS_NOT_PUBLIC",
        "ADDRESS_INVALID",
        "PAGE_UNREACHABLE",
    }
    assert site.hits == []


async def test_a_name_of_a_private_address_is_refused_even_among_public_ones(site: Site) -> None:
    address = answering(site, page())("/")
    for addresses in (["10.0.0.1"], [HERE, "10.0.0.1"], ["169.254.169.254"], ["::ffff:10.0.0.1"]):
        names = Names(public_test=[addresses])
        assert await refusal(fetcher(names).fetch(address)) == "ADDRESS_NOT_PUBLIC"
    assert site.hits == []


async def test_a_name_that_changes_its_address_cannot_lead_elsewhere(site: Site) -> None:
    """DNS rebinding: the address that was checked is the one that is connected to, on every hop anew."""
    seen: list[str] = []

    def policy(address: str) -> bool:
        seen.append(address)
        return address == HERE

    def leads_on(request: web.Request) -> web.Response:
        if request.path == "/":
            raise web.HTTPFound("/second")
        return web.Response(text=HTML, content_type="text/html")

    names = Names(public_test=[[HERE], ["10.0.0.1"]])
    tricked = PageFetcher(policy=policy, resolve=names)
    assert await refusal(tricked.fetch(answering(site, leads_on)("/"))) == "ADDRESS_NOT_PUBLIC"
    assert site.hits == ["/"]
    assert seen == [HERE, HERE, "10.0.0.1"]
    assert names.asked == ["public.test", "public.test"]


async def test_a_connection_goes_through_the_policy_whatever_resolved_the_name(site: Site) -> None:
    """As a last gate: here the resolver's own check is blind to it, as an address needs no resolving."""
    address = answering(site, page())("/", HERE)
    blind = PageFetcher(policy=lambda _: False, resolve=Names())
    assert await refusal(blind.fetch(address)) == "ADDRESS_NOT_PUBLIC"
    assert site.hits == []


@pytest.mark.parametrize(
    "location",
    ["http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://private.test/"],
)
async def test_a_redirect_into_a_private_network_is_not_followed(site: Site, location: str) -> None:
    def leads_on(_request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": location})

    names = Names(public_test=[[HERE]], private_test=[["192.168.0.1"]])
    assert await refusal(fetcher(names).fetch(answering(site, leads_on)("/"))) == "ADDRESS_NOT_PUBLIC"


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "http://me:secret@public.test/", "ftp://public.test/"]
)
async def test_a_redirect_to_another_scheme_is_not_followed(site: Site, location: str) -> None:
    def leads_on(_request: web.Request) -> web.Response:
        return web.Response(status=301, headers={"Location": location})

    assert await refusal(fetcher().fetch(answering(site, leads_on)("/"))) == "ADDRESS_INVALID"


async def test_five_redirects_are_followed_and_no_more(site: Site) -> None:
    def counts_down(request: web.Request) -> web.Response:
        left = int(request.path[1:])
        if left:
            return web.Response(status=307, headers={"Location": f"/{left - 1}"})
        return web.Response(text=HTML, content_type="text/html")

    address = answering(site, counts_down)
    assert (await fetcher().fetch(address("/5"))).url == address("/0")
    assert await refusal(fetcher().fetch(address("/6"))) == "PAGE_UNREACHABLE"


async def test_a_page_that_drips_is_given_up(site: Site) -> None:
    ended = asyncio.Event()

    async def drips(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        try:
            while True:
                await response.write(b"<p>")
                await asyncio.sleep(0.02)
        except (ConnectionError, asyncio.CancelledError):
            ended.set()
            raise

    assert await refusal(fetcher(seconds=0.3).fetch(answering(site, drips)("/"))) == "PAGE_TOO_SLOW"
    async with asyncio.timeout(10):
        await ended.wait()


async def test_redirects_share_one_time(site: Site) -> None:
    async def slowly(_request: web.Request) -> web.Response:
        await asyncio.sleep(0.15)
        return web.Response(status=302, headers={"Location": "/"})

    assert await refusal(fetcher(seconds=0.3).fetch(answering(site, slowly)("/"))) == "PAGE_TOO_SLOW"


@pytest.mark.parametrize("coding", ["announced", "chunked", "gzip"])
async def test_a_page_without_end_is_given_up_at_the_limit(site: Site, coding: str) -> None:
    body = b"x" * 3_000_000

    async def large(request: web.Request) -> web.StreamResponse:
        if coding == "announced":
            return web.Response(body=body, content_type="text/html")
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        content = body
        if coding == "gzip":
            response.headers["Content-Encoding"] = "gzip"
            content = gzip.compress(body)
        response.enable_chunked_encoding()
        await response.prepare(request)
        await response.write(content)
        return response

    assert await refusal(fetcher().fetch(answering(site, large)("/"))) == "PAGE_TOO_LARGE"


async def test_what_the_site_refuses_is_told_with_its_status(site: Site) -> None:
    address = answering(site, lambda _: web.Response(status=403, text="no"))
    with pytest.raises(LecternError) as refused:
        await fetcher().fetch(address("/"))
    assert refused.value.reason == "PAGE_REFUSED"
    assert "403" in refused.value.message


async def test_a_name_that_leads_nowhere_is_told(site: Site, free_port: Callable[[], int]) -> None:
    assert await refusal(fetcher(Names()).fetch("http://public.test/")) == "PAGE_UNREACHABLE"
    closed = f"http://public.test:{free_port()}/"
    assert await refusal(fetcher().fetch(closed)) == "PAGE_UNREACHABLE"


async def test_nothing_of_ours_goes_along(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    heads: list[dict[str, str]] = []

    def remembers(request: web.Request) -> web.Response:
        heads.append(dict(request.headers))
        return web.Response(text=HTML, content_type="text/html", headers={"Set-Cookie": "a=b"})

    one = fetcher()
    await one.fetch(answering(site, remembers)("/"))
    await one.fetch(answering(site, remembers)("/"))
    assert {name for head in heads for name in head} <= {
        "Host",
        "Accept",
        "Accept-Encoding",
        "Connection",
        "User-Agent",
    }
