"""Collects blocks into sections and sections into a reading document.

Ordinals, block ids and the cutting into sections are decided here and nowhere else. Links inside the
document are kept as numbers until every place is known.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from compute_worker.documents.failures import no_text, over_limit
from compute_worker.documents.language import differing_script, direction_of
from compute_worker.documents.model import (
    Block,
    BlockRole,
    DocumentWarning,
    ReadingDocument,
    Section,
    SectionSummary,
    Sentence,
    TextDirection,
    TocEntry,
)
from compute_worker.documents.runs import Image, Run, image_html
from compute_worker.documents.sanitizer import sanitize
from compute_worker.documents.sentences import cut_lines, cut_sentences

MAX_DOCUMENT_CHARACTERS: Final = 30_000_000  # some 25 times "In Search of Lost Time"'s longest volume
_LINK = re.compile(r' data-link="(\d+)"')


@dataclass(frozen=True)
class SectionCut:
    """A new section begins at a heading once this one has that many characters, and at any block once it
    has the maximum."""

    at_heading_characters: int | None
    most_characters: int
    deepest_heading: int = 2


@dataclass(frozen=True, slots=True)
class Place:
    section: int
    block_id: str


@dataclass
class _OpenSection:
    index: int
    title: str
    language: str
    direction: TextDirection
    first_sentence: int
    html: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    characters: int = 0


@dataclass(frozen=True)
class _OpenTag:
    tag: str
    attributes: str


@dataclass(frozen=True)
class TocTarget:
    """An entry of a table of contents whose place is still a name in the source."""

    title: str
    target: Hashable
    children: tuple["TocTarget", ...] = ()


class DocumentBuilder:
    def __init__(self, *, language: str, cut: SectionCut) -> None:
        self.language = language
        self.warnings: list[DocumentWarning] = []
        self.headings: list[tuple[int, str, Place]] = []
        self._cut = cut
        self._sections: list[_OpenSection] = []
        self._open: list[_OpenTag] = []
        self._section: _OpenSection | None = None
        self._sentences = 0
        self._characters = 0
        self._links: list[Hashable] = []
        self._places: dict[Hashable, Place] = {}
        self._pending: list[Hashable] = []

    def begin_section(self, *, title: str, language: str, direction: TextDirection | None) -> None:
        self.end_section()
        language = language or self.language
        self._section = _OpenSection(
            index=len(self._sections),
            title=title,
            language=language,
            direction=direction or direction_of(language),
            first_sentence=self._sentences,
        )

    def end_section(self) -> None:
        """Sections that show nothing at all leave no trace."""
        section = self._section
        if section is None:
            return
        self._section = None
        if section.blocks or any("<img" in piece for piece in section.html):
            self._sections.append(section)
            last = section.blocks[-1].id if section.blocks else ""
            self._settle(Place(section.index, last))

    def open(self, tag: str, attributes: str = "") -> None:
        self._open.append(_OpenTag(tag, attributes))
        self._current.html.append(f"<{tag}{attributes}>")

    def close(self) -> None:
        opened = self._open.pop()
        html = self._current.html
        if html and html[-1] == f"<{opened.tag}{opened.attributes}>":
            html.pop()
        else:
            html.append(f"</{opened.tag}>")

    @property
    def parent_tag(self) -> str:
        return self._open[-1].tag if self._open else ""

    def add_rule(self) -> None:
        self._current.html.append("<hr>")

    def add_anchor(self, anchor: Hashable) -> None:
        """Names the next block."""
        self._pending.append(anchor)

    def add_link(self, target: Hashable) -> str:
        """The attribute by which a link finds its place once all are known."""
        self._links.append(target)
        return f' data-link="{len(self._links) - 1}"'

    def warn(self, code: str, message: str) -> None:
        warning = DocumentWarning(code, message)
        if warning not in self.warnings:
            self.warnings.append(warning)

    def write(self, run: Run) -> None:
        """A finished block; without text of its own, what it shows."""
        self._pending += run.anchors
        if run.has_text():
            self._write_block(run)
        elif run.images:
            for image in run.images:
                self._write_image(image, run)
        elif run.has_markup():
            self._current.html.append(f"<{run.tag}{run.attributes}>{run.inner_html(())}</{run.tag}>")

    def finish(
        self,
        *,
        title: str,
        authors: Sequence[str],
        cover: str,
        toc: Sequence[TocTarget] | None,
        source_format: str,
        parser_version: str,
        emit: Callable[[Section], None],
        may_be_silent: bool = False,
    ) -> ReadingDocument:
        """Hands over the sections in order. A table of contents that isn't given is made of the headings.
        may_be_silent: there is something to look at where there is nothing to read."""
        self.end_section()
        if not self._sentences and not may_be_silent:
            raise no_text()
        for section in self._sections:
            emit(self._finished(section))
        return ReadingDocument(
            title=title,
            authors=tuple(authors),
            language=self.language,
            cover=cover,
            toc=self._toc_of_headings() if toc is None else self._placed(toc),
            sections=tuple(self._summary(section) for section in self._sections),
            warnings=tuple(self.warnings),
            sentence_count=self._sentences,
            character_count=self._characters,
            source_format=source_format,
            parser_version=parser_version,
        )

    @property
    def section_count(self) -> int:
        return len(self._sections)

    @property
    def _current(self) -> _OpenSection:
        assert self._section is not None, "begin_section comes first"  # noqa: S101 - a slip of ours
        return self._section

    def _write_block(self, run: Run, *, before: str = "", after: str = "") -> None:
        self._cut_before(run)
        text = run.finished_text()
        block = self._new_block(run, text)
        head = self._block_attributes(block, run) + run.attributes
        inner = run.inner_html(block.sentences)
        self._current.html.append(f"{before}<{run.tag}{head}>{inner}</{run.tag}>{after}")
        if block.role in {BlockRole.TITLE, BlockRole.HEADING}:
            self.headings.append((run.heading_level, text, Place(self._current.index, block.id)))

    def _write_image(self, image: Image, run: Run) -> None:
        """A picture that stands alone; in the place of a heading, its description is the heading."""
        shown = image_html(Image(image.resource, "")) if image.resource else ""
        before, after = _around_picture(run)
        figure = "div" if self.parent_tag == "figure" else "figure"
        if not image.alt:
            if shown:
                self._current.html.append(f"{before}<{figure}>{shown}</{figure}>{after}")
            return
        alt = Run(figure, BlockRole.IMAGE_ALT, run.language, run.path)
        if run.role in {BlockRole.FOOTNOTE, BlockRole.TITLE, BlockRole.HEADING}:
            alt.role = run.role
        if run.heading_level:
            alt.tag, alt.heading_level = run.tag, run.heading_level
        alt.add_markup(shown)
        alt.add_text(image.alt, attribute=" data-alt")
        self._write_block(alt, before=before, after=after)

    def _new_block(self, run: Run, text: str) -> Block:
        section = self._current
        own_language = "" if run.language != section.language else differing_script(text, run.language)
        language = own_language or run.language
        ranges = cut_lines(text) if run.is_preformatted else cut_sentences(text, language, run.breaks)
        block = Block(
            id=f"{section.index}-{len(section.blocks)}",
            role=run.role,
            heading_level=run.heading_level if run.role in {BlockRole.TITLE, BlockRole.HEADING} else 0,
            text=text,
            language=language,
            sentences=tuple(
                Sentence(self._sentences + number, start, end) for number, (start, end) in enumerate(ranges)
            ),
            path=run.path,
            page_lines=run.page_lines,
        )
        section.blocks.append(block)
        section.characters += len(text)
        self._sentences += len(ranges)
        self._characters += len(text)
        if self._characters > MAX_DOCUMENT_CHARACTERS:
            raise over_limit(
                "DOCUMENT_TOO_LONG",
                f"The document has more than {MAX_DOCUMENT_CHARACTERS:,} characters of text.",
            )
        self._settle(Place(section.index, block.id))
        return block

    def _block_attributes(self, block: Block, run: Run) -> str:
        attributes = f' data-block="{block.id}"'
        if block.role is not BlockRole.PARAGRAPH:
            attributes += f' data-role="{block.role.name.lower()}"'
        if block.language != run.language and " dir=" not in run.attributes:
            attributes += f' lang="{block.language}" dir="{direction_of(block.language).name.lower()}"'
        return attributes

    def _cut_before(self, run: Run) -> None:
        section = self._current
        is_chapter = (
            run.role in {BlockRole.TITLE, BlockRole.HEADING}
            and run.heading_level <= self._cut.deepest_heading
        )
        least = self._cut.at_heading_characters
        if not section.blocks or not (
            section.characters >= self._cut.most_characters
            or (is_chapter and least is not None and section.characters >= least)
        ):
            return
        opened = self._open
        section.html += [f"</{tag.tag}>" for tag in reversed(opened)]
        title, pending, self._pending = section.title if not is_chapter else "", self._pending, []
        self.begin_section(title=title, language=section.language, direction=section.direction)
        self._pending = pending
        self._current.html += [f"<{tag.tag}{tag.attributes}>" for tag in opened]

    def _settle(self, place: Place) -> None:
        for anchor in self._pending:
            self._places.setdefault(anchor, place)
        self._pending.clear()

    def _finished(self, section: _OpenSection) -> Section:
        html = _LINK.sub(self._resolved, "".join(section.html))
        section.html.clear()
        return Section(
            index=section.index,
            title=self._title_of(section),
            html=sanitize(html),
            blocks=tuple(section.blocks),
            language=section.language,
            direction=section.direction,
        )

    def _resolved(self, link: "re.Match[str]") -> str:
        place = self._places.get(self._links[int(link.group(1))])
        if place is None:
            return ""
        target = f' data-target="{place.block_id}"' if place.block_id else ""
        return f' href="#section-{place.section}" data-section="{place.section}"{target}'

    def _title_of(self, section: _OpenSection) -> str:
        if section.title:
            return section.title
        headings = (block for block in section.blocks if block.role in {BlockRole.TITLE, BlockRole.HEADING})
        heading = next(headings, None)
        return " ".join(heading.text.split())[:200] if heading else ""

    def _summary(self, section: _OpenSection) -> SectionSummary:
        pages = [line.page for block in section.blocks for line in block.page_lines]
        return SectionSummary(
            index=section.index,
            title=self._title_of(section),
            first_sentence=section.first_sentence,
            sentence_count=sum(len(block.sentences) for block in section.blocks),
            character_count=section.characters,
            block_count=len(section.blocks),
            first_page=min(pages, default=0),
            last_page=max(pages, default=0),
        )

    def _placed(self, entries: Sequence[TocTarget]) -> tuple[TocEntry, ...]:
        """Entries that lead nowhere are left out; their children move up."""
        placed: list[TocEntry] = []
        for entry in entries:
            place = self._places.get(entry.target)
            children = self._placed(entry.children)
            if place is None and children:
                place = Place(children[0].section, children[0].block_id)
            if place is None:
                continue
            placed.append(TocEntry(entry.title, place.section, place.block_id, children))
        return tuple(placed)

    def _toc_of_headings(self) -> tuple[TocEntry, ...]:
        stack: list[tuple[int, list[TocEntry]]] = [(0, [])]

        def fold(down_to: int) -> None:
            while len(stack) > 1 and stack[-1][0] >= down_to:
                _, children = stack.pop()
                siblings = stack[-1][1]
                last = siblings[-1]
                siblings[-1] = TocEntry(last.title, last.section, last.block_id, tuple(children))

        for level, text, place in self.headings:
            if level > 3:
                continue
            fold(level)
            stack[-1][1].append(TocEntry(" ".join(text.split()), place.section, place.block_id))
            stack.append((level, []))
        fold(0)
        return tuple(stack[0][1])


def _around_picture(run: Run) -> tuple[str, str]:
    """What keeps the picture in its list or table."""
    if run.tag == "tr":
        return "<tr><td>", "</td></tr>"
    return (f"<{run.tag}>", f"</{run.tag}>") if run.tag in {"li", "dt", "dd", "caption"} else ("", "")
