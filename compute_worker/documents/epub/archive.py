"""The container of an EPUB: a ZIP archive read within limits, in which no path leads out.

References are URLs relative to the file that holds them. Their ".." stop at the archive's root, as
the URL standard has it (EPUB 3.3, 4.2.5), and nothing but the archive's own table is ever looked into.
"""

import posixpath
import zipfile
import zlib
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from compute_worker.documents.failures import empty, over_limit, refused
from compute_worker.documents.zip_locks import is_locked

_MOST_MEMBERS: Final = 20_000
_MOST_BYTES: Final = 1024 * 1024 * 1024  # all members unpacked
_MOST_MEMBER_BYTES: Final = 128 * 1024 * 1024
_MOST_RATIO: Final = 200  # text packs up to 20 times smaller, a drawing up to 60; bombs go to 1000
_SMALL_BYTES: Final = 16 * 1024 * 1024  # what may have any ratio
_OTHER_FILES: Final = [
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x89PNG", "a PNG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF file"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"<!DOCTYPE html", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"BOOKMOBI", "a Kindle book"),
]


def damaged(what: str) -> Exception:
    return refused("EPUB_DAMAGED", f"This EPUB is damaged: {what}")


class Archive:
    def __init__(self, path: Path) -> None:
        self._zip = _opened(path)
        self._members = {info.filename: info for info in self._zip.infolist() if not info.is_dir()}
        self._folded = {name.casefold(): name for name in reversed(self._members)}
        self._check_limits()
        if is_locked(self._zip):
            self._zip.close()
            raise refused(
                "DOCUMENT_ENCRYPTED",
                "This EPUB is locked with a password. Unpack it with the password, pack it without one, "
                "and open that.",
            )

    def close(self) -> None:
        self._zip.close()

    def find(self, name: str) -> str:
        """The member of that name, or of the name in other letter case; empty without one."""
        return name if name in self._members else self._folded.get(name.casefold(), "")

    def first_with_suffix(self, suffix: str) -> str:
        return next((name for name in self._members if name.lower().endswith(suffix)), "")

    def size(self, name: str) -> int:
        """In bytes, unpacked, of a member that find() gave."""
        return self._members[name].file_size

    def read(self, name: str) -> bytes:
        """A member that find() gave. Raises EPUB_DAMAGED."""
        info = self._members[name]
        try:
            with self._zip.open(info) as member:
                content = member.read(info.file_size + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            OSError,
        ) as error:
            raise damaged(f"“{posixpath.basename(name)}” in it cannot be unpacked.") from error
        if len(content) > info.file_size:
            raise damaged(f"“{posixpath.basename(name)}” in it is longer than it says.")
        return content

    def _check_limits(self) -> None:
        infos = self._members.values()
        total = sum(info.file_size for info in infos)
        packed = sum(info.compress_size for info in infos)
        if len(infos) > _MOST_MEMBERS:
            raise _too_large(f"it holds {len(infos):,} files, more than {_MOST_MEMBERS:,}.")
        if total > _MOST_BYTES or any(info.file_size > _MOST_MEMBER_BYTES for info in infos):
            raise _too_large("it unpacks to more data than the server accepts.")
        if total > _SMALL_BYTES and total > _MOST_RATIO * max(packed, 1):
            raise _too_large("it unpacks to far more data than a book holds.")


def resolve(base: str, href: str) -> tuple[str, str]:
    """Member name and fragment of a reference in the member "base"; no name for what lies elsewhere."""
    reference, _, fragment = href.strip().partition("#")
    reference = unquote(reference.partition("?")[0]).replace("\\", "/")
    scheme, colon, _ = reference.partition(":")
    if (colon and "/" not in scheme) or reference.startswith("//") or "\0" in reference:
        return "", ""
    if not reference:
        return base, unquote(fragment)
    joined = posixpath.join("/", posixpath.dirname(base), reference)
    return posixpath.normpath(joined).lstrip("/"), unquote(fragment)


def _opened(path: Path) -> zipfile.ZipFile:
    with path.open("rb") as file:
        head = file.read(128)
    if not head:
        raise empty()
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        if head.startswith(b"PK\x03\x04"):
            raise damaged("the file is incomplete. Download or copy it again.") from error
        found = next((name for magic, name in _OTHER_FILES if magic in head), "something else")
        raise refused("NOT_AN_EPUB", f"This is not an EPUB but {found}.") from error


def _too_large(what: str) -> Exception:
    return over_limit("ARCHIVE_TOO_LARGE", f"This EPUB cannot be opened: {what}")
