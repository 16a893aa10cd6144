"""The canonical proto JSON of lectern.reading.v1, written and read without the protobuf runtime.

Fields with default values are left out, as the mapping allows. A test holds both directions against
google.protobuf.json_format.
"""

from typing import Any, TypeAlias

from compute_worker.documents.model import (
    Block,
    BlockRole,
    BookFont,
    DocumentWarning,
    LayoutRecord,
    Narration,
    PageLine,
    PageSize,
    ReadingDocument,
    Section,
    SectionSummary,
    Sentence,
    TextDirection,
    TocEntry,
)

Json: TypeAlias = dict[str, Any]


def write_document(document: ReadingDocument) -> Json:
    return _without_defaults(
        title=document.title,
        authors=list(document.authors),
        language=document.language,
        cover=document.cover,
        toc=[_write_toc(entry) for entry in document.toc],
        sections=[_write_summary(section) for section in document.sections],
        warnings=[{"code": warning.code, "message": warning.message} for warning in document.warnings],
        parserVersion=document.parser_version,
        sentenceCount=document.sentence_count,
        characterCount=document.character_count,
        sourceFormat=document.source_format,
        layout=None
        if document.layout is None
        else _without_defaults(
            model=document.layout.model,
            modelPages=document.layout.model_pages,
            reason=document.layout.reason,
        ),
        pages=[_without_defaults(width=page.width, height=page.height) for page in document.pages],
        narration=_write_narration(document.narration),
        fonts=[
            _without_defaults(resource=font.resource, weight=font.weight, isItalic=font.is_italic)
            for font in document.fonts
        ],
    )


def write_section(section: Section) -> Json:
    return _without_defaults(
        index=section.index,
        title=section.title,
        html=section.html,
        blocks=[_write_block(block, section) for block in section.blocks],
        language=section.language,
        direction=section.direction.value,
    )


def read_document(content: Json) -> ReadingDocument:
    return ReadingDocument(
        title=content.get("title", ""),
        authors=tuple(content.get("authors", ())),
        language=content.get("language", ""),
        cover=content.get("cover", ""),
        toc=tuple(_read_toc(entry) for entry in content.get("toc", ())),
        sections=tuple(_read_summary(section) for section in content.get("sections", ())),
        warnings=tuple(
            DocumentWarning(code=warning.get("code", ""), message=warning.get("message", ""))
            for warning in content.get("warnings", ())
        ),
        parser_version=content.get("parserVersion", ""),
        sentence_count=content.get("sentenceCount", 0),
        character_count=content.get("characterCount", 0),
        source_format=content.get("sourceFormat", ""),
        layout=_read_layout(content["layout"]) if "layout" in content else None,
        pages=tuple(
            PageSize(page.get("width", 0.0), page.get("height", 0.0)) for page in content.get("pages", ())
        ),
        narration=_read_narration(content["narration"]) if "narration" in content else None,
        fonts=tuple(
            BookFont(font.get("resource", ""), font.get("weight", 0), font.get("isItalic", False))
            for font in content.get("fonts", ())
        ),
    )


def read_section(content: Json) -> Section:
    language = content.get("language", "")
    return Section(
        index=content.get("index", 0),
        title=content.get("title", ""),
        html=content.get("html", ""),
        blocks=tuple(_read_block(block, language) for block in content.get("blocks", ())),
        language=language,
        direction=TextDirection(content.get("direction", TextDirection.LTR.value)),
    )


def _write_block(block: Block, section: Section) -> Json:
    return _without_defaults(
        id=block.id,
        role=block.role.value,
        headingLevel=block.heading_level,
        text=block.text,
        language="" if block.language == section.language else block.language,
        sentences=[
            _without_defaults(ordinal=sentence.ordinal, start=sentence.start, end=sentence.end)
            for sentence in block.sentences
        ],
        locator=_write_locator(block, section),
    )


def _write_locator(block: Block, section: Section) -> Json:
    if not block.page_lines:
        return {"element": _without_defaults(section=section.index, path=block.path)}
    lines = [
        _without_defaults(
            page=line.page,
            left=round(line.left, 1),
            top=round(line.top, 1),
            right=round(line.right, 1),
            bottom=round(line.bottom, 1),
            start=line.start,
            wordStarts=line.word_starts,
            wordEdges=line.word_edges,
            isVertical=line.is_vertical,
        )
        for line in block.page_lines
    ]
    return {"page": {"lines": lines}}


def _read_layout(content: Json) -> LayoutRecord:
    return LayoutRecord(
        model=content.get("model", ""),
        model_pages=content.get("modelPages", 0),
        reason=content.get("reason", ""),
    )


def _write_narration(narration: Narration | None) -> Json | None:
    return (
        None
        if narration is None
        else _without_defaults(
            narrators=list(narration.narrators),
            durationSeconds=narration.duration_seconds,
            clipCount=narration.clip_count,
            wrongCount=narration.wrong_count,
        )
    )


def _read_narration(content: Json) -> Narration:
    return Narration(
        narrators=tuple(content.get("narrators", ())),
        duration_seconds=content.get("durationSeconds", 0.0),
        clip_count=content.get("clipCount", 0),
        wrong_count=content.get("wrongCount", 0),
    )


def _read_page_line(content: Json) -> PageLine:
    return PageLine(
        page=content.get("page", 0),
        left=content.get("left", 0.0),
        top=content.get("top", 0.0),
        right=content.get("right", 0.0),
        bottom=content.get("bottom", 0.0),
        start=content.get("start", 0),
        word_starts=tuple(content.get("wordStarts", ())),
        word_edges=tuple(content.get("wordEdges", ())),
        is_vertical=content.get("isVertical", False),
    )


def _read_block(content: Json, language: str) -> Block:
    return Block(
        id=content["id"],
        role=BlockRole(content["role"]),
        heading_level=content.get("headingLevel", 0),
        text=content.get("text", ""),
        language=content.get("language", language),
        sentences=tuple(
            Sentence(sentence.get("ordinal", 0), sentence.get("start", 0), sentence.get("end", 0))
            for sentence in content.get("sentences", ())
        ),
        path=content.get("locator", {}).get("element", {}).get("path", ""),
        page_lines=tuple(
            _read_page_line(line) for line in content.get("locator", {}).get("page", {}).get("lines", ())
        ),
    )


def _write_toc(entry: TocEntry) -> Json:
    return _without_defaults(
        title=entry.title,
        section=entry.section,
        blockId=entry.block_id,
        children=[_write_toc(child) for child in entry.children],
    )


def _read_toc(content: Json) -> TocEntry:
    return TocEntry(
        title=content.get("title", ""),
        section=content.get("section", 0),
        block_id=content.get("blockId", ""),
        children=tuple(_read_toc(child) for child in content.get("children", ())),
    )


def _write_summary(section: SectionSummary) -> Json:
    return _without_defaults(
        index=section.index,
        title=section.title,
        firstSentence=section.first_sentence,
        sentenceCount=section.sentence_count,
        characterCount=section.character_count,
        blockCount=section.block_count,
        firstPage=section.first_page,
        lastPage=section.last_page,
    )


def _read_summary(content: Json) -> SectionSummary:
    return SectionSummary(
        index=content.get("index", 0),
        title=content.get("title", ""),
        first_sentence=content.get("firstSentence", 0),
        sentence_count=content.get("sentenceCount", 0),
        character_count=content.get("characterCount", 0),
        block_count=content.get("blockCount", 0),
        first_page=content.get("firstPage", 0),
        last_page=content.get("lastPage", 0),
    )


def _without_defaults(**fields: object) -> Json:
    return {name: value for name, value in fields.items() if value}
