"""schemathesis over the whole API: whatever is sent, no answer is a 5xx or another one than is declared."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import hypothesis
import pytest
import requests
import schemathesis
from aiohttp.test_utils import TestServer
from app_fixtures import actors as people
from app_fixtures.actors import Actors, actors_of
from app_fixtures.administrator import VARIABLES as FIRST_ADMINISTRATOR
from app_fixtures.administrator import new_administrator
from app_fixtures.browser import Instance
from app_fixtures.contract import check_answer
from app_fixtures.users import change_user
from hypothesis import strategies as st
from pydantic import ValidationError
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app_server.http.endpoints import Endpoint, Events, endpoints_of
from shared.configuration.app_settings import AppSettings, read_app_settings

_CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# Each time the same requests; what fails is told as it is.
_BOUNDED: Final = hypothesis.settings(
    max_examples=5,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck),
)
_CALL_SECONDS: Final = 20
# A longer one is refused before there is an application to ask.
_ADDRESS_CHARACTERS: Final = 8000
# The worker's own address, passed through; no worker answers HTTP here.
_NOT_OURS: Final = ("/v1/",)
# Nothing that a test does leaves this machine.
_NOWHERE: Final = {"ACCOUNT_EMAIL_API_URL": "http://127.0.0.1:9"}


@pytest.fixture(name="settings")
def settings_with_everybody(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, **FIRST_ADMINISTRATOR, **people.VARIABLES, **_NOWHERE})


@pytest.fixture
async def actors(instance: Instance, settings: AppSettings) -> AsyncIterator[Actors]:
    """The user has one of everything and may do everything."""
    server = (await new_administrator(instance)).client.server
    assert isinstance(server, TestServer)
    actors = actors_of(server, settings.base_url)
    async with actors.client:
        await actors.gather(settings)
        await change_user(settings, "user@example.org", role="admin")
        yield actors


@dataclass
class Fuzzing:
    """One signed-in person's calls of one operation."""

    base_url: str
    headers: dict[str, str]
    resources: dict[str, str]
    endpoints: dict[str, Endpoint]
    found: list[str] = field(default_factory=list)

    def run(self, operation: APIOperation) -> None:
        """Blocks: for a thread."""
        with requests.Session() as session:
            session.trust_env = False
            for mode in GenerationMode:
                self._run(operation, mode, session)

    def _run(self, operation: APIOperation, mode: GenerationMode, session: requests.Session) -> None:
        @_BOUNDED
        @hypothesis.given(case=operation.as_strategy(generation_mode=mode), is_known=st.booleans())
        def call(case: Case, is_known: bool) -> None:
            if is_known and not isinstance(self.endpoints[operation.label].answer, Events):
                self._fill_in(case)
            answer = case.call(
                base_url=self.base_url, headers=self.headers, session=session, timeout=_CALL_SECONDS
            )
            if len(answer.request.url or "") > _ADDRESS_CHARACTERS and answer.status_code == 400:
                return
            try:
                case.validate_response(answer, checks=_CHECKS)
                kind = answer.headers.get("content-type", [""])[0]
                check_answer(self.endpoints[operation.label], answer.status_code, kind, answer.content)
            except FailureGroup as group:
                self.found += [f"{operation.label}: {failure}" for failure in group.exceptions]
            except (AssertionError, ValidationError) as failure:
                self.found.append(f"{operation.label}: {failure}")

        # Not every operation takes something that could be wrong.
        with suppress(hypothesis.errors.Unsatisfiable):
            call()

    def _fill_in(self, case: Case) -> None:
        """Things that are there, so that more is reached than 404. Not for streams: some never end."""
        for name, value in self.resources.items():
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = value


@pytest.mark.timeout(240)
async def test_whatever_is_sent_no_answer_is_a_5xx_or_another_one_than_is_declared(
    actors: Actors, instance: Instance
) -> None:
    document = (await actors.people["nobody"].get("/api/openapi.json")).json
    base_url = str(actors.client.make_url(""))
    endpoints = {f"{known.method} {known.path}": known for known in endpoints_of(instance.app)}
    found: list[str] = []
    for operation in _harmless_first(schemathesis.openapi.from_dict(document)):
        if any(f"{{{name}}}" in operation.path for name in actors.resources):
            await actors.stock()
        await actors.come_back("user")
        user = actors.people["user"]
        headers = {**user.headers, "Origin": user.origin}
        fuzzing = Fuzzing(base_url, headers, actors.resources, endpoints)
        await asyncio.to_thread(fuzzing.run, operation)
        found += fuzzing.found
    assert not found, "\n\n".join(found)


def _harmless_first(schema: Any) -> Iterator[APIOperation]:
    operations = [result.ok() for result in schema.get_all_operations()]
    ours = [operation for operation in operations if not operation.path.startswith(_NOT_OURS)]
    assert len(ours) > 60
    yield from sorted(ours, key=lambda operation: operation.method.upper() == "DELETE")
