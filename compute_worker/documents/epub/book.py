"""EPUB 2 and 3: reads the files of the spine in order."""

import importlib
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path

from compute_worker.documents import markup, single_file
from compute_worker.documents.builder import DocumentBuilder, SectionCut, TocTarget
from compute_worker.documents.epub.archive import Archive, resolve
from compute_worker.documents.epub.fonts import read_fonts
from compute_worker.documents.epub.narration import read_narration
from compute_worker.documents.epub.navigation import read_contents
from compute_worker.documents.epub.package import ManifestItem, parse_member, read_package
from compute_worker.documents.images import ImageShelf, read_data_url
from compute_worker.documents.language import declared_language, detect_language
from compute_worker.documents.markup import Element, tag_of
from compute_worker.documents.model import TextDirection
from compute_worker.documents.output import ArtifactFolder
from compute_worker.documents.pictures import read_image
from compute_worker.documents.semantics import ReadingRules
from compute_worker.documents.stylesheets import hidden_names
from compute_worker.documents.tree_reader import TreeReader
from compute_worker.documents.vector_pictures import keep_picture, safe_picture
from shared.errors import LecternError
from shared.readings import PARSER_VERSION

_CUT = SectionCut(at_heading_characters=500_000, most_characters=1_000_000)  # only for books in one file
_MOST_NAMED = 3
_MOST_BESIDE_COVER = 60  # characters
_ENOUGH_CHARACTERS = 20_000


def parse(path: Path, output: ArtifactFolder, *, file_name: str) -> None:
    archive = Archive(path)
    try:
        _Book(archive, output, title_without=single_file.title_from(file_name)).write()
    finally:
        archive.close()


class _BookSource:
    """The surroundings of one file of the spine."""

    def __init__(self, *, archive: Archive, base: str, images: "_Images") -> None:
        self._archive = archive
        self._base = base
        self._images = images

    def link_target(self, href: str) -> Hashable | None:
        name, fragment = resolve(self._base, href)
        found = self._archive.find(name) if name else ""
        return (found, fragment) if found else None

    def anchor(self, element_id: str) -> Hashable:
        return (self._base, element_id)

    def image(self, src: str) -> str:
        return self._images.keep(self._base, src)

    def drawing(self, svg: Element) -> str:
        return self._images.keep_drawing(self._base, svg)


class _Images:
    def __init__(self, *, archive: Archive, shelf: ImageShelf, builder: DocumentBuilder) -> None:
        self._archive = archive
        self._shelf = shelf
        self._builder = builder
        self._names: dict[str, str] = {}

    def keep(self, base: str, src: str) -> str:
        if src[:5].lower() == "data:":
            return keep_picture(self._shelf, read_data_url(src), member=self._beside(base))
        wanted, _ = resolve(base, src)
        if not wanted:
            return ""
        name = self._archive.find(wanted)
        if not name:
            self._builder.warn(
                "IMAGE_MISSING", f"The picture “{wanted.rpartition('/')[2]}” is not in the file."
            )
            return ""
        return self.keep_member(name)

    def keep_member(self, name: str) -> str:
        if name not in self._names:
            try:
                content = self._archive.read(name)
                self._names[name] = keep_picture(self._shelf, content, member=self._beside(name))
            except LecternError as error:
                if error.reason != "EPUB_DAMAGED":
                    raise
                self._names[name] = ""
                self._builder.warn("IMAGE_DAMAGED", f"The picture “{name.rpartition('/')[2]}” is damaged.")
        return self._names[name]

    def keep_drawing(self, base: str, svg: Element) -> str:
        return self._shelf.keep_drawing(safe_picture(svg, member=self._beside(base)))

    def keep_cover(self, name: str, pages: list[tuple[ManifestItem, Element]]) -> str:
        """The declared one, else the picture that is the whole first page; a drawing as a bitmap of it."""
        return (name and self._keep_bitmap(name)) or (self._keep_lone_picture(*pages[0]) if pages else "")

    def _keep_bitmap(self, name: str) -> str:
        kept = self.keep_member(name)
        if kept and not kept.endswith(".svg"):
            return kept
        content = self._member(name)
        if b"<svg" not in content:
            return ""
        drawings = importlib.import_module("compute_worker.documents.drawings")  # few books need it
        return self._shelf.keep(drawings.picture_of(content, member=self._beside(name)))

    def _keep_lone_picture(self, item: ManifestItem, root: Element) -> str:
        body = markup.body_of(root)
        if sum(len(str(text).strip()) for text in body.itertext()) > _MOST_BESIDE_COVER:
            return ""
        shown = [element for element in body.iter() if tag_of(element) in {"img", "image"}]
        if len(shown) != 1:
            return ""

        def bitmap(src: str) -> str:
            name = self._name(item.name, src)
            return self._keep_bitmap(name) if name else self.keep(item.name, src)

        return read_image(shown[0], bitmap).resource

    def _beside(self, base: str) -> Callable[[str], bytes]:
        return lambda href: self._member(self._name(base, href))

    def _name(self, base: str, src: str) -> str:
        wanted, _ = resolve(base, src)
        return (wanted and self._archive.find(wanted)) or ""

    def _member(self, name: str) -> bytes:
        """Empty for what is missing or damaged."""
        try:
            return self._archive.read(name) if name else b""
        except LecternError as error:
            if error.reason != "EPUB_DAMAGED":
                raise
            return b""


