"""What an uploaded file is, by its first bytes and its name. The name alone is never believed."""

from enum import Enum
from pathlib import PurePosixPath
from typing import Final

from shared.errors import Code, LecternError

SNIFF_BYTES: Final = 8192


class DocumentFormat(Enum):
    EPUB = "epub"
    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"
    PDF = "pdf"
    DOCX = "docx"
    # HTML that the app has fetched from an address; no upload is one.
    WEB_PAGE = "web_page"


_FORMAT_OF_SUFFIX: Final = {
    ".epub": DocumentFormat.EPUB,
    ".html": DocumentFormat.HTML,
    ".htm": DocumentFormat.HTML,
    ".xhtml": DocumentFormat.HTML,
    ".md": DocumentFormat.MARKDOWN,
    ".markdown": DocumentFormat.MARKDOWN,
    ".txt": DocumentFormat.TEXT,
    ".text": DocumentFormat.TEXT,
    ".pdf": DocumentFormat.PDF,
    ".docx": DocumentFormat.DOCX,
}
UPLOAD_SUFFIXES: Final = tuple(_FORMAT_OF_SUFFIX)
_WORD_IS_OFF: Final = (
    "Word documents can't be opened here: an administrator has turned them off. Save the document as PDF or "
    "EPUB, or ask for it to be turned on."
)
_OPENABLE: Final = "Lectern opens PDF, EPUB, Word (.docx), HTML, Markdown and plain text files."

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"{\\rtf", "an RTF file"),
    (_OLE, "an old Microsoft Office file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"ID3", "an audio file"),
    (b"OggS", "an audio file"),
    (b"fLaC", "an audio file"),
    (b"\x1aE\xdf\xa3", "a video file"),
    (b"SQLite format 3\0", "a database"),
    (b"TPZ", "a Kindle book"),
)
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_TEXT_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def upload_suffixes(*, with_docx: bool) -> tuple[str, ...]:
    """with_docx: whether the site feature enableDocxConversion is on."""
    return tuple(
        suffix for suffix, kind in _FORMAT_OF_SUFFIX.items() if with_docx or kind is not DocumentFormat.DOCX
    )


def require_allowed(kind: DocumentFormat, *, with_docx: bool) -> None:
    """Raises FORMAT_UNSUPPORTED."""
    if kind is DocumentFormat.DOCX and not with_docx:
        raise _unsupported(_WORD_IS_OFF)


def recognized_format(start: bytes, file_name: str) -> DocumentFormat:
    """start: the file's first SNIFF_BYTES. Raises FORMAT_UNSUPPORTED with what the file seems to be."""
    named = _FORMAT_OF_SUFFIX.get(PurePosixPath(file_name.lower()).suffix)
    if start.startswith(_ZIP):
        return _recognized_archive(start, named)
    # Readers accept a PDF's mark anywhere in the first kilobyte; letters before it are common in saved mails.
    if start.startswith(b"%PDF-") or (named in {None, DocumentFormat.PDF} and b"%PDF-" in start[:1024]):
        return DocumentFormat.PDF
    if start.startswith(_OLE) and named is DocumentFormat.DOCX:
        return DocumentFormat.DOCX  # how Word stores one with a password; the worker says so
    kind = _binary_kind(start)
    if kind is not None:
        raise _unsupported(f"This is {kind}. {_OPENABLE}")
    if named is DocumentFormat.EPUB:
        raise _unsupported(f"This file is named like an EPUB but isn't one. {_OPENABLE}")
    if named is DocumentFormat.PDF:
        raise _unsupported(f"This file is named like a PDF but isn't one. {_OPENABLE}")
    if named is DocumentFormat.DOCX:
        raise _unsupported(f"This file is named like a Word document but isn't one. {_OPENABLE}")
    if named is not None:
        return named
    if _looks_like_html(start):
        return DocumentFormat.HTML
    raise _unsupported(f"Files of this kind can't be opened. {_OPENABLE}")


def _recognized_archive(start: bytes, named: DocumentFormat | None) -> DocumentFormat:
    # An EPUB's first entry is "mimetype", stored, with this content (OCF 3.3, 4.3).
    if b"mimetypeapplication/epub+zip" in start[30:120] or named is DocumentFormat.EPUB:
        return DocumentFormat.EPUB
    if b"word/" in start or named is DocumentFormat.DOCX:
        return DocumentFormat.DOCX
    if b"[Content_Types].xml" in start[:200]:
        raise _unsupported(f"This is a Microsoft Office file. {_OPENABLE}")
    raise _unsupported(f"This is a ZIP archive. {_OPENABLE}")


def _binary_kind(start: bytes) -> str | None:
    for signature, kind in _SIGNATURES:
        if start.startswith(signature) and not _is_short_text_signature(signature, start):
            return kind
    if start[:4] == b"RIFF" and start[8:12] in {b"WEBP", b"WAVE", b"AVI "}:
        return "a WebP image" if start[8:12] == b"WEBP" else "an audio or video file"
    if start[4:8] == b"ftyp":
        return "an image" if start[8:12] in {b"avif", b"heic", b"mif1", b"heix"} else "an audio or video file"
    if start[60:68] in {b"BOOKMOBI", b"TEXtREAd"}:
        return "a Kindle book"
    return None if _could_be_text(start) else "a binary file"


def _is_short_text_signature(signature: bytes, start: bytes) -> bool:
    """Two or three letters also begin honest texts; a real file of such a kind has NULs or the like."""
    return signature.isalpha() and _could_be_text(start)


def _could_be_text(start: bytes) -> bool:
    if start.startswith(_TEXT_MARKS) or b"\0" not in start:
        return True
    # UTF-16 without a mark: every other byte of Western text is NUL, and hardly any on the other side.
    even, odd = start[::2].count(0), start[1::2].count(0)
    half = max(1, len(start) // 2)
    return max(even, odd) > 0.4 * half and min(even, odd) < 0.05 * half


def _looks_like_html(start: bytes) -> bool:
    head = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:200].lower()
    return head.startswith((b"<!doctype html", b"<html"))


def _unsupported(message: str) -> LecternError:
    return LecternError(Code.INVALID_ARGUMENT, message, reason="FORMAT_UNSUPPORTED")
