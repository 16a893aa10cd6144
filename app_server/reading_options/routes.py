"""What is read of a document and how words are said: per document, and of everything that one listens to."""

from functools import partial

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import json_response, read_body
from app_server.reading_options.bodies import (
    OptionsAnswer,
    OptionsBody,
    RulesAnswer,
    RulesBody,
    SampleAnswer,
    SampleBody,
    options_from,
    rules_from,
    shown_options,
    shown_rules,
    shown_sample,
)
from app_server.reading_options.service import ReadingOptionsService, tried

_OPTIONS = "/api/documents/{document_id}/reading-options"
_RULES = "/api/user/pronunciation"


class ReadingOptionsRoutes:
    def __init__(self, *, service: ReadingOptionsService) -> None:
        self._service = service

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(Endpoint, tag="Reading", access=Access.GUEST_OR_USER)
        reads, writes = TokenScope.DOCUMENTS_READ, TokenScope.DOCUMENTS_WRITE
        options = partial(endpoint, path=_OPTIONS, answer=OptionsAnswer, problems=("DOCUMENT_NOT_FOUND",))
        rules = partial(endpoint, path=_RULES, answer=RulesAnswer)
        add_endpoints(
            app,
            [
                options(
                    method="GET",
                    handler=self.options,
                    summary="Get what is read of a document, and how",
                    scope=reads,
                ),
                options(
                    method="PUT",
                    handler=self.set_options,
                    summary="Choose what is read of a document, and how; sessions that run stay as they are",
                    scope=writes,
                    body=OptionsBody,
                ),
                rules(
                    method="GET",
                    handler=self.rules,
                    summary="Get the rules of pronunciation for all of one's documents",
                    scope=reads,
                ),
                rules(
                    method="PUT",
                    handler=self.set_rules,
                    summary="Set the rules of pronunciation for all of one's documents",
                    scope=writes,
                    body=RulesBody,
                ),
                endpoint(
                    method="POST",
                    path="/api/tts/pronunciation-sample",
                    handler=self.sample,
                    summary="See what rules of pronunciation make of a text",
                    scope=TokenScope.PLAYBACK,
                    body=SampleBody,
                    answer=SampleAnswer,
                ),
            ],
        )

    async def options(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        options = await self._service.of_document(user.id, request.match_info["document_id"])
        return json_response(shown_options(options))

    async def set_options(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        options = options_from(await read_body(request, OptionsBody))
        await self._service.set_for_document(user.id, request.match_info["document_id"], options)
        return json_response(shown_options(options))

    async def rules(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        return json_response(RulesAnswer(rules=shown_rules(await self._service.rules(user.id))))

    async def set_rules(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        rules = rules_from((await read_body(request, RulesBody)).rules)
        await self._service.set_rules(user.id, rules)
        return json_response(RulesAnswer(rules=shown_rules(rules)))

    async def sample(self, request: web.Request) -> web.Response:
        await require_user(request)
        body = await read_body(request, SampleBody)
        rules = rules_from(body.rules)
        return json_response(shown_sample(rules, await tried(rules, body.text)))
