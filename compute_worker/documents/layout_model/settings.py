"""What a layout model says of itself: layout.json, beside its ONNX file."""

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from compute_worker.documents.layout_model.labels import MEANINGS
from shared.errors import Code, LecternError

MODEL_KIND: Final = "pdf-layout"
SETTINGS_NAME: Final = "layout.json"
_Three = Annotated[list[float], Field(min_length=3, max_length=3)]
_Side = Annotated[int, Field(ge=32, le=2048)]


class LayoutSettings(BaseModel):
    """output: how boxes come out of the network.

    rows: one tensor of class, score, left, top, right, bottom and, where the model reads, the order
    (PaddleDetection's exports, which have suppressed duplicates already).
    queries: logits and boxes (centre and size, of the page) of a DETR decoder, sigmoid scores.
    anchors: one tensor of left, top, right, bottom and a score for each label, duplicates and all.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=100)]
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*\.onnx$")] = "model.onnx"
    input_width: _Side
    input_height: _Side
    mean: _Three = [0.0, 0.0, 0.0]
    std: _Three = [1.0, 1.0, 1.0]
    output: Literal["rows", "queries", "anchors"]
    # Of the classes, by their numbers.
    labels: Annotated[list[str], Field(min_length=1, max_length=200)]
    least_score: Annotated[float, Field(gt=0, lt=1)] = 0.5
    most_overlap: Annotated[float, Field(gt=0, lt=1)] = 0.5


def read_settings(folder: Path) -> LayoutSettings:
    """Raises LAYOUT_MODEL_INVALID, naming what is wrong."""
    try:
        settings = LayoutSettings.model_validate_json((folder / SETTINGS_NAME).read_bytes())
    except OSError as error:
        raise invalid(f"it has no {SETTINGS_NAME}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or SETTINGS_NAME
        raise invalid(f"{place}: {first['msg']}") from error
    unknown = [label for label in settings.labels if label.lower() not in MEANINGS]
    if unknown:
        raise invalid(f"nothing is known of its label {unknown[0]!r}")
    if not all(settings.std):
        raise invalid("std: must not be 0")
    return settings


def invalid(what: str) -> LecternError:
    return LecternError(
        Code.FAILED_PRECONDITION, f"The layout model can't be used: {what}.", reason="LAYOUT_MODEL_INVALID"
    )
