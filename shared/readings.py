"""Which parser made a reading document: part of the place where its artifacts lie, "reading/<sha256>/<parser
version>-<format>/", with the name of a password behind it where one was needed."""

import re
from typing import Final

# Raise it when the same file would be cut into other blocks or sentences than before: every document is
# then read again when it is next opened.
PARSER_VERSION: Final = "2"

_READING_REF: Final = re.compile(r"reading/[0-9a-f]{64}/(\d{1,9})-[a-z_]+(-.+)?/")


def made_by(parser_version: str, reading_ref: str) -> str:
    """Where another parser's reading of the same file lies, if there is one."""
    found = _READING_REF.fullmatch(reading_ref)
    if found is None or not parser_version.isdecimal():
        return reading_ref
    return f"{reading_ref[: found.start(1)]}{parser_version}{reading_ref[found.end(1) :]}"


def can_be_renewed(reading_ref: str) -> bool:
    """An older parser made it, and nobody needs to be asked for a password to read the file again."""
    found = _READING_REF.fullmatch(reading_ref)
    return found is not None and int(found[1]) < int(PARSER_VERSION) and found[2] is None