class _Book:
    def __init__(self, archive: Archive, output: ArtifactFolder, *, title_without: str) -> None:
        self._archive = archive
        self._output = output
        self._title_without = title_without
        self._package = read_package(archive)
        self._styles: dict[str, frozenset[str]] = {}

    def write(self) -> None:
        package = self._package
        contents = read_contents(self._archive, package)
        trees = [(item, parse_member(self._archive, item.name)) for item in package.spine]
        pages = [(item, tree) for item, tree in trees if tree is not None]
        builder = DocumentBuilder(language=package.language or _detected(pages), cut=_CUT)
        self._warn_of_missing(builder)
        images = _Images(
            archive=self._archive, shelf=ImageShelf(write=self._output.write_resource), builder=builder
        )
        cover = images.keep_cover(package.cover.name if package.cover else "", pages)
        titles = _titles(contents)
        for done, (item, root) in enumerate(pages, start=1):
            self._read_page(item, root, builder=builder, images=images, title=titles.get(item.name, ""))
            self._output.report("reading", done, len(pages))
        document = builder.finish(
            title=package.title or self._title_without,
            authors=package.authors,
            cover=cover,
            toc=contents or None,
            source_format="epub",
            parser_version=PARSER_VERSION,
            emit=self._output.write_section,
        )
        narration = read_narration(self._archive, package)
        fonts = read_fonts(self._archive, package, self._output.write_resource)
        self._output.write_document(replace(document, narration=narration, fonts=fonts))

    def _read_page(
        self, item: ManifestItem, root: Element, *, builder: DocumentBuilder, images: _Images, title: str
    ) -> None:
        body = markup.body_of(root)
        language = declared_language(markup.language_of(body) or markup.language_of(root)) or builder.language
        builder.begin_section(title=title, language=language, direction=_direction(root, body))
        builder.add_anchor((item.name, ""))
        reader = TreeReader(
            builder=builder,
            source=_BookSource(archive=self._archive, base=item.name, images=images),
            rules=ReadingRules(hidden_names=self._hidden_names(item, root)),
        )
        reader.read(body, language=language, path="/html/body")

    def _hidden_names(self, item: ManifestItem, root: Element) -> frozenset[str]:
        names: set[str] = set()
        for element in root.iter():
            tag = tag_of(element)
            if tag == "style":
                names |= hidden_names(element.text or "")
            elif tag == "link" and "stylesheet" in element.get("rel", ""):
                name, _ = resolve(item.name, element.get("href", ""))
                names |= self._hidden_by(self._archive.find(name) if name else "")
            elif tag == "body":
                break
        return frozenset(names)

    def _hidden_by(self, name: str) -> frozenset[str]:
        if not name:
            return frozenset()
        if name not in self._styles:
            self._styles[name] = hidden_names(self._archive.read(name).decode(errors="replace"))
        return self._styles[name]

    def _warn_of_missing(self, builder: DocumentBuilder) -> None:
        missing = self._package.missing
        if missing:
            named = ", ".join(missing[:_MOST_NAMED])
            builder.warn("FILES_MISSING", f"Files of the book are missing ({len(missing)}): {named}.")


def _detected(pages: list[tuple[ManifestItem, Element]]) -> str:
    text = ""
    for _, root in pages:
        text += " ".join(map(str, markup.body_of(root).itertext()))
        if len(text) > _ENOUGH_CHARACTERS:
            break
    return detect_language(text)


def _titles(entries: tuple[TocTarget, ...]) -> dict[str, str]:
    """What the table of contents calls each file: its first entry that leads there."""
    titles: dict[str, str] = {}
    for entry in entries:
        if isinstance(entry.target, tuple):
            titles.setdefault(entry.target[0], entry.title)
        titles = _titles(entry.children) | titles
    return titles


def _direction(root: Element, body: Element) -> TextDirection | None:
    declared = (body.get("dir") or root.get("dir") or "").lower()
    return {"rtl": TextDirection.RTL, "ltr": TextDirection.LTR}.get(declared)
