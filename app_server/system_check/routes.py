"""/api/admin/system-check: everything that Lectern stands on, looked at once."""

import secrets
from typing import Literal, Protocol

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, json_response
from app_server.system_check.model import BrowserFacts, Item
from app_server.system_check.service import SystemCheck


class BrowserFactSource(Protocol):
    async def facts(self, user_id: str, *, probe_id: str) -> BrowserFacts: ...


class ShownItem(AnswerBody):
    id: str
    label: str
    status: Literal["ok", "warn", "error"]
    detail: str
    # Empty when nothing is to be done.
    fix: str


class ShownBrowserFacts(AnswerBody):
    base_url: str
    # A moment of sound at the worker's public address.
    sound_url: str
    # An object that holds objectText, straight from the store; null where files go through the app.
    object_url: str | None
    object_text: str


class SystemCheckAnswer(AnswerBody):
    items: list[ShownItem]
    # For what only the browser can look at.
    browser: ShownBrowserFacts


class SystemCheckRoutes:
    def __init__(self, *, check: SystemCheck, browser: BrowserFactSource) -> None:
        self._check = check
        self._browser = browser

    def add_to(self, app: web.Application) -> None:
        endpoint = Endpoint(
            method="POST",
            path="/api/admin/system-check",
            handler=self.run,
            summary="Look at everything that Lectern stands on",
            tag="Administration: system",
            access=Access.ADMIN,
            scope=TokenScope.ADMIN,
            answer=SystemCheckAnswer,
        )
        add_endpoints(app, [endpoint])

    async def run(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        items = await self._check.run()
        facts = await self._browser.facts(user.id, probe_id=secrets.token_hex(8))
        shown = ShownBrowserFacts(
            base_url=facts.base_url,
            sound_url=facts.sound_url,
            object_url=facts.object_url,
            object_text=facts.object_text,
        )
        return json_response(SystemCheckAnswer(items=[_shown(item) for item in items], browser=shown))


def _shown(item: Item) -> ShownItem:
    found = item.finding
    return ShownItem(
        id=item.id, label=item.label, status=found.status.value, detail=found.detail, fix=found.fix
    )
