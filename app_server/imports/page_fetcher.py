"""Fetches one web page for a reader, as strangers' addresses have to be fetched: never into a private
network, never long, never much (OWASP's sheet on server-side request forgery)."""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from app_server.imports.address_policy import AddressPolicy, is_public
from app_server.imports.page_content import WebPage, page_of
from shared.errors import Code, LecternError

MOST_REDIRECTS: Final = 5
MOST_SECONDS: Final = 6.0  # for all hops together
MOST_BYTES: Final = 2 * 1024 * 1024  # after decompression
_CHUNK_BYTES: Final = 16 * 1024
_REDIRECTS: Final = {301, 302, 303, 307, 308}
_HEADERS: Final = {
    "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9",
    # Nothing else is undone here, so that a small answer cannot become a large one.
    "Accept-Encoding": "gzip, deflate",
    "User-Agent": "Lectern (reads pages aloud for the person who asked)",
}
PAGE_PROBLEMS: Final = (
    "ADDRESS_INVALID",
    "ADDRESS_NOT_PUBLIC",
    "PAGE_TOO_LARGE",
    "PAGE_TOO_SLOW",
    "PAGE_UNREACHABLE",
    "PAGE_UNSUPPORTED",
    "PAGE_REFUSED",
)

Resolve = Callable[[str, int], Coroutine[Any, Any, list[tuple[Any, ...]]]]


@dataclass(frozen=True)
class FetchLimits:
    seconds: float = MOST_SECONDS
    bytes: int = MOST_BYTES
    redirects: int = MOST_REDIRECTS


async def resolve_by_system(host: str, port: int) -> list[tuple[Any, ...]]:
    """What getaddrinfo says of a host; raises OSError."""
    loop = asyncio.get_running_loop()
    return list(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))


class PageFetcher:
    """Only its constructor says what is public and who resolves names; no request can."""

    def __init__(
        self,
        *,
        policy: AddressPolicy = is_public,
        resolve: Resolve = resolve_by_system,
        limits: FetchLimits | None = None,
    ) -> None:
        self._policy = policy
        self._resolve = resolve
        self._limits = limits or FetchLimits()

    async def fetch(self, address: str) -> WebPage:
        """Raises one of PAGE_PROBLEMS."""
        url = _checked_url(address)
        try:
            async with asyncio.timeout(self._limits.seconds), self._session() as session:
                return await self._follow(session, url)
        except TimeoutError as error:
            raise LecternError(
                Code.DEADLINE_EXCEEDED,
                f"{url.host} took longer than {self._limits.seconds:g} seconds. Try again, or save the page "
                "and upload it.",
                reason="PAGE_TOO_SLOW",
            ) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # The address policy speaks through the connector, which wraps what it says.
            refusal = _refusal_in(error)
            if refusal is not None:
                raise refusal from error
            raise _problem(
                "PAGE_UNREACHABLE", f"{url.host} could not be reached. Check the address."
            ) from error

    def _session(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            resolver=_CheckedResolver(resolve=self._resolve, policy=self._policy),
            use_dns_cache=False,
            force_close=True,
            socket_factory=self._checked_socket,
        )
        return aiohttp.ClientSession(
            connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False, headers=_HEADERS
        )

    def _checked_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """The last gate: whatever led here, this is the address of the connection itself."""
        family, kind, protocol, _, target = info
        if not self._policy(str(target[0])):
            raise AddressRefusedError(str(target[0]))
        return socket.socket(family=family, type=kind, proto=protocol)

    async def _follow(self, session: aiohttp.ClientSession, url: URL) -> WebPage:
        for _ in range(self._limits.redirects + 1):
            async with session.get(url, allow_redirects=False) as response:
                if response.status not in _REDIRECTS or "Location" not in response.headers:
                    return await self._page(url, response)
                url = _checked_url(str(url.join(URL(response.headers["Location"]))))
        raise _problem(
            "PAGE_UNREACHABLE",
            f"This address leads on more than {self._limits.redirects} times. Try another.",
        )

    async def _page(self, url: URL, response: aiohttp.ClientResponse) -> WebPage:
        if response.status != 200:
            raise _problem(
                "PAGE_REFUSED",
                f"{url.host} answered with {response.status} {response.reason or ''}".strip()
                + ". A page that needs a sign-in can be saved in your browser and uploaded.",
            )
        if (response.content_length or 0) > self._limits.bytes:
            raise self._too_large(url)
        body = bytearray()
        async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
            body += chunk
            if len(body) > self._limits.bytes:
                raise self._too_large(url)
        return page_of(
            bytes(body), url=url.with_fragment(None), content_type=response.headers.get("Content-Type")
        )

    def _too_large(self, url: URL) -> LecternError:
        megabytes = self._limits.bytes / 1024 / 1024
        return _problem(
            "PAGE_TOO_LARGE",
            f"The page at {url.host} is larger than {megabytes:g} MB. Save the part you want and upload it.",
        )


class _CheckedResolver(AbstractResolver):
    """Looks a name up once for each connection, which then goes to one of these very addresses."""

    def __init__(self, *, resolve: Resolve, policy: AddressPolicy) -> None:
        self._resolve = resolve
        self._policy = policy

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = [info for info in await self._resolve(host, port) if family in {socket.AF_UNSPEC, info[0]}]
        for _, _, _, _, target in found:
            # A name with one private address is refused whole: it may mean to be tried again until it fits.
            if not self._policy(str(target[0])):
                raise AddressRefusedError(host)
        return [
            ResolveResult(
                hostname=host,
                host=str(target[0]),
                port=port,
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST,
            )
            for kind, _, protocol, _, target in found
        ]

    async def close(self) -> None:
        """Holds nothing open."""


class AddressRefusedError(OSError):
    """The policy says no. Its argument is the host or the address."""


def _checked_url(address: str) -> URL:
    text = address.strip()
    if "://" not in text[:12] and not text.lower().startswith(("javascript:", "data:", "mailto:", "file:")):
        text = f"https://{text}"
    try:
        url = URL(text)
        _ = url.port, url.human_repr()
    except (ValueError, UnicodeError) as error:
        raise _invalid() from error
    if url.scheme not in {"http", "https"} or not url.host or not url.host.isprintable() or " " in url.host:
        raise _invalid()
    if url.user is not None or url.password is not None:
        raise _refused("ADDRESS_INVALID", "Leave the name and password out of the address.")
    return url


def _refusal_in(error: BaseException) -> LecternError | None:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, AddressRefusedError):
            return _refused(
                "ADDRESS_NOT_PUBLIC",
                "This address leads into a private network, where Lectern does not go. Only pages of the "
                "public web can be added; save others and upload them.",
            )
        inner = getattr(seen, "os_error", None)
        seen = (
            inner
            if isinstance(inner, BaseException) and inner is not seen
            else seen.__cause__ or seen.__context__
        )
    return None


def _invalid() -> LecternError:
    return _refused(
        "ADDRESS_INVALID", "This is not the address of a web page: it begins with http:// or https://."
    )


def _refused(reason: str, message: str) -> LecternError:
    return LecternError(Code.INVALID_ARGUMENT, message, reason=reason)


def _problem(reason: str, message: str) -> LecternError:
    return LecternError(Code.FAILED_PRECONDITION, message, reason=reason)
