import errno
import os
import socket
from pathlib import Path

import pytest

from app_server.imports.server_folders import Entry, ServerFolders
from shared.errors import LecternError


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "library"
    (root / "Novels" / "Austen").mkdir(parents=True)
    (root / "Novels" / "Austen" / "Emma.epub").write_bytes(b"emma")
    (root / "Novels" / "Chapter 10.txt").write_text("ten")
    (root / "Novels" / "chapter 9.txt").write_text("nine")
    (root / "Report.pdf").write_bytes(b"%PDF-")
    return root


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("secret")
    return folder


def names(folders: ServerFolders, path: str = "", root: int = 0) -> list[str]:
    return [entry.name for entry in folders.list(root, path, offset=0, limit=1000).entries]


def read(folders: ServerFolders, path: str, root: int = 0) -> bytes:
    with folders.open_file(root, path) as file:
        return file.read()


def reason(action: object) -> str:
    with pytest.raises(LecternError) as refused:
        action()  # type: ignore[operator]
    return refused.value.reason


def test_folders_come_first_and_numbers_count(library: Path) -> None:
    folders = ServerFolders([library])
    assert names(folders) == ["Novels", "Report.pdf"]
    assert names(folders, "Novels") == ["Austen", "chapter 9.txt", "Chapter 10.txt"]
    (emma,) = folders.list(0, "Novels/Austen", offset=0, limit=10).entries
    assert (emma.path, emma.size_bytes, emma.is_folder) == ("Novels/Austen/Emma.epub", 4, False)
    assert emma.modified_at > 0
    assert read(folders, emma.path) == b"emma"


def test_only_what_can_be_read_aloud_is_offered(library: Path) -> None:
    for name in ("song.mp3", ".hidden.txt", "noextension", "Cover.JPG", "upper.TXT"):
        (library / name).write_text("x")
    os.mkfifo(library / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(library / "socket.txt"))
        (library / ".git").mkdir()
        folders = ServerFolders([library])
        assert names(folders) == ["Novels", "Report.pdf", "upper.TXT"]
        for name in ("song.mp3", "noextension", "pipe.txt", "socket.txt", "Novels"):
            assert reason(lambda name=name: read(folders, name)) == "FOLDER_FILE_NOT_FOUND"


def test_a_name_that_is_no_text_is_left_out(library: Path) -> None:
    with open(os.fsencode(library) + b"/b\xff.txt", "wb"):  # noqa: PTH123 - a path of bytes
        pass
    assert names(ServerFolders([library])) == ["Novels", "Report.pdf"]


def test_a_long_folder_comes_in_pages(library: Path) -> None:
    for number in range(25):
        (library / f"{number}.txt").touch()
    folders = ServerFolders([library])
    seen: list[Entry] = []
    offset: int | None = 0
    while offset is not None:
        page = folders.list(0, "", offset=offset, limit=10)
        assert page.total == 27
        seen += page.entries
        offset = page.next_offset
    assert [entry.name for entry in seen] == ["Novels", *(f"{n}.txt" for n in range(25)), "Report.pdf"]


def test_ten_thousand_files_are_listed_to_the_last(tmp_path: Path) -> None:
    """How long that takes, `make bench` tells."""
    for number in range(10_000):
        (tmp_path / f"Book {number}.epub").touch()
    page = ServerFolders([tmp_path]).list(0, "", offset=9_900, limit=200)
    assert (page.total, page.entries[-1].name) == (10_000, "Book 9999.epub")


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../outside/secret.txt",
        "Novels/../../outside/secret.txt",
        "/etc/passwd",
        "./Report.pdf",
        "a\0b",
        "no",
    ],
)
def test_paths_lead_nowhere_else(library: Path, outside: Path, path: str) -> None:
    folders = ServerFolders([library])
    assert reason(lambda: read(folders, path)) == "FOLDER_FILE_NOT_FOUND"
    assert reason(lambda: names(folders, path)) == "FOLDER_NOT_FOUND"


def test_links_within_the_folders_are_followed(library: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "Dracula.epub").write_bytes(b"dracula")
    (library / "again.epub").symlink_to("Novels/Austen/Emma.epub")
    (library / "absolute.epub").symlink_to(library / "Novels" / "Austen" / "Emma.epub")
    (library / "shelf").symlink_to(other)
    folders = ServerFolders([library, other])
    assert names(folders) == ["Novels", "shelf", "absolute.epub", "again.epub", "Report.pdf"]
    assert read(folders, "again.epub") == read(folders, "absolute.epub") == b"emma"
    assert names(folders, "shelf") == ["Dracula.epub"]
    assert read(folders, "shelf/Dracula.epub") == b"dracula"


