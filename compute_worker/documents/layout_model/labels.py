"""What the labels of layout models mean for reading: those of PP-DocLayout (all versions), DocLayNet and
PubLayNet."""

from typing import Final

from compute_worker.documents.model import BlockRole

MEANINGS: Final = {
    "doc_title": BlockRole.TITLE,
    "title": BlockRole.TITLE,
    "paragraph_title": BlockRole.HEADING,
    "section-header": BlockRole.HEADING,
    "text": BlockRole.PARAGRAPH,
    "abstract": BlockRole.PARAGRAPH,
    "vertical_text": BlockRole.PARAGRAPH,
    "list": BlockRole.LIST_ITEM,
    "list-item": BlockRole.LIST_ITEM,
    "table": BlockRole.TABLE,
    "figure_title": BlockRole.CAPTION,
    "table_title": BlockRole.CAPTION,
    "chart_title": BlockRole.CAPTION,
    "figure_table_chart_title": BlockRole.CAPTION,
    "caption": BlockRole.CAPTION,
    "footnote": BlockRole.FOOTNOTE,
    "vision_footnote": BlockRole.FOOTNOTE,
    "formula": BlockRole.FORMULA,
    "display_formula": BlockRole.FORMULA,
    # Within a line of text, which goes on through it.
    "inline_formula": None,
    "formula_number": BlockRole.OTHER,
    "algorithm": BlockRole.CODE,
    "code": BlockRole.CODE,
    "reference": BlockRole.REFERENCE,
    "reference_content": BlockRole.REFERENCE,
    # A table of contents is for the eyes.
    "content": BlockRole.OTHER,
    "header": BlockRole.HEADER,
    "page-header": BlockRole.HEADER,
    "header_image": BlockRole.HEADER,
    "footer": BlockRole.FOOTER,
    "page-footer": BlockRole.FOOTER,
    "footer_image": BlockRole.FOOTER,
    "number": BlockRole.PAGE_NUMBER,
    "aside_text": BlockRole.OTHER,
    "image": BlockRole.OTHER,
    "picture": BlockRole.OTHER,
    "figure": BlockRole.OTHER,
    "chart": BlockRole.OTHER,
    "seal": BlockRole.OTHER,
}
"""None for what is no block of its own."""
