"""/api/openapi.json for programs and /api/docs for people: the browser API as it is declared."""

import hashlib
import json
from functools import partial
from typing import Final

from aiohttp import web

from app_server.accounts.access import Access
from app_server.http.endpoints import Content, Endpoint, add_endpoints, endpoints_of
from app_server.openapi.document import openapi_document
from app_server.pages.assets import Assets

_CACHE: Final = "no-cache"


class OpenApiRoutes:
    def __init__(self, *, assets: Assets, version: str, base_url: str, cookie_name: str) -> None:
        self._assets = assets
        self._version = version
        self._base_url = base_url
        self._cookie_name = cookie_name
        self._body = b""

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(
            Endpoint,
            method="GET",
            tag="API",
            access=Access.ANYBODY,
            other_answers={304: "What the caller has"},
        )
        add_endpoints(
            app,
            [
                endpoint(
                    path="/api/openapi.json",
                    handler=self.document,
                    summary="Get the description of this API for programs",
                    answer=Content(("application/json",)),
                ),
                endpoint(
                    path="/api/docs",
                    handler=self.page,
                    summary="Get the description of this API for people",
                    answer=Content(("text/html",)),
                ),
            ],
        )

    async def document(self, request: web.Request) -> web.Response:
        body = self._body or self._made(request.app)
        etag = hashlib.sha256(body).hexdigest()[:32]
        headers = {"ETag": f'"{etag}"', "Cache-Control": _CACHE}
        if any(tag.value in {etag, "*"} for tag in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        response = web.Response(body=body, content_type="application/json", headers=headers)
        response.enable_compression()
        return response

    async def page(self, request: web.Request) -> web.Response:
        return await self._assets.response(request, "pages/api-docs.html")

    def _made(self, app: web.Application) -> bytes:
        """At the first request: by then every domain has added what is its own."""
        document = openapi_document(
            endpoints_of(app),
            version=self._version,
            base_url=self._base_url,
            cookie_name=self._cookie_name,
        )
        self._body = json.dumps(document, ensure_ascii=False).encode()
        return self._body
