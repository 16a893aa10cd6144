"""Folders of the server from which readers import (IMPORT_LIBRARY_DIRS): listed, searched, opened.

All of it blocks: call it in a thread. Links may lead anywhere within these folders and nowhere else. A
place is opened by its resolved path, part by part and without following anything, so that what is swapped
in meanwhile is refused and not followed.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from app_server.imports.entry_order import order_of
from app_server.library.formats import UPLOAD_SUFFIXES
from shared.errors import Code, LecternError

FOLDER_PROBLEMS: Final = ("FOLDER_NOT_FOUND", "FOLDER_UNREADABLE")
FILE_PROBLEMS: Final = ("FOLDER_FILE_NOT_FOUND", "FOLDER_FILE_UNREADABLE")
_MOST_SEARCHED: Final = 100_000  # entries that one search looks at
_MOST_FOUND: Final = 200
_OPEN_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe without a writer would hold its opener up.
_OPEN_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


@dataclass(frozen=True)
class Root:
    """problem: why it can't be read, empty where it can."""

    number: int
    name: str
    problem: str


@dataclass(frozen=True)
class Entry:
    """path: from its root, with "/" between its parts. size_bytes and modified_at are of files only."""

    name: str
    path: str
    is_folder: bool
    size_bytes: int = 0
    modified_at: float = 0.0


@dataclass(frozen=True)
class Listing:
    """total: entries on all pages. next_offset: None on the last one. is_complete: there are no more."""

    entries: tuple[Entry, ...]
    total: int
    next_offset: int | None
    is_complete: bool = True


@dataclass(frozen=True)
class _Found:
    entry: os.DirEntry[str]
    is_folder: bool
    path: str


class ServerFolders:
    """roots: absolute. They need not exist yet, and may be links themselves."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(roots)

    def roots(self) -> list[Root]:
        return [
            Root(number, root.name or str(root), _problem_of(root)) for number, root in enumerate(self._roots)
        ]

    def list(self, root: int, path: str, *, offset: int, limit: int) -> Listing:
        """A page of a folder's folders and readable files. Raises one of FOLDER_PROBLEMS."""
        with self._opened_folder(root, path) as folder:
            found = sorted(
                self._offered(folder, path, root), key=lambda one: order_of(one.entry.name, one.is_folder)
            )
            page = [_entry(one, folder) for one in found[offset : offset + limit]]
        end = offset + len(page)
        return Listing(tuple(page), len(found), end if end < len(found) else None)

    def search(self, root: int, path: str, text: str) -> Listing:
        """Readable files and folders below a folder whose names hold all the words of a text. Folders behind
        links are left out of it, and those that can't be read."""
        words = text.casefold().split()
        found: list[Entry] = []
        looked_at, waiting = 0, [path]
        while waiting:
            here = waiting.pop()
            try:
                with self._opened_folder(root, here) as folder:
                    for one in self._offered(folder, here, root):
                        looked_at += 1
                        if looked_at > _MOST_SEARCHED or len(found) >= _MOST_FOUND:
                            return _search_result(found, is_complete=False)
                        if all(word in one.entry.name.casefold() for word in words):
                            found.append(_entry(one, folder))
                        if one.is_folder and not one.entry.is_symlink():
                            waiting.append(one.path)
            except LecternError:
                if here == path:
                    raise
        return _search_result(found, is_complete=True)

    def open_file(self, root: int, path: str) -> BinaryIO:
        """A regular file, for its caller to close. Raises one of FILE_PROBLEMS."""
        folder, name = os.path.split(self._resolved(root, path, _no_file()))
        try:
            with _walked(self._real_root_of(folder), folder) as parent:
                descriptor = os.open(name, _OPEN_FILE, dir_fd=parent)
        except PermissionError as error:
            raise _unreadable_file() from error
        except OSError as error:
            raise _no_file() from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not _is_readable_name(path):
            os.close(descriptor)
            raise _no_file()
        return os.fdopen(descriptor, "rb")

    @contextmanager
    def _opened_folder(self, root: int, path: str) -> Iterator[int]:
        resolved = self._resolved(root, path, _no_folder())
        try:
            with _walked(self._real_root_of(resolved), resolved) as folder:
                yield folder
        except PermissionError as error:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "Lectern may not read this folder. Whoever runs this server can give it the right.",
                reason="FOLDER_UNREADABLE",
            ) from error
        except OSError as error:
            raise _no_folder() from error

    def _offered(self, folder: int, path: str, root: int) -> Iterator[_Found]:
        """Without hidden ones, names that aren't text, links that lead out of the roots, and what can't be
        read aloud."""
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or not _is_text(entry.name):
                    continue
                inner = f"{path}/{entry.name}" if path else entry.name
                if entry.is_symlink() and not self._leads_inside(root, inner):
                    continue
                # A link to a folder is looked up by its name within the folder that is open.
                with suppress(OSError):
                    if entry.is_dir():
                        yield _Found(entry, is_folder=True, path=inner)
                    elif _is_readable_name(entry.name) and entry.is_file():
                        yield _Found(entry, is_folder=False, path=inner)

    def _leads_inside(self, root: int, path: str) -> bool:
        try:
            self._resolved(root, path, _no_file())
        except LecternError:
            return False
        return True

    def _resolved(self, root: int, path: str, missing: LecternError) -> str:
        """The real path of a place, which lies in one of the roots."""
        parts = [part for part in path.split("/") if part]
        if not 0 <= root < len(self._roots) or "\0" in path or any(part in {".", ".."} for part in parts):
            raise missing
        try:
            resolved = os.path.realpath(self._roots[root].joinpath(*parts), strict=True)
        except PermissionError:
            # Whether it is there can't be known; opening it says why it can't be read.
            resolved = os.path.realpath(self._roots[root].joinpath(*parts))
        except OSError as error:
            raise missing from error
        if self._real_root_of(resolved) is None:
            raise missing
        return resolved

    def _real_root_of(self, resolved: str) -> str | None:
        real = (os.path.realpath(root) for root in self._roots)
        return next((root for root in real if os.path.commonpath([root, resolved]) == root), None)


