"""What a problem's JSON holds (RFC 9457)."""

from pydantic import BaseModel, ConfigDict


class FieldProblem(BaseModel):
    """field: its name in the request, with dots into objects and lists; body for the whole of it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    field: str
    message: str


class ProblemBody(BaseModel):
    """code is stable and for programs; detail is for people and safe to show."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
    errors: list[FieldProblem]
    # When a limit lets the same request through again; only where there is one.
    resets_at: str = ""
