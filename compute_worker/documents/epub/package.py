"""The package document (OPF): what the book is and in which order its files are read."""

from collections.abc import Mapping
from dataclasses import dataclass

from compute_worker.documents import markup
from compute_worker.documents.charset import declared_in_markup, decode
from compute_worker.documents.epub.archive import Archive, damaged, resolve
from compute_worker.documents.failures import refused
from compute_worker.documents.language import declared_language
from compute_worker.documents.markup import Element, tag_of

IDPF_FONTS = "http://www.idpf.org/2008/embedding"
ADOBE_FONTS = "http://ns.adobe.com/pdf/enc#RC"
_FONT_OBFUSCATION = frozenset({IDPF_FONTS, ADOBE_FONTS})
_CONTENT_TYPES = frozenset(
    {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"}
)

_MOST_NAMES = 20
_LONGEST_NAME = 200  # characters


@dataclass(frozen=True)
class ManifestItem:
    id: str
    name: str
    """Member of the archive; empty if it isn't there."""
    media_type: str
    properties: frozenset[str]
    overlay: str = ""
    """Id of the item that tells how this one is narrated."""


@dataclass(frozen=True)
class Package:
    title: str
    authors: tuple[str, ...]
    language: str
    items: dict[str, ManifestItem]
    spine: tuple[ManifestItem, ...]
    cover: ManifestItem | None
    navigation: ManifestItem | None
    ncx: ManifestItem | None
    missing: tuple[str, ...]
    obfuscated: Mapping[str, str]
    """The method by which each font was made unreadable."""
    unique_id: str
    narrators: tuple[str, ...] = ()
    narration_duration: str = ""
    """As it is written, of the whole book."""


def read_package(archive: Archive) -> Package:
    obfuscated = _obfuscated(archive)
    opf = _opf_name(archive)
    root = parse_member(archive, opf)
    if root is None:
        raise damaged("its package document cannot be read.")
    missing: list[str] = []
    items = {item.id: item for item in _manifest(root, archive, opf, missing)}
    metadata = _first(root, "metadata")
    metas = [] if metadata is None else [element for element in metadata.iter() if tag_of(element)]
    return Package(
        title=_metadata(metas, "title"),
        authors=_authors(metas),
        language=declared_language(_metadata(metas, "language")),
        items=items,
        spine=_spine(root, items),
        cover=_cover(metas, items),
        navigation=next((item for item in items.values() if "nav" in item.properties), None),
        ncx=next((item for item in items.values() if item.media_type == "application/x-dtbncx+xml"), None),
        missing=tuple(missing),
        obfuscated=obfuscated,
        unique_id=next(
            (
                _text(e)
                for e in metas
                if tag_of(e) == "identifier" and e.get("id") == root.get("unique-identifier")
            ),
            "",
        ),
        narrators=tuple(dict.fromkeys(_media(metas, "narrator"))),
        narration_duration=next(iter(_media(metas, "duration")), ""),
    )


def parse_member(archive: Archive, name: str) -> Element | None:
    content = archive.read(name)
    if not content.strip():
        return None
    return markup.parse_xhtml(decode(content, declared=declared_in_markup(content)))


def _obfuscated(archive: Archive) -> dict[str, str]:
    """The method by which each font was made unreadable. Raises DRM_PROTECTED where anything else was."""
    name = archive.find("META-INF/encryption.xml")
    root = parse_member(archive, name) if name else None
    if root is None:
        return {}
    encrypted = [element for element in root.iter() if tag_of(element) == "encrypteddata"]
    methods = {_method(child) for data in encrypted for child in data if tag_of(child) == "encryptionmethod"}
    if methods - _FONT_OBFUSCATION:
        raise refused(
            "DRM_PROTECTED",
            "This book is encrypted (DRM). It can only be opened with the shop's own reader; "
            "ask the publisher for a copy without protection.",
        )
    members: dict[str, str] = {}
    for data in encrypted:
        method, place = _first(data, "encryptionmethod"), _first(data, "cipherreference")
        if method is not None and place is not None:
            address = place.get("URI") or place.get("uri") or ""
            members[archive.find(resolve("", address)[0])] = _method(method)
    return members


def _method(element: Element) -> str:
    return element.get("Algorithm") or element.get("algorithm") or ""


def _opf_name(archive: Archive) -> str:
    container = archive.find("META-INF/container.xml")
    root = parse_member(archive, container) if container else None
    if root is not None:
        for element in root.iter():
            if tag_of(element) == "rootfile":
                name = archive.find(resolve("", element.get("full-path", ""))[0])
                if name:
                    return name
    name = archive.first_with_suffix(".opf")
    if not name:
        raise refused("NOT_AN_EPUB", "This is a ZIP archive but not an EPUB: it has no package document.")
    return name


def _manifest(root: Element, archive: Archive, opf: str, missing: list[str]) -> list[ManifestItem]:
    items = []
    manifest = _first(root, "manifest")
    for element in [] if manifest is None else manifest:
        if tag_of(element) != "item":
            continue
        wanted, _ = resolve(opf, element.get("href", ""))
        name = archive.find(wanted) if wanted else ""
        if wanted and not name:
            missing.append(wanted.rpartition("/")[2])
        items.append(
            ManifestItem(
                id=element.get("id", ""),
                name=name,
                media_type=element.get("media-type", "").lower(),
                properties=frozenset(element.get("properties", "").split()),
                overlay=element.get("media-overlay", "").strip(),
            )
        )
    return items


def _spine(root: Element, items: dict[str, ManifestItem]) -> tuple[ManifestItem, ...]:
    """Reading order: what is outside of the main line comes after it."""
    spine = _first(root, "spine")
    references = [] if spine is None else [element for element in spine if tag_of(element) == "itemref"]
    ordered = sorted(references, key=lambda element: element.get("linear", "yes").lower() == "no")
    found = [items[element.get("idref", "")] for element in ordered if element.get("idref", "") in items]
    if not found:
        found = [item for item in items.values() if item.media_type in _CONTENT_TYPES]
    return tuple(dict.fromkeys(item for item in found if item.name))


def _authors(metas: list[Element]) -> tuple[str, ...]:
    """Creators, without those whose role says that they are something else."""
    roles = {
        element.get("refines", "").lstrip("#"): _text(element)
        for element in metas
        if tag_of(element) == "meta" and element.get("property") == "role"
    }
    names = []
    for element in metas:
        if tag_of(element) == "creator" and _text(element):
            role = element.get("{http://www.idpf.org/2007/opf}role") or roles.get(
                element.get("id", ""), "aut"
            )
            if role == "aut":
                names.append(_text(element))
    return tuple(dict.fromkeys(names))


def _media(metas: list[Element], name: str) -> list[str]:
    """What EPUB's vocabulary of media overlays says of the whole book, not of one file of it."""
    return [
        _text(element)[:_LONGEST_NAME]
        for element in metas
        if tag_of(element) == "meta"
        and element.get("property") == f"media:{name}"
        and not element.get("refines")
        and _text(element)
    ][:_MOST_NAMES]


def _cover(metas: list[Element], items: dict[str, ManifestItem]) -> ManifestItem | None:
    for item in items.values():
        if "cover-image" in item.properties:
            return item
    named = [element for element in metas if tag_of(element) == "meta" and element.get("name") == "cover"]
    return items.get(named[0].get("content", "")) if named else None


def _metadata(metas: list[Element], tag: str) -> str:
    return next((_text(element) for element in metas if tag_of(element) == tag and _text(element)), "")


def _first(root: Element, tag: str) -> Element | None:
    return next((element for element in root.iter() if tag_of(element) == tag), None)


def _text(element: Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())
