"""A page of the web: its main text without menus, advertisements and comments, as trafilatura finds it."""

import logging
from pathlib import Path
from typing import Final

from trafilatura import extract

from compute_worker.documents import markup, single_file
from compute_worker.documents.charset import declared_in_markup, decode
from compute_worker.documents.failures import no_text
from compute_worker.documents.html_file import read_page
from compute_worker.documents.language import declared_language
from compute_worker.documents.markup import Element, tag_of
from compute_worker.documents.output import ArtifactFolder

_LEAST_CHARACTERS: Final = 200  # less is no article: then the page is read whole
_BETWEEN_AUTHORS: Final = ";"
_MOST_AUTHORS: Final = 20
# It warns of pages that hold nothing, which is no news to us.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


def parse(path: Path, output: ArtifactFolder, *, file_name: str) -> None:
    content = path.read_bytes()
    text = decode(content, declared=declared_in_markup(content))
    output.report("reading", 0, 0)
    page = markup.parse_html(text)
    if page is None:
        raise no_text()
    article = _article(text)
    read_page(
        page if article is None or _length(article) < _LEAST_CHARACTERS else article,
        output,
        title=_meta(article, "title") or _title(page) or single_file.title_from(file_name),
        authors=[name for part in _meta(article, "author").split(_BETWEEN_AUTHORS) if (name := part.strip())][
            :_MOST_AUTHORS
        ],
        language=declared_language(markup.language_of(page)),
        source_format="web_page",
    )


def _article(text: str) -> Element | None:
    """As HTML, with the title and the authors in its head."""
    found = extract(
        text,
        output_format="html",
        with_metadata=True,
        include_comments=False,
        include_formatting=True,
        include_tables=True,
    )
    return markup.parse_html(found) if found else None


def _length(article: Element) -> int:
    return sum(len(str(text).strip()) for text in markup.body_of(article).itertext())


def _meta(article: Element | None, name: str) -> str:
    metas = [] if article is None else [e for e in article.iter() if tag_of(e) == "meta"]
    return next((meta.get("content", "").strip() for meta in metas if meta.get("name") == name), "")


def _title(page: Element) -> str:
    titles = ("".join(map(str, element.itertext())) for element in page.iter() if tag_of(element) == "title")
    return " ".join(next(titles, "").split())
