"""What a browser asks of playback, checked."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from app_server.http.json_bodies import RequestBody, RequestQuery, StoredText
from app_server.library.readings import ParserVersion

_Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Name = Annotated[StoredText, Field(max_length=200)]
_Language = Annotated[str, Field(max_length=35, pattern=r"^[A-Za-z0-9-]*$")]


class LocatorBody(RequestBody):
    block_id: Annotated[StoredText, Field(max_length=100)]
    offset: _Count = 0


class StartBody(RequestBody):
    ordinal: _Count | None = None
    locator: LocatorBody | None = None

    @model_validator(mode="after")
    def _names_one_place(self) -> Self:
        if (self.ordinal is None) == (self.locator is None):
            raise ValueError("give either ordinal or locator")
        return self


class SettingsBody(RequestBody):
    """Empty values mean the provider's or the document's own."""

    provider_ref: Annotated[str, Field(max_length=64)] = ""
    model: _Name = ""
    voice: _Name = ""
    instructions: Annotated[StoredText, Field(max_length=2000)] = ""
    native_speed: Annotated[float, Field(ge=0.5, le=2, allow_inf_nan=False)] = 1.0
    language: _Language = ""


class OptionsBody(RequestBody):
    max_segment_characters: Annotated[int, Field(ge=150, le=1200)] | None = None


class SessionBody(RequestBody):
    document_id: Annotated[str, Field(max_length=64)]
    start: StartBody
    settings: SettingsBody = SettingsBody()
    options: OptionsBody = OptionsBody()
    # Whose blocks the locator names.
    parser: ParserVersion = ""


class CursorBody(RequestBody):
    ordinal: _Count
    playing: bool


class PreviewBody(RequestBody):
    provider_ref: Annotated[str, Field(max_length=64)] = ""
    model: _Name = ""
    voice: _Name = ""
    text: Annotated[StoredText, Field(min_length=1, max_length=400)]
    language: _Language = ""


class PlanQuery(RequestQuery):
    section: Annotated[int, Field(ge=0, le=999_999)] | None = None


class VoicesQuery(RequestQuery):
    provider_ref: Annotated[str, Field(max_length=64)] = ""
    model: _Name = ""
