"""Runs scheduled tasks when they are due, each on one app server at a time, and says how they ended."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import structlog

from app_server.accounts.model import User
from app_server.audit.model import audit_note
from app_server.background import BackgroundTasks
from app_server.clock import Clock
from app_server.tasks.model import (
    LEASE_MS,
    RUN_SECONDS,
    Counts,
    Order,
    Outcome,
    Report,
    Task,
    TaskChange,
    TaskRecord,
    TaskState,
)
from app_server.tasks.ports import TaskStore
from shared.errors import Code, LecternError

_TICK_SECONDS: Final = 60.0
_log = structlog.get_logger(__name__)


class TaskService:
    def __init__(
        self,
        *,
        tasks: Iterable[Task],
        store: TaskStore,
        background: BackgroundTasks,
        clock: Clock,
        new_id: Callable[[], str],
        run_seconds: float = RUN_SECONDS,
    ) -> None:
        self._tasks = {task.key: task for task in tasks}
        self._store = store
        self._background = background
        self._clock = clock
        self._new_id = new_id
        self._run_seconds = run_seconds

    async def keep_ticking(self) -> None:
        """Runs until cancelled. A server that is starting has other things to do first."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            try:
                await self.tick()
            except LecternError as error:
                _log.warning("scheduled tasks wait for the next minute", reason=error.reason)

    async def tick(self) -> list[Report]:
        """Runs all that are due, one after the other, but for those that another app server has begun."""
        reports = []
        for state in await self.states():
            if state.is_due(self._clock()):
                report = await self._run(state)
                if report is not None:
                    reports.append(report)
        return reports

    async def states(self) -> list[TaskState]:
        records = await self._store.records()
        return [TaskState(task, records.get(key, TaskRecord())) for key, task in self._tasks.items()]

    async def state(self, key: str) -> TaskState:
        """Raises NOT_FOUND."""
        for state in await self.states():
            if state.task.key == key:
                return state
        raise LecternError(Code.NOT_FOUND, "There is no such task.", reason="TASK_NOT_FOUND")

    async def change(self, key: str, change: TaskChange, *, actor: User) -> TaskState:
        state = await self.state(key)
        if change.retention_days is not None and state.retention_days is None:
            raise LecternError(
                Code.INVALID_ARGUMENT, "This task keeps nothing for a time.", reason="TASK_WITHOUT_RETENTION"
            )
        changed: dict[str, list[object]] = {
            "enabled": [state.is_enabled, change.is_enabled],
            "intervalSeconds": [state.interval_seconds, change.interval_seconds],
            "retentionDays": [state.retention_days, change.retention_days],
        }
        details = {name: pair for name, pair in changed.items() if pair[1] not in {None, pair[0]}}
        if details:
            note = audit_note(actor, "task.change", key, **details)
            await self._store.change(key, change, note=note, now_ms=self._clock())
        return await self.state(key)

    async def start(self, key: str, *, actor: User) -> TaskState:
        """Begins a run now, due or not, turned on or not. Raises FAILED_PRECONDITION while one goes on."""
        state = await self.state(key)
        run_id = None if state.is_running(self._clock()) else await self._claimed(state)
        if run_id is None:
            raise LecternError(
                Code.FAILED_PRECONDITION, "This task is running already.", reason="TASK_RUNNING"
            )
        await self._store.note(audit_note(actor, "task.run", key), now_ms=self._clock())
        self._background.start(self._see_through(state, run_id))
        return await self.state(key)

    async def _run(self, state: TaskState) -> Report | None:
        run_id = await self._claimed(state)
        return None if run_id is None else await self._see_through(state, run_id)

    async def _claimed(self, state: TaskState) -> str | None:
        run_id, now_ms = self._new_id(), self._clock()
        if state.has_crashed(now_ms):
            _log.warning("a run of a task has crashed, another begins", task=state.task.key)
        claimed = await self._store.claim(
            state.task.key, run_id, seen=state.record, now_ms=now_ms, lease_ms=LEASE_MS
        )
        return run_id if claimed else None

    async def _see_through(self, state: TaskState, run_id: str) -> Report:
        task, began_ms = state.task, self._clock()
        order = Order(now_ms=began_ms, retention_days=state.retention_days or 0)
        counts: Counts = {}
        message = ""
        try:
            async with asyncio.timeout(self._run_seconds):
                counts = await task.run(order)
            outcome = Outcome.DONE
        except asyncio.CancelledError:
            report = Report(task.key, Outcome.INTERRUPTED, {}, "The app server was stopped.", 0)
            await asyncio.shield(self._finish(run_id, report))
            raise
        except TimeoutError:
            outcome, message = Outcome.TIMED_OUT, "Four minutes were not enough; the next run goes on."
        except LecternError as error:
            outcome, message = Outcome.FAILED, error.message
        except Exception:  # noqa: BLE001 - the edge: other tasks go on, and the log has the traceback
            _log.exception("a scheduled task failed", task=task.key)
            outcome, message = Outcome.FAILED, "Something went wrong; the server's log says more."
        report = Report(task.key, outcome, counts, message, self._clock() - began_ms)
        await self._finish(run_id, report)
        return report

    async def _finish(self, run_id: str, report: Report) -> None:
        _log.info(
            "a scheduled task ended",
            task=report.key,
            outcome=report.outcome.value,
            counts=dict(report.counts),
        )
        try:
            await self._store.finish(run_id, report, now_ms=self._clock())
        except LecternError as error:
            _log.warning("a task's end could not be written down", task=report.key, reason=error.reason)
