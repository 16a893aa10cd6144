"""The OpenAPI document says what is declared, and is valid; its page shows it."""

import re

import schemathesis
from app_fixtures.browser import Browser, Instance

from app_server.http.endpoints import Endpoint, endpoints_of
from app_server.openapi.implied_problems import ANYWHERE, problem_codes
from app_server.openapi.problem_list import problems_markdown


async def test_the_document_is_valid_and_names_every_endpoint(instance: Instance, browser: Browser) -> None:
    answer = await browser.get("/api/openapi.json")
    assert answer.status == 200
    document = answer.json
    assert document["openapi"].startswith("3.1")
    schemathesis.openapi.from_dict(document).validate()
    described = {
        (method.upper(), path) for path, operations in document["paths"].items() for method in operations
    }
    assert described == {(endpoint.method, endpoint.path) for endpoint in endpoints_of(instance.app)}
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    again = await browser.get("/api/openapi.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status == 304


async def test_every_reference_leads_somewhere(browser: Browser) -> None:
    answer = await browser.get("/api/openapi.json")
    names = set(re.findall(r'"#/components/schemas/([^"]+)"', answer.body.decode()))
    assert names <= set(answer.json["components"]["schemas"])
    assert "ProblemBody" in names


async def test_operations_say_who_may(browser: Browser) -> None:
    paths = (await browser.get("/api/openapi.json")).json["paths"]
    assert paths["/api/documents"]["get"]["security"] == [{"session": []}, {"token": ["documents:read"]}]
    assert paths["/api/user/tokens"]["post"]["security"] == [{"session": []}]
    assert paths["/api/auth/sign-in"]["post"]["security"] == []


async def test_every_code_that_an_endpoint_names_is_listed_for_people(instance: Instance) -> None:
    listed = problems_markdown()
    named = {code for endpoint in endpoints_of(instance.app) for code in _codes(endpoint)}
    assert {code for code in named if f"`{code}`" not in listed} == set()


async def test_the_page_of_the_api_runs_no_script_but_our_own(browser: Browser) -> None:
    page = await browser.get("/api/docs")
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "script-src 'self';" in page.headers["Content-Security-Policy"]
    assert re.findall(rb"<script[^>]*>[^<]", page.body) == []
    assert b"https://" not in page.body


def _codes(endpoint: Endpoint) -> tuple[str, ...]:
    return (*problem_codes(endpoint), *ANYWHERE)
