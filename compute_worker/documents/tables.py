"""Tells tables of data from tables that only lay out a page."""

from html import escape

from compute_worker.documents.markup import HEADINGS, Element, tag_of

_MOST_CELL_CHARACTERS = 500


def is_data_table(table: Element) -> bool:
    if table.get("role") in {"presentation", "none"}:
        return False
    for element in table.iterdescendants():
        tag = tag_of(element)
        if tag in {"table", "pre", "blockquote", "article", "section"} or tag in HEADINGS:
            return False
        if tag in {"td", "th"} and sum(len(str(text)) for text in element.itertext()) > _MOST_CELL_CHARACTERS:
            return False
    return any(tag_of(element) == "tr" for element in table.iterdescendants())


def cell_attributes(cell: Element) -> str:
    spans = ((name, cell.get(name, "")) for name in ("colspan", "rowspan"))
    return "".join(
        f' {name}="{escape(value)}"' for name, value in spans if value.isdigit() and len(value) < 4
    )
