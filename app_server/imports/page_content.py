"""What a fetched page is: HTML or text, by what its server says and by its bytes, which must agree."""

import codecs
from dataclasses import dataclass
from email.message import Message
from typing import Final

from yarl import URL

from app_server.library.formats import SNIFF_BYTES, DocumentFormat, recognized_format
from shared.errors import Code, LecternError

_FORMAT_OF_TYPE: Final = {
    "text/html": DocumentFormat.WEB_PAGE,
    "application/xhtml+xml": DocumentFormat.WEB_PAGE,
    "text/plain": DocumentFormat.TEXT,
    "text/markdown": DocumentFormat.MARKDOWN,
    "text/x-markdown": DocumentFormat.MARKDOWN,
}
_SUFFIX: Final = {
    DocumentFormat.WEB_PAGE: ".html",
    DocumentFormat.TEXT: ".txt",
    DocumentFormat.MARKDOWN: ".md",
}
_UTF8_MARK: Final = b"\xef\xbb\xbf"
_MARKS: Final = (_UTF8_MARK, b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class WebPage:
    """url: where it was found in the end, after all redirects."""

    url: str
    format: DocumentFormat
    file_name: str
    content: bytes


def page_of(body: bytes, *, url: URL, content_type: str | None) -> WebPage:
    """Raises PAGE_UNSUPPORTED."""
    message = Message()
    message["Content-Type"] = content_type or "text/html"
    media_type, charset = message.get_content_type(), message.get_content_charset()
    named = _FORMAT_OF_TYPE.get(media_type)
    if named is None:
        raise _unsupported(url, f"is {media_type}")
    if not body.strip():
        raise _unsupported(url, "is empty")
    found = _sniffed(body, named, url)
    # GitHub's and others' raw files are all text/plain.
    if found is DocumentFormat.TEXT and url.path.lower().endswith((".md", ".markdown")):
        found = DocumentFormat.MARKDOWN
    return WebPage(
        url=str(url), format=found, file_name=_file_name(url, _SUFFIX[found]), content=_marked(body, charset)
    )


def _sniffed(body: bytes, named: DocumentFormat, url: URL) -> DocumentFormat:
    try:
        found = recognized_format(body[:SNIFF_BYTES], f"page{_SUFFIX[named]}")
    except LecternError as error:
        raise _unsupported(url, "does not hold text, whatever its server says") from error
    if found is DocumentFormat.HTML:
        return DocumentFormat.WEB_PAGE
    if found is not named:
        raise _unsupported(url, f"is {found.value.upper()}")
    return found


def _marked(body: bytes, charset: str | None) -> bytes:
    """The server's word on the encoding goes before the page's own (HTML, 13.2.3.2); as UTF-8 with a mark it
    stays with the bytes."""
    if charset is None or body.startswith(_MARKS):
        return body
    try:
        name = codecs.lookup(charset).name
        # A page that isn't what its server says is left to the reader of the file, who looks at it closely.
        return body if name == "utf-8" else _UTF8_MARK + body.decode(name).encode()
    except (LookupError, UnicodeError):
        return body


def _file_name(url: URL, suffix: str) -> str:
    """From the last part of the path that says anything."""
    stem = next((part for part in reversed(url.parts) if part.strip("/")), "")
    stem = stem.rpartition(".")[0] or stem
    return f"{stem or url.host}{suffix}"


def _unsupported(url: URL, what: str) -> LecternError:
    return LecternError(
        Code.INVALID_ARGUMENT,
        f"What {url.host} has at this address {what}. Only web pages and plain text can be added by address; "
        "download other files and upload them.",
        reason="PAGE_UNSUPPORTED",
    )
