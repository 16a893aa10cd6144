"""Which parser made a reading document: part of the place where its artifacts lie, "reading/<sha256>/<parser
version>-<format>/", with the name of a password behind it where one was needed."""

import re
from typing import Final

# Raise it when the same file would be cut into other blocks or sentences than before: every document is
# then read again when it is next opened.
PARSER_VERSION: Final = "3"

_READING_REF: Final = re.compile(r"reading/[0-9a-f]{64}/(\d{1,9})-[a-z_]+(-[^/]+)?/")


def made_by(parser_version: str, reading_ref: str) -> str:
    """Where another parser's reading of the same file lies, if there is one."""
    found = _READING_REF.fullmatch(reading_ref)
    if found is None or not parser_version.isdecimal():
        return reading_ref
    return f"{reading_ref[: found.start(1)]}{parser_version}{reading_ref[found.end(1) :]}"


def reading_ref_in(key: str) -> str | None:
    """To which reading document an object belongs; None for what is none's."""
    found = _READING_REF.match(key)
    return found[0] if found else None


def version_of(reading_ref: str) -> int:
    """Of the parser that made it; 0 where that isn't known."""
    found = _READING_REF.fullmatch(reading_ref)
    return int(found[1]) if found else 0


def password_name_in(reading_ref: str) -> str:
    """What tells one password of a file from another; empty where none was needed."""
    found = _READING_REF.fullmatch(reading_ref)
    return found[2].removeprefix("-") if found and found[2] else ""


def can_be_renewed(reading_ref: str) -> bool:
    """An older parser made it."""
    return 0 < version_of(reading_ref) < int(PARSER_VERSION)
