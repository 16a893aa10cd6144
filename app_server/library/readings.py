"""What the worker made of a document, as it lies in the object store."""

import asyncio
import gzip
import hashlib
import json
from typing import Annotated, Any

from pydantic import Field

from app_server.library.model import ReadingSummary
from app_server.library.moved_places import TextBlock
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore
from shared.page_images import DRAWING_VERSION

# A reading document's parserVersion: what was begun with an older parser's reading goes on with it. Empty for
# the present one.
ParserVersion = Annotated[str, Field(pattern=r"^[0-9]{0,9}$")]


class ReadingFiles:
    def __init__(self, *, objects: ObjectStore) -> None:
        self._objects = objects

    async def summary(self, reading_ref: str) -> ReadingSummary:
        """Raises ObjectNotFoundError, and DATA_LOSS for what can't be read."""
        packed = await self._objects.get(document_file(reading_ref))
        reading = await asyncio.to_thread(_unpacked, packed)
        return ReadingSummary(
            title=_text(reading.get("title")),
            authors=tuple(_text(author) for author in reading.get("authors", [])),
            language=_text(reading.get("language")),
            cover=_text(reading.get("cover")) or None,
            character_count=int(reading.get("characterCount", 0)),
            section_count=len(reading.get("sections", [])),
        )

    async def section_lengths(self, reading_ref: str) -> list[int]:
        """Characters of each section. Raises as summary does."""
        reading = await asyncio.to_thread(_unpacked, await self._objects.get(document_file(reading_ref)))
        return [int(section.get("characterCount", 0)) for section in reading.get("sections", [])]

    async def blocks(self, reading_ref: str, section: int) -> list[TextBlock]:
        """Raises as summary does."""
        packed = await self._objects.get(section_file(reading_ref, section))
        blocks = (await asyncio.to_thread(_unpacked, packed)).get("blocks", [])
        return [TextBlock(_text(block.get("id")), _text(block.get("text"))) for block in blocks]


def document_file(reading_ref: str) -> str:
    return f"{reading_ref.rstrip('/')}/document.json.gz"


def section_file(reading_ref: str, index: int) -> str:
    return f"{reading_ref.rstrip('/')}/sections/{index}.json.gz"


def resource_file(reading_ref: str, name: str) -> str:
    return f"{reading_ref.rstrip('/')}/resources/{name}"


def page_version(reading_ref: str) -> str:
    """Tells apart what the address of a page's image has shown at different times."""
    return hashlib.sha256(f"{reading_ref} {DRAWING_VERSION}".encode()).hexdigest()[:16]


def _unpacked(packed: bytes) -> dict[str, Any]:
    try:
        reading = json.loads(gzip.decompress(packed))
        if not isinstance(reading, dict):
            raise TypeError("not an object")
    except (OSError, EOFError, ValueError, TypeError) as error:
        raise LecternError(
            Code.DATA_LOSS, "What was read of this file is damaged. Try again.", reason="READING_DAMAGED"
        ) from error
    return reading


def _text(value: object) -> str:
    return value.replace("\0", "") if isinstance(value, str) else ""
