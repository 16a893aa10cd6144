"""HTML: one page, as a browser saved it or a converter wrote it."""

from pathlib import Path

from compute_worker.documents import markup, single_file
from compute_worker.documents.builder import DocumentBuilder
from compute_worker.documents.charset import declared_in_markup, decode
from compute_worker.documents.failures import no_text
from compute_worker.documents.images import ImageShelf
from compute_worker.documents.language import declared_language, detect_language
from compute_worker.documents.markup import Element, tag_of
from compute_worker.documents.model import TextDirection
from compute_worker.documents.output import ArtifactFolder
from compute_worker.documents.semantics import ReadingRules
from compute_worker.documents.stylesheets import hidden_names
from compute_worker.documents.tree_reader import TreeReader

_MAIN_SHARE = 0.5  # a page's <main> stands for the page if it holds that much of the text


def parse(path: Path, output: ArtifactFolder, *, file_name: str) -> None:
    content = path.read_bytes()
    text = decode(content, declared=declared_in_markup(content))
    output.report("reading", 0, 0)
    root = markup.parse_html(text)
    if root is None:
        raise no_text()
    title = " ".join("".join(_texts(root, "title")[:1]).split())
    read_page(
        root,
        output,
        title=title or single_file.title_from(file_name),
        authors=[name for name in (_meta(root, "author"),) if name],
        language=declared_language(markup.language_of(root)),
        source_format="html",
    )


def read_page(
    root: Element,
    output: ArtifactFolder,
    *,
    title: str,
    authors: list[str],
    language: str,
    source_format: str,
) -> None:
    body = markup.body_of(root)
    text = "".join(_shown_texts(body))
    builder = DocumentBuilder(
        language=language or detect_language(text), cut=single_file.cut_for(len(text), _levels(body))
    )
    main, path = _main_part(body, len(text))
    builder.begin_section(title="", language="", direction=_direction(root, body))
    rules = ReadingRules(is_web_page=True, hidden_names=hidden_names("\n".join(_texts(root, "style"))))
    source = single_file.PageSource(shelf=ImageShelf(write=output.write_resource))
    TreeReader(builder=builder, source=source, rules=rules).read(main, language=builder.language, path=path)
    single_file.write_out(builder, output, title=title, authors=authors, source_format=source_format)


def _main_part(body: Element, characters: int) -> tuple[Element, str]:
    mains = [element for element in body.iter() if tag_of(element) == "main" or element.get("role") == "main"]
    if len(mains) == 1 and sum(map(len, _shown_texts(mains[0]))) > _MAIN_SHARE * characters:
        return mains[0], body.getroottree().getpath(mains[0])
    return body, body.getroottree().getpath(body)


def _levels(body: Element) -> list[int]:
    tags = (tag_of(element) for element in body.iter())
    return [markup.HEADINGS[tag] for tag in tags if tag in markup.HEADINGS]


def _shown_texts(element: Element) -> list[str]:
    dropped = {"script", "style", "noscript", "template"}
    return [
        text
        for inner in element.iter()
        if tag_of(inner) not in dropped
        for text in (inner.text, inner.tail)
        if text
    ]


def _texts(root: Element, tag: str) -> list[str]:
    return ["".join(map(str, element.itertext())) for element in root.iter() if tag_of(element) == tag]


def _meta(root: Element, name: str) -> str:
    metas = (element for element in root.iter() if tag_of(element) == "meta")
    return next(
        (meta.get("content", "").strip() for meta in metas if meta.get("name", "").lower() == name), ""
    )


def _direction(root: Element, body: Element) -> TextDirection | None:
    declared = (body.get("dir") or root.get("dir") or "").lower()
    return {"rtl": TextDirection.RTL, "ltr": TextDirection.LTR}.get(declared)
