"""PDF: what its pages show, as a reading document."""

import importlib
import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from compute_worker.documents import single_file
from compute_worker.documents.artifacts import UNLOCKED_NAME
from compute_worker.documents.builder import DocumentBuilder, SectionCut
from compute_worker.documents.images import ImageShelf
from compute_worker.documents.language import declared_language, detect_language, direction_of
from compute_worker.documents.model import BlockRole, PageLine, PageSize, Section
from compute_worker.documents.output import ArtifactFolder
from compute_worker.documents.pdf.file import PdfFile, open_pdf
from compute_worker.documents.pdf.joining import Vocabulary, join_lines
from compute_worker.documents.pdf.model import Line, Paragraph
from compute_worker.documents.pdf.outline import chapters_of
from compute_worker.documents.pdf.page_layout import NO_MODEL, GeometricLayout, PageLayout
from compute_worker.documents.pdf.paragraphs import stitch
from compute_worker.documents.pdf.placing import placed_line
from compute_worker.documents.pdf.reading import Reading, read_pages
from compute_worker.documents.pdf.roles import RoleFinder
from compute_worker.documents.runs import Run
from shared.errors import LecternError
from shared.readings import PARSER_VERSION

_CUT_BY_HEADINGS = SectionCut(at_heading_characters=6_000, most_characters=60_000, deepest_heading=2)
_CUT_BY_OUTLINE = SectionCut(at_heading_characters=None, most_characters=60_000)
_COVER_WIDTH = 480  # pixels
_BULLET = re.compile(r"[•●▪◦‣∙·■□▸►➢✓❖◆◇○\-–*−]\s*|! ")
_NO_TITLE = re.compile(
    r"(?:untitled.*|microsoft (?:word|powerpoint).*|[\d\W_]*"
    r"|.*\.(?:docx?|dvi|tex|indd|qxd|pptx?|pdf|rtf|xlsx?|fm|pmd|ps)"
    r"|slide 1|document\d*|presentation\d*|print|title)",
    re.IGNORECASE,
)


def parse(
    path: Path,
    output: ArtifactFolder,
    *,
    file_name: str,
    password: str = "",
    layout_folder: str = "",
    layout_unavailable: str = NO_MODEL,
    layout_seconds: float = 0.0,
) -> None:
    """layout_folder: of the layout model; empty where there is none, and layout_unavailable says why."""
    output.report("reading", 0, 0)
    with open_pdf(path, password=password) as file:
        if file.is_locked:
            file.save_unlocked(output.extra_file(UNLOCKED_NAME))
        layout: PageLayout = GeometricLayout(reason=layout_unavailable)
        if layout_folder:
            by_model = importlib.import_module("compute_worker.documents.layout_model.model_layout")
            layout = by_model.ModelLayout(
                document=file.handle, folder=Path(layout_folder), seconds=layout_seconds
            )
        reading = read_pages(file, layout, lambda done, total: output.report("reading", done, total))
        _Writer(file, reading).write(output, file_name=file_name)


def _first_page(file: PdfFile) -> bytes:
    """A JPEG; empty for a page that can't be drawn."""
    drawing = importlib.import_module("compute_worker.documents.page_images.child")
    try:
        return bytes(drawing.draw(file, 0, _COVER_WIDTH))
    except (LecternError, MemoryError):
        return b""


