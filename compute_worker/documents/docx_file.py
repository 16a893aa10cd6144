"""DOCX: Word's text by its styles; what stands at the edges of pages and in comments is left out, and of
tracked changes only what they lead to is read."""

import re
import zipfile
import zlib
from pathlib import Path
from typing import Final
from xml.parsers.expat import ExpatError

import mammoth
from lxml import etree

from compute_worker.documents import markup, single_file
from compute_worker.documents.failures import empty, no_text, over_limit, refused
from compute_worker.documents.html_file import read_page
from compute_worker.documents.language import declared_language
from compute_worker.documents.markup import Element, tag_of
from compute_worker.documents.output import ArtifactFolder
from compute_worker.documents.zip_locks import is_locked

_MOST_UNFOLDED_BYTES: Final = 400 * 1024 * 1024
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED: Final = "EncryptedPackage".encode(
    "utf-16-le"
)  # its name in the container ([MS-OFFCRYPTO] 2.3.4.1)
_CORE: Final = "docProps/core.xml"
_STYLES: Final = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Heading 7'] => h6:fresh
p[style-name='Heading 8'] => h6:fresh
p[style-name='Heading 9'] => h6:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='Block Text'] => blockquote > p:fresh
p[style-name='caption'] => figcaption:fresh
p[style-name='Caption'] => figcaption:fresh
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name^='toc '] => !
p[style-name^='TOC '] => !
"""
# What mammoth lets through where the XML isn't what Word would write.
_MAMMOTHS_ERRORS: Final = (
    ExpatError,
    zipfile.BadZipFile,
    OSError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    NotImplementedError,
    zlib.error,
)
_NOTE: Final = re.compile(r"(?:footnote|endnote)-\d+")


def parse(path: Path, output: ArtifactFolder, *, file_name: str) -> None:
    output.report("reading", 0, 0)
    title, author, language = _checked(path)
    with path.open("rb") as file:
        try:
            html = mammoth.convert_to_html(file, style_map=_STYLES).value
        except _MAMMOTHS_ERRORS as error:
            raise _damaged() from error
    root = markup.parse_html(f"<html><body>{html}</body></html>")
    if root is None:
        raise no_text()
    _part_notes(root)
    read_page(
        root,
        output,
        title=title or _first_heading(root) or single_file.title_from(file_name),
        authors=[author] if author else [],
        language=language,
        source_format="docx",
    )


def _checked(path: Path) -> tuple[str, str, str]:
    """Title, author and language as they are declared; raises what keeps the file from being read."""
    if path.stat().st_size == 0:
        raise empty()
    with path.open("rb") as file:
        is_container = file.read(8) == _OLE
    if is_container:
        raise _refusal_of_container(path)
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > _MOST_UNFOLDED_BYTES:
                raise over_limit(
                    "DOCUMENT_TOO_LARGE", "The document unfolds into more data than is accepted."
                )
            if "word/document.xml" not in archive.namelist():
                raise refused("NOT_A_DOCX", "This is not a Word document.")
            if is_locked(archive):
                raise _encrypted()
            core = archive.read(_CORE) if _CORE in archive.namelist() else b""
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError) as error:
        raise _damaged() from error
    return _declared(core)


def _refusal_of_container(path: Path) -> Exception:
    if _ENCRYPTED in path.read_bytes():
        return _encrypted()
    return refused("NOT_A_DOCX", "This is a file of an old version of Word. Save it as .docx and open that.")


def _encrypted() -> Exception:
    return refused(
        "DOCUMENT_ENCRYPTED",
        "This Word document opens only with a password. Save a copy without one and open that.",
    )


def _damaged() -> Exception:
    return refused("DOCX_DAMAGED", "This Word document is damaged and cannot be read.")


def _declared(core: bytes) -> tuple[str, str, str]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(core, parser) if core.strip() else None
    if root is None:
        return "", "", ""
    found = {tag_of(element): " ".join((element.text or "").split()) for element in root}
    return found.get("title", ""), found.get("creator", ""), declared_language(found.get("language"))


def _part_notes(root: Element) -> None:
    """Mammoth puts footnotes and endnotes in a list at the end."""
    for item in root.iter("li"):
        if _NOTE.fullmatch(item.get("id", "")):
            item.set("role", "doc-footnote")


def _first_heading(root: Element) -> str:
    heading = root.find(".//h1")
    return "" if heading is None else " ".join("".join(map(str, heading.itertext())).split())
