"""The table of contents: EPUB 3's navigation document, else EPUB 2's NCX."""

from compute_worker.documents.builder import TocTarget
from compute_worker.documents.epub.archive import Archive, resolve
from compute_worker.documents.epub.package import ManifestItem, Package, parse_member
from compute_worker.documents.markup import Element, semantics_of, tag_of

_MOST_NESTING = 12


def read_contents(archive: Archive, package: Package) -> tuple[TocTarget, ...]:
    for item, read in ((package.navigation, _read_nav), (package.ncx, _read_ncx)):
        entries = read(archive, item) if item is not None and item.name else ()
        if entries:
            return entries
    return ()


def _read_nav(archive: Archive, item: ManifestItem) -> tuple[TocTarget, ...]:
    root = parse_member(archive, item.name)
    navs = [] if root is None else [element for element in root.iter() if tag_of(element) == "nav"]
    nav = next((element for element in navs if "toc" in semantics_of(element)), navs[0] if navs else None)
    top = None if nav is None else next((element for element in nav.iter() if tag_of(element) == "ol"), None)
    return () if top is None else _nav_entries(archive, top, item.name, 0)


def _nav_entries(archive: Archive, items: Element, base: str, depth: int) -> tuple[TocTarget, ...]:
    entries = []
    for entry in items:
        if tag_of(entry) != "li":
            continue
        label = next((child for child in entry if tag_of(child) in {"a", "span"}), None)
        inner = next((child for child in entry if tag_of(child) == "ol"), None)
        children = (
            () if inner is None or depth > _MOST_NESTING else _nav_entries(archive, inner, base, depth + 1)
        )
        title = "" if label is None else _text(label)
        href = "" if label is None else label.get("href", "")
        if title or children:
            entries.append(TocTarget(title, _target(archive, base, href), children))
    return tuple(entries)


def _read_ncx(archive: Archive, item: ManifestItem) -> tuple[TocTarget, ...]:
    root = parse_member(archive, item.name)
    top = (
        None
        if root is None
        else next((element for element in root.iter() if tag_of(element) == "navmap"), None)
    )
    return () if top is None else _ncx_entries(archive, top, item.name, 0)


def _ncx_entries(archive: Archive, parent: Element, base: str, depth: int) -> tuple[TocTarget, ...]:
    entries = []
    for point in parent:
        if tag_of(point) != "navpoint":
            continue
        label = next((child for child in point if tag_of(child) == "navlabel"), None)
        content = next((child for child in point if tag_of(child) == "content"), None)
        children = () if depth > _MOST_NESTING else _ncx_entries(archive, point, base, depth + 1)
        href = "" if content is None else content.get("src", "")
        entries.append(
            TocTarget("" if label is None else _text(label), _target(archive, base, href), children)
        )
    return tuple(entries)


def _target(archive: Archive, base: str, href: str) -> tuple[str, str]:
    name, fragment = resolve(base, href) if href else ("", "")
    return archive.find(name) if name else "", fragment


def _text(element: Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())
