"""The OpenAPI 3.1 document of the browser API, made of the declared endpoints and their models."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from app_server.accounts.access import Access
from app_server.http.endpoints import Content, Endpoint, Events, FileUpload
from app_server.http.json_bodies import AnswerBody, RequestBody
from app_server.http.problem_body import ProblemBody
from app_server.openapi.implied_problems import problem_codes

PROBLEM_TYPE: Final = "application/problem+json"
_REFERENCE: Final = "#/components/schemas/{model}"
_PATH_PARAMETER: Final = re.compile(r"\{(\w+)\}")
# Fields may be left out of answers as of requests, so both are described as they are read.
_MODE: Final[JsonSchemaMode] = "validation"
_DESCRIPTION: Final = """\
What Lectern's own pages ask, and programs of yours may ask too.

**Getting in.** Pages have a session cookie, and their state-changing requests need an `Origin` that this
instance trusts. Programs send an API token, made under Settings → API tokens, as `Authorization: Bearer
lectern_…`; they need no cookie and no `Origin`. An operation that takes tokens names the scope for it.

**Errors** are `application/problem+json` (RFC 9457) with a stable `code`; docs/problems.md lists all codes.
Times are RFC 3339 in UTC."""


def openapi_document(
    endpoints: Sequence[Endpoint], *, version: str, base_url: str, cookie_name: str
) -> dict[str, Any]:
    schemas, definitions = _schemas(endpoints)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        operation = _operation(endpoint, schemas)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "Lectern", "version": version, "description": _DESCRIPTION},
        "servers": [{"url": base_url}],
        "tags": [{"name": name} for name in dict.fromkeys(endpoint.tag for endpoint in endpoints)],
        "paths": paths,
        "components": {
            "schemas": definitions,
            "responses": {"Problem": _json_response("What went wrong.", schemas[ProblemBody], PROBLEM_TYPE)},
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": cookie_name},
                "token": {"type": "http", "scheme": "bearer", "description": "An API token."},
            },
        },
    }


def _schemas(endpoints: Iterable[Endpoint]) -> tuple[dict[type[BaseModel], Any], dict[str, Any]]:
    """References by model, and what they refer to by name."""
    models: dict[type[BaseModel], None] = {ProblemBody: None}
    for endpoint in endpoints:
        models |= dict.fromkeys(_models_of(endpoint))
    by_model, described = models_json_schema([(model, _MODE) for model in models], ref_template=_REFERENCE)
    references: dict[type[BaseModel], Any] = {model: by_model[model, _MODE] for model in models}
    return references, described.get("$defs", {})


def _models_of(endpoint: Endpoint) -> list[type[BaseModel]]:
    models: list[type[BaseModel]] = []
    if isinstance(endpoint.body, type):
        models.append(endpoint.body)
    if endpoint.query is not None:
        models.append(endpoint.query)
    match endpoint.answer:
        case Events(data):
            models += data.values()
        case type() as answer:
            models.append(answer)
    return models


def _operation(endpoint: Endpoint, schemas: dict[type[BaseModel], Any]) -> dict[str, Any]:
    codes = problem_codes(endpoint)
    operation: dict[str, Any] = {
        "operationId": _operation_id(endpoint),
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "security": _security(endpoint),
        "responses": {
            str(endpoint.status): _answer(endpoint.answer, schemas),
            **{str(status): {"description": text} for status, text in endpoint.other_answers.items()},
            "default": {"$ref": "#/components/responses/Problem"},
        },
        "x-problem-codes": list(codes),
    }
    parameters = [*_path_parameters(endpoint.path), *_query_parameters(endpoint)]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        operation["requestBody"] = {"required": True, "content": _body_content(endpoint.body, schemas)}
    return operation


def _operation_id(endpoint: Endpoint) -> str:
    parts = re.findall(r"\w+", endpoint.path.removeprefix("/api/"))
    return "-".join([endpoint.method.lower(), *parts])


def _security(endpoint: Endpoint) -> list[dict[str, list[str]]]:
    if endpoint.access in {Access.ANYBODY, Access.OWN_SECRET}:
        return []
    session: list[dict[str, list[str]]] = [{"session": []}]
    return session if endpoint.scope is None else [*session, {"token": [endpoint.scope.value]}]


def _answer(
    answer: type[AnswerBody] | Content | Events | None, schemas: dict[type[BaseModel], Any]
) -> dict[str, Any]:
    match answer:
        case None:
            return {"description": "Done."}
        case Content(media_types):
            return {"description": "As its type says.", "content": {name: {} for name in media_types}}
        case Events(data):
            names = ", ".join(f"`{name}`" for name in data)
            events = {"type": "string", "x-events": {name: schemas[model] for name, model in data.items()}}
            return {
                "description": f"Server-sent events: {names}. The data of each is JSON.",
                "content": {"text/event-stream": {"schema": events}},
            }
    return _json_response("Done.", schemas[answer], "application/json")


def _json_response(description: str, schema: Any, media_type: str) -> dict[str, Any]:
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _body_content(
    body: type[RequestBody] | FileUpload, schemas: dict[type[BaseModel], Any]
) -> dict[str, Any]:
    if not isinstance(body, FileUpload):
        return {"application/json": {"schema": schemas[body]}}
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    schema = {"type": "object", "properties": {body.part: file}, "required": [body.part]}
    return {"multipart/form-data": {"schema": schema}}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in _PATH_PARAMETER.findall(path)
    ]


def _query_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    if endpoint.query is None:
        return []
    schema = endpoint.query.model_json_schema(mode=_MODE, ref_template=_REFERENCE)
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": described}
        for name, described in schema.get("properties", {}).items()
    ]
