"""Documents, the bytes they share and reading positions, as rows."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, Select, delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from app_server.database.engine import Database, lock_for_transaction
from app_server.database.schema import blobs, documents, reading_positions
from app_server.library.formats import DocumentFormat
from app_server.library.model import (
    Document,
    DocumentFailure,
    DocumentState,
    NewDocument,
    OwnMetadata,
    Position,
    ReadingSummary,
)

_POSITION_COLUMNS = (
    reading_positions.c.segment_ordinal,
    reading_positions.c.block_id,
    reading_positions.c.offset,
    reading_positions.c.section,
    reading_positions.c.fraction,
    reading_positions.c.updated_at_ms,
)


class SqlDocumentStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(self, document: NewDocument) -> Document:
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"documents-of:{document.owner_id}")
            await _add_blob(connection, document)
            same = _documents().where(
                documents.c.owner_id == document.owner_id, documents.c.sha256 == document.sha256
            )
            row = (await connection.execute(same)).one_or_none()
            if row is None:
                await connection.execute(insert(documents).values(_new_row(document)))
                row = (await connection.execute(same)).one()
        return _document(row)

    async def find_same(self, owner_id: str, sha256: str) -> Document | None:
        same = _documents().where(documents.c.owner_id == owner_id, documents.c.sha256 == sha256)
        async with self._database.read() as connection:
            row = (await connection.execute(same)).one_or_none()
        return None if row is None else _document(row)

    async def find(self, document_id: str) -> Document | None:
        async with self._database.read() as connection:
            wanted = _documents().where(documents.c.id == document_id)
            row = (await connection.execute(wanted)).one_or_none()
        return None if row is None else _document(row)

    async def of_owner(self, owner_id: str) -> list[Document]:
        wanted = (
            _documents()
            .where(documents.c.owner_id == owner_id)
            .order_by(documents.c.created_at_ms.desc(), documents.c.id.desc())
        )
        async with self._database.read() as connection:
            return [_document(row) for row in await connection.execute(wanted)]

    async def processing_ids(self) -> list[str]:
        wanted = select(documents.c.id).where(documents.c.state == DocumentState.PROCESSING.value)
        async with self._database.read() as connection:
            return list(await connection.scalars(wanted.order_by(documents.c.created_at_ms, documents.c.id)))

    async def remove(self, document_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(documents).where(documents.c.id == document_id))

    async def is_owned(self, sha256: str) -> bool:
        async with self._database.read() as connection:
            found = await connection.scalar(
                select(documents.c.id).where(documents.c.sha256 == sha256).limit(1)
            )
        return found is not None

    async def owned_of(self, sha256s: Sequence[str]) -> set[str]:
        owned = select(documents.c.sha256).where(documents.c.sha256.in_(list(sha256s))).distinct()
        async with self._database.read() as connection:
            return set(await connection.scalars(owned))

    async def readings_of(self, sha256: str) -> set[str]:
        wanted = select(documents.c.reading_ref).where(documents.c.sha256 == sha256).distinct()
        async with self._database.read() as connection:
            return {reading_ref for reading_ref in await connection.scalars(wanted) if reading_ref}

    async def unowned_blobs(self, *, created_before_ms: int) -> list[str]:
        owners = select(documents.c.id).where(documents.c.sha256 == blobs.c.sha256)
        unowned = select(blobs.c.sha256).where(~owners.exists(), blobs.c.created_at_ms < created_before_ms)
        async with self._database.read() as connection:
            return list(await connection.scalars(unowned))

    async def forget_blob(self, sha256: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(blobs).where(blobs.c.sha256 == sha256))

    async def set_operation(self, document_id: str, operation_id: str | None) -> None:
        await self._update(document_id, operation_id=operation_id)

    async def restart(self, document_id: str, *, operation_id: str | None = None) -> None:
        await self._update(
            document_id,
            state=DocumentState.PROCESSING.value,
            operation_id=operation_id,
            error_code=None,
            error_message=None,
            error_retryable=None,
        )

    async def set_ready(self, document_id: str, *, reading_ref: str, summary: ReadingSummary) -> None:
        values = _summary_values(summary)
        await self._update(document_id, state=DocumentState.READY.value, reading_ref=reading_ref, **values)

    async def renew(
        self, document: Document, *, reading_ref: str, summary: ReadingSummary, position: Position | None
    ) -> bool:
        mine, place = documents.c.id == document.id, reading_positions.c.document_id == document.id
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"position:{document.id}")
            row = (await connection.execute(_documents().where(mine))).one_or_none()
            if row is None or row.reading_ref != document.reading_ref or _position(row) != document.position:
                return False
            values = _summary_values(summary)
            await connection.execute(update(documents).where(mine).values(reading_ref=reading_ref, **values))
            if position is not None:
                await connection.execute(update(reading_positions).where(place).values(asdict(position)))
        return True

    async def set_failed(self, document_id: str, failure: DocumentFailure) -> None:
        await self._update(
            document_id,
            state=DocumentState.FAILED.value,
            error_code=failure.code,
            error_message=failure.message,
            error_retryable=failure.retryable,
        )

    async def set_own_metadata(self, document_id: str, own: OwnMetadata) -> None:
        authors = None if own.authors is None else list(own.authors)
        await self._update(document_id, own_title=own.title, own_authors=authors, own_language=own.language)

    async def set_position(self, document_id: str, position: Position) -> None:
        mine = reading_positions.c.document_id == document_id
        async with self._database.write() as connection:
            await lock_for_transaction(connection, f"position:{document_id}")
            await connection.execute(delete(reading_positions).where(mine))
            row = {"document_id": document_id, **asdict(position)}
            await connection.execute(insert(reading_positions).values(row))

    async def _update(self, document_id: str, **values: Any) -> None:
        async with self._database.write() as connection:
            await connection.execute(update(documents).where(documents.c.id == document_id).values(values))


def _summary_values(summary: ReadingSummary) -> dict[str, Any]:
    values: dict[str, Any] = {
        "authors": list(summary.authors),
        "language": summary.language,
        "cover": summary.cover,
        "character_count": summary.character_count,
        "section_count": summary.section_count,
    }
    # A file without a title keeps the one that its name gave it.
    return values | {"title": summary.title} if summary.title else values


async def _add_blob(connection: AsyncConnection, document: NewDocument) -> None:
    row = {
        "sha256": document.sha256,
        "size_bytes": document.size_bytes,
        "created_at_ms": document.created_at_ms,
    }
    try:
        async with connection.begin_nested():
            await connection.execute(insert(blobs).values(row))
    except IntegrityError:
        pass  # somebody else's equal bytes


def _documents() -> Select[Any]:
    return (
        select(documents, blobs.c.size_bytes, *_POSITION_COLUMNS)
        .join(blobs, blobs.c.sha256 == documents.c.sha256)
        .outerjoin(reading_positions, reading_positions.c.document_id == documents.c.id)
    )


def _new_row(document: NewDocument) -> dict[str, Any]:
    return {
        "id": document.id,
        "owner_id": document.owner_id,
        "sha256": document.sha256,
        "file_name": document.file_name,
        "format": document.format.value,
        "state": DocumentState.PROCESSING.value,
        "title": document.title,
        "authors": [],
        "own_title": document.own_title,
        "source_url": document.source_url,
        "created_at_ms": document.created_at_ms,
    }


def _document(row: Row[Any]) -> Document:
    own = OwnMetadata(
        title=row.own_title,
        authors=None if row.own_authors is None else tuple(row.own_authors),
        language=row.own_language,
    )
    return Document(
        id=row.id,
        owner_id=row.owner_id,
        sha256=row.sha256,
        size_bytes=row.size_bytes,
        file_name=row.file_name,
        format=DocumentFormat(row.format),
        state=DocumentState(row.state),
        operation_id=row.operation_id,
        reading_ref=row.reading_ref,
        title=row.title if own.title is None else own.title,
        authors=tuple(row.authors) if own.authors is None else own.authors,
        language=(row.language or "") if own.language is None else own.language,
        own=own,
        source_url=row.source_url,
        cover=row.cover,
        character_count=row.character_count,
        section_count=row.section_count,
        failure=_failure(row),
        created_at_ms=row.created_at_ms,
        position=_position(row),
    )


def _failure(row: Row[Any]) -> DocumentFailure | None:
    if row.state != DocumentState.FAILED.value:
        return None
    return DocumentFailure(
        code=row.error_code or "UNKNOWN",
        message=row.error_message or "This file could not be opened.",
        retryable=bool(row.error_retryable),
    )


def _position(row: Row[Any]) -> Position | None:
    if row.updated_at_ms is None:
        return None
    return Position(
        segment_ordinal=row.segment_ordinal,
        block_id=row.block_id,
        offset=row.offset,
        section=row.section,
        fraction=row.fraction,
        updated_at_ms=row.updated_at_ms,
    )