def test_links_out_of_the_folders_are_not(library: Path, outside: Path) -> None:
    (library / "leak.txt").symlink_to(outside / "secret.txt")
    (library / "leaks").symlink_to(outside)
    (library / "up").symlink_to("../outside")
    (library / "gone.txt").symlink_to("nowhere.txt")
    (library / "loop").symlink_to("loop")
    folders = ServerFolders([library])
    assert names(folders) == ["Novels", "Report.pdf"]
    for path in ("leak.txt", "leaks/secret.txt", "up/secret.txt", "gone.txt", "loop/x.txt"):
        assert reason(lambda path=path: read(folders, path)) == "FOLDER_FILE_NOT_FOUND"
    assert reason(lambda: names(folders, "leaks")) == "FOLDER_NOT_FOUND"
    assert folders.search(0, "", "secret").entries == ()


def test_a_folder_beside_with_a_longer_name_is_outside(library: Path) -> None:
    beside = library.with_name("library-private")
    beside.mkdir()
    (beside / "secret.txt").write_text("secret")
    (library / "leak.txt").symlink_to(beside / "secret.txt")
    assert "leak.txt" not in names(ServerFolders([library]))


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_what_is_swapped_for_a_link_after_the_check_is_not_followed(
    library: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    (outside / "Emma.epub").write_bytes(b"secret")
    folders = ServerFolders([library])
    resolve = os.path.realpath

    def resolve_then_swap(path: str, **options: bool) -> str:
        resolved = resolve(path, **options)
        austen = library / "Novels" / "Austen"
        if resolved.endswith("Emma.epub") and not (
            austen.is_symlink() or (austen / "Emma.epub").is_symlink()
        ):
            if swapped == "file":
                (austen / "Emma.epub").unlink()
                (austen / "Emma.epub").symlink_to(outside / "Emma.epub")
            else:
                austen.rename(library / "moved")
                austen.symlink_to(outside)
        return resolved

    monkeypatch.setattr("app_server.imports.server_folders.os.path.realpath", resolve_then_swap)
    assert reason(lambda: read(folders, "Novels/Austen/Emma.epub")) == "FOLDER_FILE_NOT_FOUND"


def test_names_are_searched_below_a_folder(library: Path) -> None:
    (library / "Novels" / "Austen" / "Sense and Sensibility.epub").touch()
    (library / "loop").symlink_to(library)
    folders = ServerFolders([library])
    found = folders.search(0, "", "SENS sense")
    assert [entry.path for entry in found.entries] == ["Novels/Austen/Sense and Sensibility.epub"]
    assert found.is_complete
    assert [entry.path for entry in folders.search(0, "", "aus").entries] == ["Novels/Austen"]
    assert [entry.path for entry in folders.search(0, "Novels", "chapter").entries] == [
        "Novels/chapter 9.txt",
        "Novels/Chapter 10.txt",
    ]


def test_a_search_with_many_results_says_that_there_are_more(library: Path) -> None:
    for number in range(300):
        (library / f"many {number}.txt").touch()
    found = ServerFolders([library]).search(0, "", "many")
    assert (len(found.entries), found.is_complete) == (200, False)


def test_roots_say_why_they_cannot_be_read(library: Path, tmp_path: Path) -> None:
    roots = ServerFolders([library, tmp_path / "missing", library / "Report.pdf"]).roots()
    assert [(root.number, root.name) for root in roots] == [(0, "library"), (1, "missing"), (2, "Report.pdf")]
    assert roots[0].problem == ""
    assert "not there" in roots[1].problem
    assert "file" in roots[2].problem


def test_a_root_may_be_a_link_itself(library: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(library)
    assert names(ServerFolders([tmp_path / "link"])) == ["Novels", "Report.pdf"]


def test_what_may_not_be_read_is_explained(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may read everything, so the system's answer is given here."""
    really_open = os.open

    def refuse(path: str, flags: int, **options: int) -> int:
        if path in {"Austen", "Report.pdf"}:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return really_open(path, flags, **options)

    monkeypatch.setattr("app_server.imports.server_folders.os.open", refuse)
    folders = ServerFolders([library])
    assert reason(lambda: names(folders, "Novels/Austen")) == "FOLDER_UNREADABLE"
    assert reason(lambda: read(folders, "Report.pdf")) == "FOLDER_FILE_UNREADABLE"
    assert [entry.path for entry in folders.search(0, "", "chapter").entries] == [
        "Novels/chapter 9.txt",
        "Novels/Chapter 10.txt",
    ]
