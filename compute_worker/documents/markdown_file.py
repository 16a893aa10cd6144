"""Markdown: CommonMark with tables, footnotes, strikethrough and front matter."""

import re
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from compute_worker.documents import markup, single_file
from compute_worker.documents.charset import decode
from compute_worker.documents.failures import no_text
from compute_worker.documents.html_file import read_page
from compute_worker.documents.language import declared_language
from compute_worker.documents.output import ArtifactFolder

_MOST_NESTING = 200  # what is nested deeper is lost: the parser's own limit is 20
_FIELD = re.compile(r"^(title|author|lang|language)\s*:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)


def parse(path: Path, output: ArtifactFolder, *, file_name: str) -> None:
    output.report("reading", 0, 0)
    text = decode(path.read_bytes())
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _MOST_NESTING}).enable(
        ["table", "strikethrough"]
    )
    parser.use(footnote_plugin).use(front_matter_plugin)
    tokens = parser.parse(text)
    fields = _front_matter(tokens[0].content) if tokens and tokens[0].type == "front_matter" else {}
    root = markup.parse_html(
        f"<html><body>{parser.renderer.render(tokens, parser.options, {})}</body></html>"
    )
    if root is None:
        raise no_text()
    read_page(
        root,
        output,
        title=fields.get("title") or _first_heading(root) or single_file.title_from(file_name),
        authors=[fields["author"]] if "author" in fields else [],
        language=declared_language(fields.get("lang") or fields.get("language")),
        source_format="markdown",
    )


def _front_matter(text: str) -> dict[str, str]:
    """Only plain values at the top level: that is all that is shown of it."""
    return {name.lower(): value.strip("\"'") for name, value in _FIELD.findall(text)}


def _first_heading(root: markup.Element) -> str:
    heading = root.find(".//h1")
    return "" if heading is None else " ".join("".join(map(str, heading.itertext())).split())
