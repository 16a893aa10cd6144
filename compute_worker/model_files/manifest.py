"""What a model consists of: manifest.json at its base address names every file with its size and checksum."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from shared.errors import Code, LecternError

MANIFEST_NAME: Final = "manifest.json"
MOST_MANIFEST_BYTES: Final = 256 * 1024
_PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*){0,3}")


@dataclass(frozen=True)
class ModelFile:
    """path: below the base address, and below the folder that the files come to lie in."""

    path: PurePosixPath
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """kind says who can use the model; options are that one's business."""

    kind: str
    files: tuple[ModelFile, ...]

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)


class _Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True)


class _FileShape(_Shape):
    path: Annotated[str, Field(max_length=200)]
    size_bytes: Annotated[int, Field(gt=0)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _ManifestShape(_Shape):
    version: Literal[1]
    kind: Annotated[str, Field(max_length=100)]
    files: Annotated[list[_FileShape], Field(min_length=1, max_length=100)]


def read_manifest(body: bytes) -> Manifest:
    """Raises FAILED_PRECONDITION, naming what is wrong."""
    try:
        shape = _ManifestShape.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "its JSON"
        raise _invalid(f"{place}: {first['msg']}") from error
    paths = [file.path for file in shape.files]
    for path in paths:
        if not _PLAIN_PATH.fullmatch(path) or path == MANIFEST_NAME:
            raise _invalid(f"{path!r} is no plain file name")
    if len(set(paths)) < len(paths):
        raise _invalid("a file is named twice")
    files = (ModelFile(PurePosixPath(file.path), file.size_bytes, file.sha256) for file in shape.files)
    return Manifest(shape.kind, tuple(files))


def _invalid(what: str) -> LecternError:
    return LecternError(
        Code.FAILED_PRECONDITION,
        f"The model's {MANIFEST_NAME} can't be used: {what}.",
        reason="MODEL_MANIFEST_INVALID",
    )