class _Writer:
    def __init__(self, file: PdfFile, reading: Reading) -> None:
        self._file = file
        self._reading = reading
        self._pages = [page.paragraphs for page in reading.pages]
        RoleFinder(reading.typography).assign(self._pages)
        self._chapters = chapters_of(file.outline(), self._pages, [page.file_top for page in reading.pages])
        self._paragraphs = stitch([paragraph for page in self._pages for paragraph in page])
        self._vocabulary = Vocabulary()
        for paragraph in self._paragraphs:
            for line in paragraph.lines:
                self._vocabulary.learn(line.text)
        self._table_open = False
        self._list_open = False

    def write(self, output: ArtifactFolder, *, file_name: str) -> None:
        sample = " ".join(line.text for paragraph in self._paragraphs[:400] for line in paragraph.lines)
        language = self._language(sample)
        cut = _CUT_BY_OUTLINE if self._chapters.starts else _CUT_BY_HEADINGS
        builder = DocumentBuilder(language=language, cut=cut)
        builder.begin_section(title="", language="", direction=direction_of(language))
        self._warn(builder)
        for paragraph in self._paragraphs:
            chapter = self._chapters.starts.get(id(paragraph))
            if chapter is not None and chapter.begins_section:
                self._close_lists(builder)
                builder.begin_section(title=chapter.title, language="", direction=direction_of(language))
            for anchor in self._chapters.anchors.get(id(paragraph), ()):
                builder.add_anchor(anchor)
            self._write(builder, paragraph)
        self._close_lists(builder)
        self._finish(builder, output, file_name)

    def _language(self, sample: str) -> str:
        """Word processors declare their own language, whatever is written: the text itself is asked too."""
        declared, detected = declared_language(self._file.language()), detect_language(sample)
        if not declared or (detected and declared.partition("-")[0] != detected.partition("-")[0]):
            return detected or declared
        return declared

    def _warn(self, builder: DocumentBuilder) -> None:
        pictures = sum(1 for page in self._reading.pages if page.is_picture)
        if self._reading.is_scanned:
            builder.warn(
                "SCANNED_DOCUMENT",
                "This PDF holds only pictures of pages, without any text to read aloud. "
                "Let a text recognition (OCR) program add the text, and open the result.",
            )
        elif pictures:
            pages = f"{pictures} of {len(self._reading.pages)} pages are pictures"
            builder.warn("SCANNED_PAGES", f"{pages} without text and cannot be read aloud.")

    def _write(self, builder: DocumentBuilder, paragraph: Paragraph) -> None:
        if paragraph.cells is not None and paragraph.role is BlockRole.TABLE:
            self._write_row(builder, paragraph)
            return
        if self._table_open:
            builder.close()
            self._table_open = False
        is_bulleted = (
            paragraph.role is BlockRole.LIST_ITEM and _BULLET.match(paragraph.lines[0].text) is not None
        )
        if is_bulleted != self._list_open:
            if is_bulleted:
                builder.open("ul")
            else:
                builder.close()
            self._list_open = is_bulleted
        self._write_text(builder, paragraph, is_bulleted=is_bulleted)

    def _write_text(self, builder: DocumentBuilder, paragraph: Paragraph, *, is_bulleted: bool) -> None:
        if paragraph.role is BlockRole.CODE:
            self._write_code(builder, paragraph)
            return
        text, starts = join_lines(paragraph.lines, self._vocabulary)
        offset = 0
        if is_bulleted:
            match = _BULLET.match(text)
            offset = match.end() if match else 0
        if not text[offset:].strip():
            return
        run = self._run(builder, paragraph, "li" if is_bulleted else _tag(paragraph))
        run.page_lines = self._page_lines(paragraph.lines, starts, offset, len(text) - offset)
        marks = sorted(
            (start + place, mark)
            for line, start in zip(paragraph.lines, starts, strict=True)
            for place, mark in line.marks
        )
        at = offset
        for place, mark in marks:
            run.add_text(text[at : max(place, at)])
            run.add_markup(f'<sup data-unread="noteref">{escape(mark)}</sup>')
            at = max(place, at)
        run.add_text(text[at:])
        builder.write(run)

    def _write_code(self, builder: DocumentBuilder, paragraph: Paragraph) -> None:
        width = max(1.0, paragraph.font.size * 0.6)
        rows = [
            " " * min(40, round((line.left - paragraph.left) / width)) + line.text for line in paragraph.lines
        ]
        starts, at = [], 0
        for row in rows:
            starts.append(at)
            at += len(row) + 1
        run = self._run(builder, paragraph, "pre")
        run.is_preformatted = True
        indents = [len(row) - len(line.text) for row, line in zip(rows, paragraph.lines, strict=True)]
        run.page_lines = self._page_lines(paragraph.lines, starts, 0, at, indents)
        run.add_text("\n".join(rows))
        builder.write(run)

    def _write_row(self, builder: DocumentBuilder, paragraph: Paragraph) -> None:
        if self._list_open:
            builder.close()
            self._list_open = False
        if not self._table_open:
            builder.open("table")
            self._table_open = True
        run = self._run(builder, paragraph, "tr")
        run.holds_cells = True
        length = 0
        lines: list[Line] = []
        starts: list[int] = []
        for cell in paragraph.cells or ():
            text, found = join_lines(cell, self._vocabulary)
            run.add_markup("<td>")
            run.add_text(text)
            run.add_markup("</td>")
            run.end_part()
            lines += cell
            starts += [length + start for start in found]
            length += len(text) + 1
        run.page_lines = self._page_lines(lines, starts, 0, length)
        builder.write(run)

    def _run(self, builder: DocumentBuilder, paragraph: Paragraph, tag: str) -> Run:
        return Run(
            tag, paragraph.role, builder.language, "", heading_level=paragraph.level if tag[0] == "h" else 0
        )

    def _page_lines(
        self,
        lines: Sequence[Line],
        starts: Sequence[int],
        offset: int,
        length: int,
        indents: Sequence[int] = (),
    ) -> tuple[PageLine, ...]:
        """indents: by how many letters each line was moved in."""
        pages, ends = self._reading.pages, [*starts[1:], length + offset]
        return tuple(
            placed_line(line, pages[line.page], start=start - offset, end=end - offset, indent=indent)
            for line, start, end, indent in zip(lines, starts, ends, indents or [0] * len(lines), strict=True)
        )

    def _close_lists(self, builder: DocumentBuilder) -> None:
        if self._table_open or self._list_open:
            builder.close()
        self._table_open = self._list_open = False

    def _finish(self, builder: DocumentBuilder, output: ArtifactFolder, file_name: str) -> None:
        builder.end_section()
        total, done = builder.section_count, 0

        def emit(section: Section) -> None:
            nonlocal done
            output.write_section(section)
            done += 1
            output.report("sections", done, total)

        document = builder.finish(
            title=self._title() or single_file.title_from(file_name),
            authors=self._authors(),
            cover=ImageShelf(write=output.write_resource).keep(_first_page(self._file)),
            toc=self._chapters.toc or None,
            source_format="pdf",
            parser_version=PARSER_VERSION,
            emit=emit,
            may_be_silent=self._reading.is_scanned,
        )
        pages = tuple(PageSize(*page.size_as_shown) for page in self._reading.pages)
        output.write_document(replace(document, layout=self._reading.layout, pages=pages))

    def _title(self) -> str:
        declared = " ".join(self._file.metadata("Title").split())
        if declared and not _NO_TITLE.fullmatch(declared) and " " in declared:
            return declared[:300]
        for paragraph in self._paragraphs:
            if paragraph.role is BlockRole.TITLE:
                text, _ = join_lines(paragraph.lines, self._vocabulary)
                return text[:300]
        return "" if _NO_TITLE.fullmatch(declared) else declared

    def _authors(self) -> list[str]:
        declared = self._file.metadata("Author")
        names = [" ".join(name.split()) for name in re.split(r";|,(?=\s*[^\W\d_]+\s)|\band\b|&", declared)]
        return [name for name in names if name and not _NO_TITLE.fullmatch(name) and " " in name][:20]


def _tag(paragraph: Paragraph) -> str:
    if paragraph.role in {BlockRole.HEADING, BlockRole.TITLE}:
        return f"h{min(max(paragraph.level, 1), 6)}"
    return "p"
