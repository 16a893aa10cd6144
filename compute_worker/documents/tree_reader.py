"""Walks a parsed HTML tree in reading order and writes its blocks.

A block element with only inline content is a block of the document. Text that stands beside block
elements makes a block of its own. Anything that only nests is shown as nesting.
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from html import escape
from typing import Protocol

from compute_worker.documents import markup
from compute_worker.documents.builder import DocumentBuilder
from compute_worker.documents.language import declared_language
from compute_worker.documents.markup import Element, semantics_of, tag_of
from compute_worker.documents.model import BlockRole
from compute_worker.documents.pictures import read_drawing, read_image
from compute_worker.documents.runs import Run
from compute_worker.documents.semantics import STICKY_ROLES, Context, ReadingRules, Semantics
from compute_worker.documents.tables import cell_attributes, is_data_table, rows_of

_MOST_NESTING = 48  # elements deeper than that are read but no longer shown as nested


class Source(Protocol):
    """What surrounds the tree: the archive, or nothing."""

    def link_target(self, href: str) -> Hashable | None:
        """The name of a place in this document, None for any other link."""
        ...

    def anchor(self, element_id: str) -> Hashable: ...

    def image(self, src: str) -> str:
        """Name of the stored resource, empty where there is none to show."""
        ...

    def drawing(self, svg: Element) -> str:
        """The same for what is drawn in the page itself."""
        ...


class TreeReader:
    def __init__(self, *, builder: DocumentBuilder, source: Source, rules: ReadingRules) -> None:
        self._builder = builder
        self._source = source
        self._rules = rules
        self._semantics = Semantics(
            rules=rules, leads_inside=lambda href: source.link_target(href) is not None
        )
        self._has_title = False

    def read(self, body: Element, *, language: str, path: str) -> None:
        context = Context(role=BlockRole.PARAGRAPH, language=language, path=path)
        self._note_anchor(body)
        self._read_children(body, self._semantics.entered(body, context, path))

    def _read_children(self, element: Element, context: Context) -> None:
        run = self._loose_run(context)
        self._add(element.text, run, context)
        seen: Counter[str] = Counter()
        for child in element:
            tag = tag_of(child)
            seen[tag] += 1
            if tag and not self._semantics.is_left_out(child, tag):
                path = f"{context.path}/{tag}[{seen[tag]}]"
                if tag == "hr" or tag in markup.BLOCKS or (len(child) and markup.has_blocks(child)):
                    self._builder.write(run)
                    self._read_block(child, tag, self._semantics.entered(child, context, path))
                    run = self._loose_run(context)
                else:
                    self._read_inline(child, tag, run, self._semantics.entered(child, context, path))
            self._add(child.tail, run, context)
        self._builder.write(run)

    def _read_block(self, element: Element, tag: str, context: Context) -> None:
        if tag == "hr":
            self._builder.add_rule()
            return
        if tag == "table" and is_data_table(element):
            self._read_table(element, context)
            return
        parent = self._builder.parent_tag
        if tag in markup.BLOCKS and not markup.has_blocks(element):
            run = self._leaf_run(element, tag, parent, context)
            self._read_leaf(element, run, context)
            return
        self._note_anchor(element)
        shown = markup.container_tag(tag, parent)
        nests = context.depth < _MOST_NESTING
        if nests:
            self._builder.open(shown, self._attributes(element, shown))
        self._read_children(element, context)
        if nests:
            self._builder.close()

    def _read_leaf(self, element: Element, run: Run, context: Context) -> None:
        self._note_anchor(element, run)
        self._read_into(element, run, context)
        self._builder.write(run)

    def _read_table(self, table: Element, context: Context) -> None:
        """Every row is a block, its cells are parts of it."""
        self._note_anchor(table)
        self._builder.open("table", self._attributes(table, "table"))
        for number, row in enumerate(rows_of(table), start=1):
            tag = tag_of(row)
            if self._semantics.is_left_out(row, tag):
                continue
            inner = self._semantics.entered(row, context, f"{context.path}/{tag}[{number}]")
            role = BlockRole.CAPTION if tag == "caption" else BlockRole.TABLE
            role = inner.role if inner.role in STICKY_ROLES else role
            run = Run(
                tag, role, inner.language, inner.path, attributes=self._attributes(row, tag), holds_cells=True
            )
            self._note_anchor(row, run)
            if tag == "caption":
                self._read_into(row, run, inner)
            else:
                self._read_cells(row, run, inner)
            self._builder.write(run)
        self._builder.close()

    def _read_cells(self, row: Element, run: Run, context: Context) -> None:
        for cell in row:
            tag = tag_of(cell)
            if not tag or self._semantics.is_left_out(cell, tag):
                continue
            run.add_markup(f"<{tag}{cell_attributes(cell)}{self._attributes(cell, tag)}>")
            run.begin_cell()
            self._note_anchor(cell, run)
            self._read_into(cell, run, self._semantics.entered(cell, context, context.path))
            run.add_markup(f"</{tag}>")
            run.end_part()

    def _read_into(self, element: Element, run: Run, context: Context) -> None:
        """The inline content of an element."""
        self._add(element.text, run, context)
        for child in element:
            tag = tag_of(child)
            if tag and not self._semantics.is_left_out(child, tag):
                self._read_inline(child, tag, run, self._semantics.entered(child, context, context.path))
            self._add(child.tail, run, context)

    def _read_inline(self, element: Element, tag: str, run: Run, context: Context) -> None:
        self._note_anchor(element, run)
        if tag == "br":
            run.end_line()
            run.add_markup("<br>")
        elif tag == "wbr":
            run.add_markup("<wbr>")
        elif tag in {"img", "image"}:
            run.add_image(read_image(element, self._source.image))
        elif tag == "svg":
            for image in read_drawing(element, self._source.image, self._source.drawing):
                run.add_image(image)
        elif tag == "math":
            self._add(
                element.get("alttext") or " ".join("".join(map(str, element.itertext())).split()),
                run,
                context,
            )
        elif run.holds_cells and tag in markup.BLOCKS:
            self._read_cell_part(element, run, context)
        else:
            self._read_marked(element, tag, run, context)

    def _read_marked(self, element: Element, tag: str, run: Run, context: Context) -> None:
        opening = ""
        if context.depth < _MOST_NESTING:
            if tag == "a":
                opening = self._link(element, context)
                context = replace(context, is_linked=context.is_linked or bool(opening))
            else:
                attributes = self._attributes(element, tag)
                tag = markup.inline_tag(tag)
                tag = ("span" if attributes else "") if tag in {"", "span"} else tag
                opening = f"<{tag}{attributes}>" if tag else ""
        if opening:
            run.add_markup(opening)
        self._read_into(element, run, context)
        if opening:
            run.close_markup(opening, f"</{tag}>")

    def _read_cell_part(self, element: Element, run: Run, context: Context) -> None:
        """A paragraph or list item in a cell: seen through, but no sentence reaches over its edges."""
        run.end_part()
        if run.has_text_in_cell():
            run.add_markup("<br>")
        self._read_into(element, run, context)
        run.end_part()

    def _add(self, text: str | None, run: Run, context: Context) -> None:
        if not text:
            return
        if context.unread:
            run.add_unread(text, context.unread)
        elif not (run.holds_cells and text.isspace() and "\n" in text):
            run.add_text(text)

    def _loose_run(self, context: Context) -> Run:
        return Run("div", context.role, context.language, context.path)

    def _leaf_run(self, element: Element, tag: str, parent: str, context: Context) -> Run:
        level = markup.HEADINGS.get(tag, 0)
        shown = tag if level or tag in {"p", "pre"} else markup.container_tag(tag, parent)
        return Run(
            shown,
            self._leaf_role(element, level, context),
            context.language,
            context.path,
            heading_level=level,
            attributes=self._attributes(element, shown),
            is_preformatted=tag == "pre",
        )

    def _leaf_role(self, element: Element, level: int, context: Context) -> BlockRole:
        if not level or context.role in STICKY_ROLES:
            return context.role
        is_title = bool(semantics_of(element) & {"fulltitle", "halftitle"}) or context.is_title_page
        if level == 1 and not self._has_title and (self._rules.is_web_page or is_title):
            self._has_title = True
            return BlockRole.TITLE
        return BlockRole.HEADING

    def _attributes(self, element: Element, tag: str) -> str:
        if not element.attrib:
            return ""
        found = {}
        language = declared_language(markup.language_of(element))
        if language:
            found["lang"] = language
        direction = element.get("dir", "").lower()
        if direction in {"ltr", "rtl", "auto"}:
            found["dir"] = direction
        for name in {"ol": ("start", "reversed", "type"), "li": ("value",)}.get(tag, ()):
            if name in element.attrib:
                found[name] = str(element.attrib[name])
        return "".join(f' {name}="{escape(value)}"' for name, value in found.items())

    def _link(self, element: Element, context: Context) -> str:
        href = element.get("href", "").strip()
        if not href or context.is_linked:
            return ""
        target = self._source.link_target(href)
        if target is not None:
            return f"<a{self._builder.add_link(target)}>"
        if href.lower().startswith(("http://", "https://", "mailto:")):
            return f'<a href="{escape(href)}">'
        return ""

    def _note_anchor(self, element: Element, run: Run | None = None) -> None:
        for name in (element.get("id"), element.get("name") if tag_of(element) == "a" else None):
            if name:
                anchor = self._source.anchor(name)
                if run is None:
                    self._builder.add_anchor(anchor)
                else:
                    run.anchors.append(anchor)
