"""JSON in and out of the browser API, and its queries: all of it in pydantic models."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from aiohttp import web
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from app_server.http.problems import invalid_fields
from shared.errors import Code, LecternError

NO_STORE = "private, no-store"
_Body = TypeVar("_Body", bound="RequestBody")
_Query = TypeVar("_Query", bound="RequestQuery")


class RequestBody(BaseModel):
    """A request's JSON: camelCase names, no unknown ones, no conversions between types."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)


class RequestQuery(BaseModel):
    """What follows the question mark: camelCase names, values converted from text. Unknown ones are passed
    over, as ever in addresses."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", frozen=True)


class AnswerBody(BaseModel):
    """An answer's JSON. Optional fields that aren't given are left out; those given as None are null."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, extra="forbid", strict=True, frozen=True
    )


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain NUL characters")
    return text


# PostgreSQL stores no NUL in text.
StoredText = Annotated[str, AfterValidator(_without_nul)]


async def read_body(request: web.Request, model: type[_Body]) -> _Body:
    if request.content_type != "application/json":
        raise LecternError(
            Code.INVALID_ARGUMENT, "The request must be application/json.", reason="MEDIA_TYPE_UNSUPPORTED"
        )
    try:
        return model.model_validate_json(await request.read())
    except ValidationError as error:
        raise _translated(error) from error


def read_query(request: web.Request, model: type[_Query]) -> _Query:
    try:
        return model.model_validate(dict(request.query))
    except ValidationError as error:
        raise _translated(error) from error


def json_response(
    body: AnswerBody, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    return web.Response(
        text=body.model_dump_json(by_alias=True, exclude_unset=True),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": NO_STORE, **(headers or {})},
    )


def shown_json(body: AnswerBody) -> dict[str, Any]:
    """The same as a value, for what carries JSON in another envelope."""
    return body.model_dump(mode="json", by_alias=True, exclude_unset=True)


def no_content(*, status: int = 204) -> web.Response:
    return web.Response(status=status, headers={"Cache-Control": NO_STORE})


def _translated(error: ValidationError) -> LecternError:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    if any(problem["type"] == "json_invalid" for problem in problems):
        return LecternError(Code.INVALID_ARGUMENT, "The request isn't valid JSON.", reason="BODY_MALFORMED")
    return invalid_fields(
        {".".join(map(str, problem["loc"])) or "body": problem["msg"] for problem in problems}
    )
