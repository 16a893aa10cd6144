"""Files that are no EPUB, no longer one, locked, or made to hurt."""

import io
import zipfile

import pytest
from books.epubs import CONTAINER, archive, epub, locked, opf
from books.reading import read

from compute_worker.documents.epub.archive import resolve
from compute_worker.documents.epub.book import parse
from shared.errors import LecternError

ENCRYPTION = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
    '<enc:EncryptedData><enc:EncryptionMethod Algorithm="{}"/></enc:EncryptedData></encryption>'
)


def reason_of(content: bytes) -> tuple[str, str]:
    with pytest.raises(LecternError) as caught:
        read(parse, content)
    assert not caught.value.retryable
    return caught.value.reason, caught.value.message


def test_an_empty_file_is_said_to_be_empty() -> None:
    assert reason_of(b"")[0] == "DOCUMENT_EMPTY"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\xff\xd8\xff\xe0abc", "JPEG"),
        (b"%PDF-1.7", "PDF"),
        (b"Rar!\x1a\x07", "RAR"),
        (b"hello", "something else"),
    ],
)
def test_another_file_is_named_for_what_it_is(content: bytes, what: str) -> None:
    reason, message = reason_of(content)
    assert reason == "NOT_AN_EPUB"
    assert what in message


def test_any_other_zip_is_no_epub() -> None:
    assert reason_of(archive({"a.txt": "x"}))[0] == "NOT_AN_EPUB"


def test_a_truncated_file_is_damaged() -> None:
    whole = epub({"a.xhtml": "<p>x</p>"})
    for length in (40, len(whole) // 2, len(whole) - 5):
        assert reason_of(whole[:length])[0] == "EPUB_DAMAGED"


def test_bytes_changed_in_the_middle_are_noticed() -> None:
    whole = bytearray(epub({"a.xhtml": "<p>" + "abcdefgh " * 500 + "</p>"}))
    place = whole.index(b"OPS/a.xhtml") + 30
    whole[place : place + 8] = b"\0\1\2\3\4\5\6\7"
    assert reason_of(bytes(whole))[0] == "EPUB_DAMAGED"


def test_a_book_without_text_is_said_to_have_none() -> None:
    assert reason_of(epub({"a.xhtml": "<p> &nbsp; </p>"}))[0] == "NO_READABLE_TEXT"


def test_an_archive_with_a_password_is_refused() -> None:
    reason, message = reason_of(locked(epub({"a.xhtml": "<p>x</p>"})))
    assert reason == "DOCUMENT_ENCRYPTED"
    assert "password" in message


def test_an_encrypted_book_is_refused() -> None:
    protected = ENCRYPTION.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    reason, message = reason_of(epub({"a.xhtml": "<p>x</p>"}, others={"META-INF/encryption.xml": protected}))
    assert reason == "DRM_PROTECTED"
    assert "DRM" in message


@pytest.mark.parametrize(
    "algorithm", ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]
)
def test_obfuscated_fonts_are_no_encryption(algorithm: str) -> None:
    fonts = {"META-INF/encryption.xml": ENCRYPTION.format(algorithm)}
    assert read(parse, epub({"a.xhtml": "<p>x</p>"}, others=fonts)).texts() == ["x"]


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    assert (
        reason_of(epub({"a.xhtml": "<p>x</p>"}, others={"bomb": bytes(64 * 1024 * 1024)}))[0]
        == "ARCHIVE_TOO_LARGE"
    )


def test_a_member_that_lies_about_its_size_is_damaged() -> None:
    whole = epub({"a.xhtml": "<p>" + "x" * 10_000 + "</p>"})
    with zipfile.ZipFile(io.BytesIO(whole)) as packed:
        size = packed.getinfo("OPS/a.xhtml").file_size
    lying = whole.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert reason_of(lying)[0] == "EPUB_DAMAGED"


def test_too_many_members_are_refused() -> None:
    many = {f"x/{number}": b"" for number in range(20_001)}
    assert reason_of(epub({"a.xhtml": "<p>x</p>"}, others=many))[0] == "ARCHIVE_TOO_LARGE"


def test_entities_of_entities_are_not_unfolded() -> None:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    laughs = f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "ha">{levels}]>'
    page = f"{laughs}<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Text &l9;</p></body></html>"
    assert read(parse, epub({"a.xhtml": page})).document.character_count < 100


def test_files_outside_of_the_archive_are_never_opened() -> None:
    outside = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    page = f"<?xml version='1.0'?>{outside}<html xmlns='http://www.w3.org/1999/xhtml'><body><p>A&x;B</p></body></html>"
    book = read(parse, epub({"a.xhtml": page}))
    assert "root" not in book.html
    package = opf(["../../../../etc/passwd", "/etc/hosts", "a.xhtml"])
    members = {"META-INF/container.xml": CONTAINER, "OPS/content.opf": package, "OPS/a.xhtml": "<p>x</p>"}
    book = read(parse, archive(members))
    assert book.texts() == ["x"]
    assert [warning.code for warning in book.document.warnings] == ["FILES_MISSING"]


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("b.xhtml#x", ("OPS/b.xhtml", "x")),
        ("../i/a%20b.png", ("i/a b.png", "")),
        ("../../../../m/p.jpg", ("m/p.jpg", "")),
        ("/root.css", ("root.css", "")),
        ("#here", ("OPS/a.xhtml", "here")),
        ("..\\..\\c:\\x", ("c:/x", "")),
        ("http://example.org/a", ("", "")),
        ("//example.org/a", ("", "")),
        ("file:///etc/passwd", ("", "")),
        ("data:text/html,x", ("", "")),
    ],
)
def test_references_stay_inside_the_archive(href: str, expected: tuple[str, str]) -> None:
    assert resolve("OPS/a.xhtml", href) == expected
