"""What HTML, Markdown and plain text have in common: one file, no archive around it."""

from collections.abc import Hashable, Sequence
from pathlib import PurePath
from urllib.parse import unquote

from compute_worker.documents.builder import DocumentBuilder, SectionCut
from compute_worker.documents.images import ImageShelf, read_data_url
from compute_worker.documents.markup import Element
from compute_worker.documents.model import Section
from compute_worker.documents.output import ArtifactFolder
from compute_worker.documents.vector_pictures import keep_picture, safe_picture
from shared.readings import PARSER_VERSION

SHORT_CHARACTERS = 20_000  # what is shorter stays in one piece


def cut_for(characters: int, levels: Sequence[int]) -> SectionCut:
    """Long pages are cut at h1 and h2; where chapters are of a lower level, at these too."""
    deepest = next((level for level in range(2, 5) if sum(1 for found in levels if found <= level) > 1), 2)
    return SectionCut(
        at_heading_characters=1_500 if characters >= SHORT_CHARACTERS else None,
        most_characters=200_000,
        deepest_heading=deepest,
    )


def title_from(file_name: str) -> str:
    return PurePath(file_name).stem.replace("_", " ").strip() or file_name


class PageSource:
    """Links within one page, and pictures that lie in it; nothing is fetched from anywhere."""

    def __init__(self, *, shelf: ImageShelf) -> None:
        self._shelf = shelf

    def link_target(self, href: str) -> Hashable | None:
        return unquote(href[1:]) if href.startswith("#") and len(href) > 1 else None

    def anchor(self, element_id: str) -> Hashable:
        return element_id

    def image(self, src: str) -> str:
        return keep_picture(self._shelf, read_data_url(src), member=_no_member)

    def drawing(self, svg: Element) -> str:
        return self._shelf.keep_drawing(safe_picture(svg, member=_no_member))


def _no_member(_address: str) -> bytes:
    return b""


def write_out(
    builder: DocumentBuilder, output: ArtifactFolder, *, title: str, authors: list[str], source_format: str
) -> None:
    """Sections first, the document last, its contents made of the headings."""
    builder.end_section()
    total = builder.section_count
    done = 0

    def emit(section: Section) -> None:
        nonlocal done
        output.write_section(section)
        done += 1
        output.report("sections", done, total)

    document = builder.finish(
        title=title,
        authors=authors,
        cover="",
        toc=None,
        source_format=source_format,
        parser_version=PARSER_VERSION,
        emit=emit,
    )
    output.write_document(document)
