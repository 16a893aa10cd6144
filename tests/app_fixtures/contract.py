"""Every answer that a test gets is one that its endpoint declares: status, body, code of the problem."""

import re
from functools import cache
from typing import Any, Final

from aiohttp import web
from pydantic import BaseModel

from app_server.http.endpoints import Endpoint, Events, endpoints_of
from app_server.http.problem_body import ProblemBody
from app_server.openapi.implied_problems import ANYWHERE, problem_codes
from app_server.openapi.raised_problems import raised_in

# What stands before every endpoint: middlewares and the router itself.
_BEFORE: Final = {
    "ADDRESS_NOT_TRUSTED",
    "ORIGIN_NOT_TRUSTED",
    "REGION_NOT_SERVED",
    "BAD_REQUEST",
    "METHOD_NOT_ALLOWED",
}


def endpoint_of(app: web.Application, method: str, path: str) -> Endpoint | None:
    """None for pages and addresses that don't exist."""
    wanted = "GET" if method == "HEAD" else method
    path = path.partition("?")[0]
    fitting = [
        endpoint
        for endpoint in endpoints_of(app)
        if endpoint.method == wanted and _pattern(endpoint.path).fullmatch(path)
    ]
    # As the router does: an address without parameters goes before one with them.
    return min(fitting, key=lambda endpoint: endpoint.path.count("{"), default=None)


def check_answer(endpoint: Endpoint, status: int, content_type: str, body: bytes) -> None:
    """Raises AssertionError, or pydantic.ValidationError for a body of another shape."""
    if content_type.startswith("application/problem+json"):
        problem = ProblemBody.model_validate_json(body)
        assert problem.status == status
        known = {*problem_codes(endpoint), *ANYWHERE, *_BEFORE}
        assert problem.code in known or problem.code in _codes_of_workers(), (
            f"{endpoint.method} {endpoint.path} answers {problem.code}: add it to the endpoint's problems"
        )
        return
    declared = {endpoint.status, *endpoint.other_answers}
    assert status in declared, f"{endpoint.method} {endpoint.path} answers {status}: declare it"
    if _is_model(endpoint.answer) and body and status == endpoint.status:
        endpoint.answer.model_validate_json(body)


def check_event(endpoint: Endpoint, name: str, data: Any) -> None:
    assert isinstance(endpoint.answer, Events), endpoint.path
    endpoint.answer.data[name].model_validate(data)


def _is_model(answer: Any) -> bool:
    return isinstance(answer, type) and issubclass(answer, BaseModel)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"\{\w+\}", path)
    return re.compile("[^/]+".join(re.escape(part) for part in parts))


@cache
def _codes_of_workers() -> frozenset[str]:
    return frozenset(problem.code for problem in raised_in("compute_worker"))
