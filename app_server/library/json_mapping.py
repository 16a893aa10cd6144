"""Documents as the browser sees them."""

from typing import Literal

from app_server.clock import iso_time
from app_server.http.json_bodies import AnswerBody
from app_server.library.formats import DocumentFormat
from app_server.library.model import Added, Document, DocumentFailure, OwnMetadata, Position, Progress
from app_server.library.readings import page_version
from app_server.library.renewals import is_outdated


class ShownProgress(AnswerBody):
    phase: str
    done: int
    # 0 while unknown.
    total: int


class ShownFailure(AnswerBody):
    code: str
    message: str
    retryable: bool


class ShownPosition(AnswerBody):
    segment_ordinal: int
    block_id: str
    offset: int
    section: int
    fraction: float
    updated_at: str


class ShownDocument(AnswerBody):
    id: str
    title: str
    authors: list[str]
    # A BCP 47 tag; empty while unknown.
    language: str
    # What the owner has put in the place of what the file says.
    changed: list[Literal["title", "authors", "language"]]
    # Where a web page was fetched.
    source_url: str | None
    file_name: str
    format: str
    size_bytes: int
    state: Literal["processing", "ready", "failed"]
    # While it is processed, and while a ready one is read again.
    progress: ShownProgress | None
    # An older version of Lectern read it; this one can do it again, and better.
    is_outdated: bool
    error: ShownFailure | None
    created_at: str
    character_count: int | None
    section_count: int | None
    # An address of this instance.
    cover: str | None
    # Of the images of its pages, for their addresses; null for a document that has none.
    page_version: str | None
    position: ShownPosition | None


class DocumentAnswer(AnswerBody):
    document: ShownDocument


class AddedAnswer(AnswerBody):
    document: ShownDocument
    # The same content was in the library already, as this document.
    is_duplicate: bool


class DocumentsAnswer(AnswerBody):
    documents: list[ShownDocument]


def added_answer(added: Added, progress: Progress | None) -> AddedAnswer:
    return AddedAnswer(document=shown_document(added.document, progress), is_duplicate=added.is_duplicate)


def shown_document(document: Document, progress: Progress | None) -> ShownDocument:
    return ShownDocument(
        id=document.id,
        title=document.title,
        authors=list(document.authors),
        language=document.language,
        changed=_changed(document.own),
        source_url=document.source_url,
        file_name=document.file_name,
        format=document.format.value,
        size_bytes=document.size_bytes,
        state=document.state.value,
        progress=_shown_progress(progress) if progress else None,
        is_outdated=is_outdated(document),
        error=_shown_failure(document.failure) if document.failure else None,
        created_at=iso_time(document.created_at_ms),
        character_count=document.character_count,
        section_count=document.section_count,
        cover=f"/api/documents/{document.id}/resources/{document.cover}" if document.cover else None,
        page_version=_page_version(document),
        position=_shown_position(document.position) if document.position else None,
    )


def _page_version(document: Document) -> str | None:
    has_pages = document.format is DocumentFormat.PDF and document.reading_ref is not None
    return page_version(document.reading_ref or "") if has_pages else None


def _changed(own: OwnMetadata) -> list[Literal["title", "authors", "language"]]:
    changes: list[Literal["title", "authors", "language"]] = []
    if own.title is not None:
        changes.append("title")
    if own.authors is not None:
        changes.append("authors")
    if own.language is not None:
        changes.append("language")
    return changes


def _shown_progress(progress: Progress) -> ShownProgress:
    return ShownProgress(phase=progress.phase, done=progress.done, total=progress.total)


def _shown_failure(failure: DocumentFailure) -> ShownFailure:
    return ShownFailure(code=failure.code, message=failure.message, retryable=failure.retryable)


def _shown_position(position: Position) -> ShownPosition:
    return ShownPosition(
        segment_ordinal=position.segment_ordinal,
        block_id=position.block_id,
        offset=position.offset,
        section=position.section,
        fraction=position.fraction,
        updated_at=iso_time(position.updated_at_ms),
    )
