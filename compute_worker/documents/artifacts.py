"""Where a reading document's artifacts lie in the object store, and reading them back.

A reading reference is the folder of one document's artifacts: "reading/<sha256>/<parser version>-<format>/".
The same bytes may be read as different formats. What a password opened lies apart, under a name that only
those who give the same password are led to.
"""

import gzip
import json
from typing import Any, Final

from compute_worker.documents.artifact_json import read_document, read_section
from compute_worker.documents.model import ReadingDocument, Section
from shared.objects.ports import ObjectStore
from shared.readings import PARSER_VERSION

UNLOCKED_NAME: Final = "unlocked.pdf"

RESOURCE_TYPES: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": "image/svg+xml",
    "ttf": "font/ttf",
    "otf": "font/otf",
    "woff": "font/woff",
    "woff2": "font/woff2",
}


def source_key(sha256: str) -> str:
    return f"documents/{sha256}"


def reading_ref_of(sha256: str, source_format: str, *, password_name: str = "") -> str:
    suffix = f"-{password_name}" if password_name else ""
    return f"reading/{sha256}/{PARSER_VERSION}-{source_format}{suffix}/"


def unlocked_key(reading_ref: str) -> str:
    """A PDF that opened with a password, without its lock; there only where a password was needed."""
    return f"{reading_ref}{UNLOCKED_NAME}"


def document_key(reading_ref: str) -> str:
    """Its object is written last: where it exists, everything else does."""
    return f"{reading_ref}document.json.gz"


def section_key(reading_ref: str, index: int) -> str:
    return f"{reading_ref}sections/{index}.json.gz"


def plan_key(reading_ref: str, plan_id: str) -> str:
    return f"{reading_ref}plans/{plan_id}.json.gz"


async def load_document(store: ObjectStore, reading_ref: str) -> ReadingDocument:
    """Raises ObjectNotFoundError where nothing has been parsed."""
    return read_document(_unpacked(await store.get(document_key(reading_ref))))


async def load_section(store: ObjectStore, reading_ref: str, index: int) -> Section:
    return read_section(_unpacked(await store.get(section_key(reading_ref, index))))


def _unpacked(body: bytes) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(gzip.decompress(body))
    return content
