"""Recordings as rows. They go with their document, and that with its owner."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from app_server.database.engine import Database
from app_server.database.schema import recordings
from app_server.recordings.model import Recording, RecordingFailure, RecordingState


class SqlRecordingStore:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(self, recording: Recording) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                insert(recordings).values(
                    id=recording.id,
                    document_id=recording.document_id,
                    file_name=recording.file_name,
                    media_type=recording.media_type,
                    size_bytes=recording.size_bytes,
                    created_at_ms=recording.created_at_ms,
                    state=recording.state.value,
                )
            )

    async def find(self, recording_id: str) -> Recording | None:
        wanted = select(recordings).where(recordings.c.id == recording_id)
        async with self._database.read() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        return None if row is None else _recording(row)

    async def of_document(self, document_id: str) -> list[Recording]:
        wanted = (
            select(recordings)
            .where(recordings.c.document_id == document_id)
            .order_by(recordings.c.created_at_ms, recordings.c.id)
        )
        async with self._database.read() as connection:
            return [_recording(row) for row in await connection.execute(wanted)]

    async def known_of(self, recording_ids: Collection[str]) -> set[str]:
        wanted = select(recordings.c.id).where(recordings.c.id.in_(list(recording_ids)))
        async with self._database.read() as connection:
            return set(await connection.scalars(wanted))

    async def set_aligning(self, recording_id: str, operation_id: str | None) -> None:
        await self._update(
            recording_id,
            state=RecordingState.ALIGNING.value,
            operation_id=operation_id,
            result_ref=None,
            error_code=None,
            error_message=None,
            error_retryable=None,
        )

    async def set_ready(self, recording_id: str, result_ref: str) -> None:
        await self._update(recording_id, state=RecordingState.READY.value, result_ref=result_ref)

    async def set_failed(self, recording_id: str, failure: RecordingFailure) -> None:
        await self._update(
            recording_id,
            state=RecordingState.FAILED.value,
            error_code=failure.code,
            error_message=failure.message,
            error_retryable=failure.retryable,
        )

    async def remove(self, recording_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(recordings).where(recordings.c.id == recording_id))

    async def _update(self, recording_id: str, **values: Any) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                update(recordings).where(recordings.c.id == recording_id).values(**values)
            )


def _recording(row: Row[Any]) -> Recording:
    failure = None
    if row.error_code is not None:
        failure = RecordingFailure(row.error_code, row.error_message, row.error_retryable)
    return Recording(
        id=row.id,
        document_id=row.document_id,
        file_name=row.file_name,
        media_type=row.media_type,
        size_bytes=row.size_bytes,
        created_at_ms=row.created_at_ms,
        state=RecordingState(row.state),
        operation_id=row.operation_id,
        result_ref=row.result_ref,
        failure=failure,
    )
