"""Plain text: paragraphs from blank lines or from the shape of the lines, chapters from how headings look."""

import re
from collections.abc import Iterator
from pathlib import Path

from compute_worker.documents import single_file
from compute_worker.documents.builder import DocumentBuilder, SectionCut
from compute_worker.documents.charset import decode
from compute_worker.documents.language import detect_language
from compute_worker.documents.model import BlockRole
from compute_worker.documents.output import ArtifactFolder
from compute_worker.documents.runs import Run
from compute_worker.documents.sentences import cut_sentences

_MOST_BLOCK_CHARACTERS = 3_000
_MOST_HEADING_CHARACTERS = 80
_CUT = SectionCut(at_heading_characters=400, most_characters=100_000)
_BLANK = re.compile(r"\n[ \t\u3000]*\n(?:[ \t\u3000]*\n)*")
_NUMBER = r"(\d{1,3}|[ivxlcdm]{1,8}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|the \w+)"
_HEADING = re.compile(
    rf"(chapter|chapitre|kapitel|cap[ií]tulo|capitolo|hoofdstuk|rozdział|глава|part|book|volume|act|scene|canto|letter"
    rf"|stave|partie|teil|buch|часть)\s+{_NUMBER}\b.*|(preface|prologue|epilogue|introduction|foreword|afterword|appendix"
    r"|contents|conclusion|dedication|acknowledg\w+)\.?|[IVXLC]{1,7}\.?|第\s*[0-9０-９一二三四五六七八九十百]+\s*[章回話节節部卷].*",
    re.IGNORECASE,
)


def parse(path: Path, output: ArtifactFolder, *, file_name: str) -> None:
    output.report("reading", 0, 0)
    text = decode(path.read_bytes())
    language = detect_language(text)
    builder = DocumentBuilder(language=language, cut=_CUT)
    builder.begin_section(title="", language="", direction=None)
    for number, paragraph in enumerate(_paragraphs(text), start=1):
        heading = _is_heading(paragraph)
        for piece in _pieces(paragraph, language):
            run = Run(
                "h2" if heading else "p",
                BlockRole.HEADING if heading else BlockRole.PARAGRAPH,
                language,
                f"/p[{number}]",
                heading_level=2 if heading else 0,
            )
            run.add_text(piece)
            builder.write(run)
    single_file.write_out(
        builder, output, title=single_file.title_from(file_name), authors=[], source_format="text"
    )


def _paragraphs(text: str) -> Iterator[str]:
    for part in _BLANK.split(text):
        yield from _unwrapped(part)


def _unwrapped(part: str) -> list[str]:
    """One paragraph if its lines were broken at a width, else a paragraph per line, or per indented line."""
    lines = [line for line in part.split("\n") if line.strip()]
    if len(lines) < 2:
        return lines
    if _is_hard_wrapped(lines):
        indented = [number for number, line in enumerate(lines) if line[:1] in " \t\u3000"]
        if 0 < len(indented) < len(lines):
            starts = sorted({0, *indented})
            return [_joined(lines[start:end]) for start, end in zip(starts, [*starts[1:], None], strict=True)]
        return [_joined(lines)]
    return lines


def _is_hard_wrapped(lines: list[str]) -> bool:
    """All lines but the last nearly fill the width that the longest has, and that width is one of a page."""
    widest = max(map(len, lines))
    if widest > 120:
        return False
    full = sum(1 for line in lines[:-1] if len(line) > 0.6 * widest)
    return widest >= 30 and full >= 0.7 * (len(lines) - 1)


def _joined(lines: list[str]) -> str:
    """Scripts without spaces between words get none at line ends either."""
    joined = lines[0].strip()
    for line in lines[1:]:
        following = line.strip()
        wide = joined[-1:] >= "\u2e80" and following[:1] >= "\u2e80"
        joined += following if wide else f" {following}"
    return joined


def _is_heading(paragraph: str) -> bool:
    text = " ".join(paragraph.split())
    return len(text) <= _MOST_HEADING_CHARACTERS and _HEADING.fullmatch(text) is not None


def _pieces(paragraph: str, language: str) -> Iterator[str]:
    """A paragraph without end becomes several blocks, each of whole sentences."""
    if len(paragraph) <= _MOST_BLOCK_CHARACTERS:
        yield paragraph
        return
    start = 0
    for sentence_start, sentence_end in cut_sentences(paragraph, language):
        if sentence_end - start > _MOST_BLOCK_CHARACTERS and sentence_start > start:
            yield paragraph[start:sentence_start]
            start = sentence_start
    yield paragraph[start:]
