"""Tells tables of data from tables that only lay out a page, and from broken ones."""

from collections.abc import Iterator
from html import escape

from compute_worker.documents.markup import HEADINGS, Element, tag_of

_MOST_CELL_CHARACTERS = 500
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_IGNORED = frozenset({"col", "colgroup", ""})
_NOT_IN_CELLS = frozenset(
    {"table", "caption", "tr", "td", "th", "pre", "blockquote", "article", "section", *_GROUPS, *HEADINGS}
)


def is_data_table(table: Element) -> bool:
    """Whether rows and cells are nested as they should be and the cells are short and plain."""
    if table.get("role") in {"presentation", "none"} or not _holds_only(table, _GROUPS | {"tr", "caption"}):
        return False
    if not all(_holds_only(group, {"tr"}) for group in table if tag_of(group) in _GROUPS):
        return False
    rows = list(rows_of(table))
    for row in rows:
        if tag_of(row) == "caption":
            cells = [row]
        elif _holds_only(row, {"td", "th"}):
            cells = list(row)
        else:
            return False
        if not all(_is_plain(cell) for cell in cells):
            return False
    return any(len(row) for row in rows if tag_of(row) == "tr")


def rows_of(table: Element) -> Iterator[Element]:
    """Rows and the caption of a table of data, in order."""
    for child in table:
        tag = tag_of(child)
        if tag in _GROUPS:
            yield from (row for row in child if tag_of(row) == "tr")
        elif tag in {"tr", "caption"}:
            yield child


def cell_attributes(cell: Element) -> str:
    spans = ((name, cell.get(name, "")) for name in ("colspan", "rowspan"))
    return "".join(
        f' {name}="{escape(value)}"' for name, value in spans if value.isdigit() and len(value) < 4
    )


def _holds_only(element: Element, tags: frozenset[str] | set[str]) -> bool:
    texts = [element.text, *(child.tail for child in element)]
    return not any(text and text.strip() for text in texts) and all(
        tag_of(child) in tags or tag_of(child) in _IGNORED for child in element
    )


def _is_plain(cell: Element) -> bool:
    if any(tag_of(inner) in _NOT_IN_CELLS for inner in cell.iterdescendants()):
        return False
    return sum(len(str(text)) for text in cell.itertext()) <= _MOST_CELL_CHARACTERS