@contextmanager
def _walked(root: str | None, resolved: str) -> Iterator[int]:
    """A descriptor of a folder, reached from its root by real names only."""
    if root is None:
        raise FileNotFoundError(errno.ENOENT, "no such folder")
    descriptor = os.open(root, _OPEN_FOLDER)
    try:
        for part in Path(resolved).relative_to(root).parts:
            inner = os.open(part, _OPEN_FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _entry(found: _Found, folder: int) -> Entry:
    if found.is_folder:
        return Entry(found.entry.name, found.path, is_folder=True)
    try:
        about = os.stat(found.entry.name, dir_fd=folder)
    except OSError:  # gone since
        return Entry(found.entry.name, found.path, is_folder=False)
    return Entry(found.entry.name, found.path, False, about.st_size, about.st_mtime)


def _search_result(found: list[Entry], *, is_complete: bool) -> Listing:
    ordered = sorted(found, key=lambda entry: order_of(entry.path, entry.is_folder))
    return Listing(tuple(ordered), len(ordered), None, is_complete)


def _problem_of(root: Path) -> str:
    try:
        with os.scandir(root):
            return ""
    except PermissionError:
        return "Lectern may not read this folder."
    except NotADirectoryError:
        return "This is a file and no folder."
    except OSError:
        return "This folder is not there at the moment."


def _is_readable_name(name: str) -> bool:
    return name.lower().endswith(UPLOAD_SUFFIXES)


def _is_text(name: str) -> bool:
    """Names on disk are bytes; those that aren't UTF-8 can't be sent to a browser and back."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_folder() -> LecternError:
    return LecternError(
        Code.NOT_FOUND, "This folder is gone, or does not belong to the library.", reason="FOLDER_NOT_FOUND"
    )


def _no_file() -> LecternError:
    return LecternError(
        Code.NOT_FOUND,
        "This file is gone, or does not belong to the library.",
        reason="FOLDER_FILE_NOT_FOUND",
    )


def _unreadable_file() -> LecternError:
    return LecternError(
        Code.FAILED_PRECONDITION,
        "Lectern may not read this file. Whoever runs this server can give it the right.",
        reason="FOLDER_FILE_UNREADABLE",
    )
