"""Going to a sign-in provider and coming back, as a browser does it."""

import aiohttp
from yarl import URL

from app_fixtures.browser import Answer, Browser


async def leave(browser: Browser, provider: str = "oidc", **body: object) -> URL:
    """The provider's address that the browser is sent to."""
    answer = await browser.post(f"/api/auth/external/{provider}", body)
    assert answer.status == 200, answer.body
    return URL(answer.json["url"])


async def agree(url: URL) -> str:
    """At the provider: the callback's path and query that it sends the browser back to."""
    async with aiohttp.ClientSession() as session:
        if url.path == "/authorize":
            form = dict(url.query)
            response = await session.post(url.with_query(None), data=form, allow_redirects=False)
        else:
            response = await session.get(url, allow_redirects=False)
        assert response.status == 302, await response.text()
        return URL(response.headers["Location"]).raw_path_qs


async def come_in(browser: Browser, provider: str = "oidc", **body: object) -> Answer:
    """There and back; the answer of the callback."""
    return await browser.get(await agree(await leave(browser, provider, **body)))


def failure(answer: Answer) -> str:
    """Why the callback led to the sign-in page."""
    assert answer.status == 303
    location = URL(answer.headers["Location"])
    assert location.path == "/signin", location
    return location.query["failed"]


async def email_of(browser: Browser) -> str | None:
    user = (await browser.get("/api/auth/session")).json["user"]
    return user["email"] if user else None
