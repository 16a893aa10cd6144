"""What a tagged PDF says about the structure of a page: its blocks in their order, and which pieces of the
page's content belong to each (ISO 32000-2, 14.7 and 14.8). Whether to believe it is decided elsewhere."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pypdfium2.raw as pdfium

from compute_worker.documents.model import BlockRole

_MOST_ELEMENTS: Final = 20_000
_MOST_DEPTH: Final = 60
# None: text whose looks decide what it is.
_ROLES: Final[dict[str, BlockRole | None]] = {
    "P": None,
    "Title": BlockRole.TITLE,
    "H": BlockRole.HEADING,
    **{f"H{level}": BlockRole.HEADING for level in range(1, 7)},
    "LI": BlockRole.LIST_ITEM,
    "TOCI": BlockRole.OTHER,
    "Caption": BlockRole.CAPTION,
    "Note": BlockRole.FOOTNOTE,
    "FENote": BlockRole.FOOTNOTE,
    "Code": BlockRole.CODE,
    "Formula": BlockRole.FORMULA,
    "BibEntry": BlockRole.REFERENCE,
    "BlockQuote": BlockRole.QUOTE,
    "Figure": BlockRole.OTHER,
}
_PARTS_OF_ITEM: Final = frozenset({"P", "BibEntry", "Code"})


@dataclass(slots=True)
class TaggedBlock:
    """ids: of marked content. cells: of a table, whose rows they make up."""

    role: BlockRole | None = None
    level: int = 0
    ids: list[int] = field(default_factory=list)
    rows: list[list[list[int]]] = field(default_factory=list)


def tags_of(page: Any) -> list[TaggedBlock]:
    """In the file's logical order; empty where the page has no tags, or too many to be sane. What is only in
    a part or a division of the document belongs to no block."""
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return []
    try:
        walk = _Walk()
        for number in range(pdfium.FPDF_StructTree_CountChildren(tree)):
            child = pdfium.FPDF_StructTree_GetChildAtIndex(tree, number)
            if child:
                walk.visit(child, None, 0)
    except _TooManyError:
        return []
    finally:
        pdfium.FPDF_StructTree_Close(tree)
    return [block for block in walk.blocks if block.ids or block.rows]


class _Walk:
    def __init__(self) -> None:
        self.blocks: list[TaggedBlock] = []
        self._left = _MOST_ELEMENTS

    def visit(self, element: Any, block: TaggedBlock | None, depth: int) -> None:
        """block: what the element's text belongs to, unless it is one itself."""
        kind = _type_of(element)
        if kind == "Artifact":
            return
        if kind == "Table":
            self._visit_table(element, depth)
            return
        if kind in _ROLES and not (_is_item(block) and kind in _PARTS_OF_ITEM):
            level = int(kind[1]) if kind[0] == "H" and kind[1:].isdigit() else 0
            is_quoted = kind == "P" and block is not None and block.role is BlockRole.QUOTE
            block = self._add(TaggedBlock(BlockRole.QUOTE if is_quoted else _ROLES[kind], level))
        for child in self._children(element, depth):
            if not isinstance(child, int):
                self.visit(child, block, depth + 1)
            elif block is not None:
                block.ids.append(child)

    def _visit_table(self, table: Any, depth: int) -> None:
        block = self._add(TaggedBlock(BlockRole.TABLE))
        for kind, element in self._rows(table, depth):
            if kind == "Caption":
                self.visit(element, None, depth + 1)
                continue
            cells = [self._ids(cell, depth + 2) for cell in self._elements(element, depth + 1)]
            if any(cells):
                block.rows.append([ids for ids in cells if ids])

    def _rows(self, table: Any, depth: int) -> Iterator[tuple[str, Any]]:
        """Rows and captions, also those inside of THead, TBody and TFoot."""
        for element in self._elements(table, depth):
            kind = _type_of(element)
            if kind in {"TR", "Caption"}:
                yield kind, element
            elif depth < _MOST_DEPTH:
                yield from self._rows(element, depth + 1)

    def _elements(self, element: Any, depth: int) -> list[Any]:
        return [child for child in self._children(element, depth) if not isinstance(child, int)]

    def _ids(self, element: Any, depth: int) -> list[int]:
        found = []
        for child in self._children(element, depth):
            found += [child] if isinstance(child, int) else self._ids(child, depth + 1)
        return found

    def _children(self, element: Any, depth: int) -> Iterator[Any]:
        """Elements, and the ids of marked content. Children on other pages are neither."""
        if depth > _MOST_DEPTH:
            raise _TooManyError
        count = pdfium.FPDF_StructElement_CountChildren(element)
        self._left -= max(count, 1)
        if self._left < 0:
            raise _TooManyError
        for number in range(count):
            child = pdfium.FPDF_StructElement_GetChildAtIndex(element, number)
            if child:
                yield child
                continue
            content_id = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, number)
            if content_id >= 0:
                yield content_id

    def _add(self, block: TaggedBlock) -> TaggedBlock:
        self.blocks.append(block)
        return block


class _TooManyError(Exception):
    """No page has so many elements, or so deep."""


def _is_item(block: TaggedBlock | None) -> bool:
    return block is not None and block.role is BlockRole.LIST_ITEM


def _type_of(element: Any) -> str:
    """Its standard type: pdfium has followed the file's own map of roles."""
    size = pdfium.FPDF_StructElement_GetType(element, None, 0)
    buffer = ctypes.create_string_buffer(max(size, 2))
    pdfium.FPDF_StructElement_GetType(element, buffer, size)
    return str(buffer.raw.decode("utf-16-le", "replace")).partition("\0")[0]
