"""Documents as the browser sees them."""

from typing import Any

from app_server.clock import iso_time
from app_server.library.model import Document, Position, Progress


def shown_document(document: Document, progress: Progress | None) -> dict[str, Any]:
    failure = document.failure
    return {
        "id": document.id,
        "title": document.title,
        "authors": list(document.authors),
        "fileName": document.file_name,
        "format": document.format.value,
        "sizeBytes": document.size_bytes,
        "state": document.state.value,
        "progress": _shown_progress(progress) if progress else None,
        "error": {"code": failure.code, "message": failure.message, "retryable": failure.retryable}
        if failure
        else None,
        "createdAt": iso_time(document.created_at_ms),
        "characterCount": document.character_count,
        "sectionCount": document.section_count,
        "cover": f"/api/documents/{document.id}/resources/{document.cover}" if document.cover else None,
        "position": _shown_position(document.position) if document.position else None,
    }


def _shown_progress(progress: Progress) -> dict[str, Any]:
    return {"phase": progress.phase, "done": progress.done, "total": progress.total}


def _shown_position(position: Position) -> dict[str, Any]:
    return {
        "segmentOrdinal": position.segment_ordinal,
        "blockId": position.block_id,
        "offset": position.offset,
        "section": position.section,
        "fraction": position.fraction,
        "updatedAt": iso_time(position.updated_at_ms),
    }
