"""JSON in and out of the browser API, checked by pydantic models."""

from typing import Annotated, Any, TypeVar

from aiohttp import web
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from app_server.http.problems import invalid_fields
from shared.errors import Code, LecternError

NO_STORE = "private, no-store"
_Body = TypeVar("_Body", bound="RequestBody")


class RequestBody(BaseModel):
    """A request's JSON: camelCase names, no unknown ones, no conversions between types."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)


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


def json_response(body: Any, *, status: int = 200) -> web.Response:
    return web.json_response(body, status=status, headers={"Cache-Control": NO_STORE})


def no_content() -> web.Response:
    return web.Response(status=204, headers={"Cache-Control": NO_STORE})


def _translated(error: ValidationError) -> LecternError:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    if any(problem["type"] == "json_invalid" for problem in problems):
        return LecternError(Code.INVALID_ARGUMENT, "The request isn't valid JSON.", reason="BODY_MALFORMED")
    return invalid_fields(
        {".".join(map(str, problem["loc"])) or "body": problem["msg"] for problem in problems}
    )
