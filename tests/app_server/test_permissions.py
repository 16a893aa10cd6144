"""Who gets in where: every address of the API, and everybody who may ask it.

What is expected stands in PERMISSIONS and nowhere else. An address without a row fails, and so does a row
without one.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp.test_utils import TestServer
from app_fixtures import actors as people
from app_fixtures.actors import OF_USERS, Actors, actors_of
from app_fixtures.administrator import VARIABLES as FIRST_ADMINISTRATOR
from app_fixtures.administrator import new_administrator
from app_fixtures.browser import Answer, Browser, Instance

from app_server.accounts.access import TokenScope
from app_server.http.endpoints import Endpoint, FileUpload, endpoints_of
from shared.configuration.app_settings import AppSettings, read_app_settings

IN, OWN, MISSING = "in", "in, and it is there", "404"
OUT, NO_ACCOUNT, NO_ADMIN, NOT_YET = (
    "NOT_SIGNED_IN",
    "ACCOUNT_NEEDED",
    "ADMIN_REQUIRED",
    "PASSWORD_CHANGE_REQUIRED",
)
NO_TOKEN, NO_SCOPE = "TOKEN_NOT_ACCEPTED", "TOKEN_SCOPE_MISSING"
GATES = {OUT, NO_ACCOUNT, NO_ADMIN, NOT_YET, NO_TOKEN, NO_SCOPE, "TOKEN_INVALID", "ORIGIN_NOT_TRUSTED"}

PEOPLE = ("nobody", "suspended", "guest", "other", "new_admin", "admin", "user")
# What each of PEOPLE meets, in their order.
PUBLIC = (IN, IN, IN, IN, IN, IN, IN)
SECRET = ("refused",) * 7
LIBRARY = (OUT, OUT, IN, IN, IN, IN, IN)
OWNED = (OUT, OUT, MISSING, MISSING, MISSING, MISSING, OWN)  # also to an administrator
ACCOUNT = (OUT, OUT, NO_ACCOUNT, IN, IN, IN, IN)
OWNED_BY_ACCOUNT = (OUT, OUT, NO_ACCOUNT, MISSING, MISSING, MISSING, OWN)
ADMIN = (OUT, OUT, NO_ACCOUNT, NO_ADMIN, NOT_YET, IN, NO_ADMIN)

READ, WRITE, PLAYBACK = TokenScope.DOCUMENTS_READ, TokenScope.DOCUMENTS_WRITE, TokenScope.PLAYBACK
_START = {"documentId": "{document_id}", "start": {"ordinal": 0}}
_POSITION = {"segmentOrdinal": 0, "blockId": "0-0", "offset": 0, "section": 0, "fraction": 0}

# Who may, the scope that a token needs (None: no token will do), and a body where one is needed to get as far
# as to what is asked for.
PERMISSIONS: dict[str, tuple[Any, ...]] = {
    "GET /api/auth/session": (PUBLIC, None),
    "POST /api/auth/sign-up": (PUBLIC, None),
    "POST /api/auth/sign-in": (PUBLIC, None),
    "POST /api/auth/sign-out": (PUBLIC, None),
    "POST /api/auth/guest": (PUBLIC, None),
    "POST /api/auth/external/{provider_id}": (PUBLIC, None),
    "GET /api/auth/callback/{provider_id}": (PUBLIC, None),
    "POST /api/auth/forgot-password": (PUBLIC, None),
    "POST /api/auth/reset-password": (PUBLIC, None),
    "POST /api/auth/confirm-email": (PUBLIC, None),
    "POST /api/auth/change-password": (ACCOUNT, None),
    "POST /api/user/email": (ACCOUNT, None),
    "GET /api/user/identities": (ACCOUNT, None),
    "DELETE /api/user/identities/{identity_id}": (ACCOUNT, None),
    "GET /api/user/account": (ACCOUNT, TokenScope.ACCOUNT),
    "GET /api/user/sessions": (ACCOUNT, None),
    "DELETE /api/user/sessions": (ACCOUNT, None),
    "DELETE /api/user/sessions/{session_id}": (OWNED_BY_ACCOUNT, None),
    "DELETE /api/account": (ACCOUNT, None),
    "POST /api/user/export": (ACCOUNT, TokenScope.ACCOUNT),
    "GET /api/user/exports": (ACCOUNT, TokenScope.ACCOUNT),
    "GET /api/user/exports/{export_id}/file": (OWNED_BY_ACCOUNT, TokenScope.ACCOUNT),
    "DELETE /api/user/exports/{export_id}": (OWNED_BY_ACCOUNT, TokenScope.ACCOUNT),
    "GET /api/usage": (LIBRARY, TokenScope.ACCOUNT),
    "GET /api/user/tokens": (ACCOUNT, None),
    "POST /api/user/tokens": (ACCOUNT, None),
    "DELETE /api/user/tokens/{token_id}": (OWNED_BY_ACCOUNT, None),
    "GET /api/documents": (LIBRARY, READ),
    "POST /api/documents": (LIBRARY, WRITE),
    "POST /api/documents/uploads": (LIBRARY, WRITE),
    "POST /api/documents/uploads/finalize": (LIBRARY, WRITE),
    "GET /api/documents/{document_id}": (OWNED, READ),
    "POST /api/documents/{document_id}/password": (OWNED, WRITE, {"password": "secret"}),
    "GET /api/documents/{document_id}/reading-options": (OWNED, READ),
    "PUT /api/documents/{document_id}/reading-options": (OWNED, WRITE),
    "GET /api/user/pronunciation": (LIBRARY, READ),
    "PUT /api/user/pronunciation": (LIBRARY, WRITE),
    "POST /api/tts/pronunciation-sample": (LIBRARY, PLAYBACK),
    "PATCH /api/documents/{document_id}": (OWNED, WRITE, {"title": "Another title"}),
    "DELETE /api/documents/{document_id}": (OWNED, WRITE),
    "POST /api/documents/{document_id}/retry": (OWNED, WRITE),
    "POST /api/documents/{document_id}/renewal": (OWNED, WRITE),
    "DELETE /api/documents/{document_id}/renewal": (OWNED, WRITE),
    "GET /api/documents/{document_id}/events": (OWNED, READ),
    "PUT /api/documents/{document_id}/position": (OWNED, WRITE, _POSITION),
    "GET /api/documents/{document_id}/reading": (OWNED, READ),
    "GET /api/documents/{document_id}/sections/{index}": (OWNED, READ),
    "GET /api/documents/{document_id}/resources/{name}": (OWNED, READ),
    "GET /api/documents/{document_id}/pages/{page}/image": (OWNED, READ),
    "GET /api/documents/{document_id}/file": (OWNED, READ),
    "GET /api/documents/{document_id}/recordings": (OWNED, READ),
    "POST /api/documents/{document_id}/recordings": (OWNED, WRITE),
    "GET /api/documents/{document_id}/recordings/{recording_id}/events": (OWNED, READ),
    "POST /api/documents/{document_id}/recordings/{recording_id}/retry": (OWNED, WRITE),
    "POST /api/documents/{document_id}/recordings/{recording_id}/cancel": (OWNED, WRITE),
    "DELETE /api/documents/{document_id}/recordings/{recording_id}": (OWNED, WRITE),
    "GET /api/documents/{document_id}/recordings/{recording_id}/audio": (OWNED, READ),
    "GET /api/documents/{document_id}/recordings/{recording_id}/alignment": (OWNED, READ),
    "GET /api/documents/{document_id}/recordings/{recording_id}/alignment/sections/{index}": (OWNED, READ),
    "GET /api/documents/{document_id}/recordings/{recording_id}/transcript.vtt": (OWNED, READ),
    "POST /api/imports/text": (LIBRARY, WRITE),
    "POST /api/imports/web-page": (ACCOUNT, WRITE),
    "GET /api/server-folders": (ACCOUNT, READ),
    "GET /api/server-folders/entries": (ACCOUNT, READ),
    "POST /api/server-folders/imports": (ACCOUNT, WRITE),
    "POST /api/tts/playback/sessions": (OWNED, PLAYBACK, _START),
    "GET /api/tts/playback/sessions/{session_id}/plan": (OWNED, PLAYBACK),
    "GET /api/tts/playback/sessions/{session_id}/events": (OWNED, PLAYBACK),
    "POST /api/tts/playback/sessions/{session_id}/cursor": (
        OWNED,
        PLAYBACK,
        {"ordinal": 0, "playing": False},
    ),
    "POST /api/tts/playback/sessions/{session_id}/cancel": (OWNED, PLAYBACK),
    "POST /api/tts/playback/sessions/{session_id}/audio-url": (OWNED, PLAYBACK),
    "GET /v1/tts-playback/sessions/{session_id}/audio": (SECRET, None),
    "GET /api/tts/shared-providers": (LIBRARY, PLAYBACK),
    "GET /api/tts/voices": (LIBRARY, PLAYBACK),
    "POST /api/tts/voice-preview": (LIBRARY, PLAYBACK),
    "GET /api/admin/providers": (ADMIN, TokenScope.ADMIN),
    "POST /api/admin/providers": (ADMIN, TokenScope.ADMIN),
    "PUT /api/admin/providers/{slug}": (ADMIN, TokenScope.ADMIN),
    "DELETE /api/admin/providers/{slug}": (ADMIN, TokenScope.ADMIN),
    "POST /api/admin/providers/{slug}/test": (ADMIN, TokenScope.ADMIN),
    "GET /api/admin/features": (ADMIN, TokenScope.ADMIN),
    "PATCH /api/admin/features": (ADMIN, TokenScope.ADMIN),
    "POST /api/admin/features/reset": (ADMIN, TokenScope.ADMIN),
    "GET /api/admin/users": (ADMIN, TokenScope.ADMIN),
    "PATCH /api/admin/users/{user_id}": (ADMIN, TokenScope.ADMIN),
    "DELETE /api/admin/users/{user_id}": (ADMIN, TokenScope.ADMIN),
    "GET /api/admin/email": (ADMIN, TokenScope.ADMIN),
    "PUT /api/admin/email": (ADMIN, TokenScope.ADMIN),
    "POST /api/admin/email/test": (ADMIN, TokenScope.ADMIN),
    "GET /api/admin/compute-limits": (ADMIN, TokenScope.ADMIN),
    "PUT /api/admin/compute-limits": (ADMIN, TokenScope.ADMIN),
    "DELETE /api/admin/compute-limits": (ADMIN, TokenScope.ADMIN),
    "GET /api/admin/audit": (ADMIN, TokenScope.ADMIN),
    "POST /api/admin/system-check": (ADMIN, TokenScope.ADMIN),
    "GET /api/admin/tasks": (ADMIN, TokenScope.ADMIN),
    "PATCH /api/admin/tasks/{key}": (ADMIN, TokenScope.ADMIN),
    "POST /api/admin/tasks/{key}/run": (ADMIN, TokenScope.ADMIN),
    "GET /api/admin/tasks/tick": (SECRET, None),
    "GET /api/changelog": (LIBRARY, None),
    "GET /api/openapi.json": (PUBLIC, None),
    "GET /api/docs": (PUBLIC, None),
    "GET /health/live": (PUBLIC, None),
    "GET /health/ready": (PUBLIC, None),
}
# Of nobody in particular: where there is no such thing, who is let in hears so.
PARAMETERS = {
    "identity_id": "0" * 32,
    "user_id": "0" * 32,
    "provider_id": "nowhere",
    "slug": "nowhere",
    "key": "nothing",
    "index": "0",
    "page": "0",
    "name": "cover.png",
}


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, **FIRST_ADMINISTRATOR, **people.VARIABLES})


@pytest.fixture
async def actors(instance: Instance, settings: AppSettings) -> AsyncIterator[Actors]:
    server = (await new_administrator(instance)).client.server
    assert isinstance(server, TestServer)
    actors = actors_of(server, settings.base_url)
    async with actors.client:
        await actors.gather(settings)
        yield actors


def name_of(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


async def test_every_address_has_a_row_and_every_row_an_address(instance: Instance) -> None:
    assert {name_of(endpoint) for endpoint in endpoints_of(instance.app)} == set(PERMISSIONS)


async def test_a_token_needs_the_scope_that_the_table_says(instance: Instance) -> None:
    declared = {name_of(endpoint): endpoint.scope for endpoint in endpoints_of(instance.app)}
    assert declared == {name: row[1] for name, row in PERMISSIONS.items()}


async def test_everybody_gets_in_where_the_table_says_and_nowhere_else(
    actors: Actors, instance: Instance
) -> None:
    wrong = []
    for endpoint in _harmless_first(endpoints_of(instance.app)):
        who = PERMISSIONS[name_of(endpoint)][0]
        if who in {OWNED, OWNED_BY_ACCOUNT}:
            await actors.stock()
        for name, expected in zip(PEOPLE, who, strict=True):
            if not _fits(expected, *await _met(actors, actors.people[name], endpoint)):
                # Maybe only what was asked before has ended this one's session.
                await actors.come_back(name)
                met = await _met(actors, actors.people[name], endpoint)
                if not _fits(expected, *met):
                    wrong.append(f"{name_of(endpoint)}: {name} meets {met} instead of {expected}")
    assert not wrong, "\n".join(wrong)


async def test_a_token_gets_in_where_its_scope_says_and_nowhere_else(
    actors: Actors, instance: Instance
) -> None:
    wrong = []
    tokens = {scope: await actors.token("user", [scope]) for scope in OF_USERS}
    tokens[TokenScope.ADMIN] = await actors.token("admin", [TokenScope.ADMIN])
    others = {
        scope: await actors.token("user", [x for x in OF_USERS if x is not scope]) for scope in OF_USERS
    }
    others[TokenScope.ADMIN] = await actors.token("admin", list(OF_USERS))
    for endpoint in _harmless_first(endpoints_of(instance.app)):
        who, scope = PERMISSIONS[name_of(endpoint)][:2]
        for program, expected in _programs(who, scope, tokens, others):
            if expected == OWN:
                await actors.stock()
            met = await _met(actors, program, endpoint)
            if not _fits(expected, *met):
                wrong.append(f"{name_of(endpoint)}: a token meets {met} instead of {expected}")
    assert not wrong, "\n".join(wrong)


def _programs(
    who: tuple[str, ...],
    scope: TokenScope | None,
    tokens: dict[TokenScope, Browser],
    others: dict[TokenScope, Browser],
) -> list[tuple[Browser, str]]:
    """A token without what the address needs, then one with it."""
    if who in {PUBLIC, SECRET}:
        return []
    if scope is None:
        return [(token, NO_TOKEN) for token in tokens.values()]
    return [(others[scope], NO_SCOPE), (tokens[scope], OWN if who in {OWNED, OWNED_BY_ACCOUNT} else IN)]


def _harmless_first(endpoints: tuple[Endpoint, ...]) -> list[Endpoint]:
    known = (endpoint for endpoint in endpoints if name_of(endpoint) in PERMISSIONS)
    return sorted(known, key=lambda endpoint: endpoint.method == "DELETE" or "sign-out" in endpoint.path)


async def _met(actors: Actors, browser: Browser, endpoint: Endpoint) -> tuple[int, str]:
    """Status and code of the answer. Streams aren't read: some never end."""
    values = {**PARAMETERS, **actors.resources}
    if endpoint.path.startswith("/api/user/sessions"):
        values["session_id"] = actors.resources["sign_in_id"]
    body = next(iter(PERMISSIONS[name_of(endpoint)][2:]), {})
    filled = {key: value.format(**values) if isinstance(value, str) else value for key, value in body.items()}
    options = {} if endpoint.body is None or isinstance(endpoint.body, FileUpload) else {"json": filled}
    headers = {"Origin": browser.origin, **browser.headers}
    path = endpoint.path.format(**values)
    request = actors.client.request(endpoint.method, path, headers=headers, allow_redirects=False, **options)
    async with request as response:
        if not response.content_type.endswith("problem+json"):
            return response.status, ""
        return response.status, Answer(response.status, response.headers, await response.read()).code


def _fits(expected: str, status: int, code: str) -> bool:
    if expected == "refused":
        return status in {401, 403, 404, 502}
    if expected == MISSING:
        return status == 404
    if expected == IN:
        return code not in GATES
    if expected == OWN:
        return code not in GATES and (status != 404 or code == "PART_NOT_FOUND")
    return code == expected
