"""What scheduled tasks ask of their database."""

from typing import Protocol

from app_server.audit.model import AuditNote
from app_server.tasks.model import Report, TaskChange, TaskRecord


class TaskStore(Protocol):
    async def records(self) -> dict[str, TaskRecord]:
        """By key; a task that never ran nor was changed is absent."""
        ...

    async def claim(self, key: str, run_id: str, *, seen: TaskRecord, now_ms: int, lease_ms: int) -> bool:
        """Whether the run is ours: nobody else has begun one since the record was seen."""
        ...

    async def finish(self, run_id: str, report: Report, *, now_ms: int) -> None:
        """Says nothing of a run that was given up for dead meanwhile."""
        ...

    async def change(self, key: str, change: TaskChange, *, note: AuditNote, now_ms: int) -> None: ...

    async def note(self, note: AuditNote, *, now_ms: int) -> None: ...
