"""/api/changelog: what is new."""

from aiohttp import web

from app_server.accounts.access import Access
from app_server.changelog.service import Changelog
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, json_response


class ShownNews(AnswerBody):
    title: str
    # Empty without one.
    url: str
    # A day, as in 2026-01-31, where the feed tells it.
    published: str
    summary: str


class ChangelogAnswer(AnswerBody):
    entries: list[ShownNews]


class ChangelogRoutes:
    def __init__(self, *, changelog: Changelog) -> None:
        self._changelog = changelog

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="GET",
            path="/api/changelog",
            handler=self.list,
            summary="See what is new, by the feed that the site names",
            tag="Site",
            access=Access.GUEST_OR_USER,
            answer=ChangelogAnswer,
            problems=("CHANGELOG_UNAVAILABLE",),
        )
        add_endpoints(app, [endpoint])

    async def list(self, _request: web.Request) -> web.Response:
        shown = [
            ShownNews(title=news.title, url=news.url, published=news.published, summary=news.summary)
            for news in await self._changelog.news()
        ]
        return json_response(ChangelogAnswer(entries=shown))
