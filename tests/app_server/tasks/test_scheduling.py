"""When tasks run, on which app server, and what is known of it afterwards. On both databases."""

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import Any

import pytest
from sqlalchemy.engine import URL

from app_server.accounts.model import AccessStatus, Role, User
from app_server.audit.model import AuditQuery
from app_server.audit.sql_store import SqlAuditLog
from app_server.background import BackgroundTasks
from app_server.database.engine import Database, open_database
from app_server.tasks.model import Counts, Order, Outcome, Task, TaskChange
from app_server.tasks.service import TaskService
from app_server.tasks.sql_store import SqlTaskStore
from shared.errors import Code, LecternError

ADMIN = User(id="a" * 32, email="admin@example.org", status=AccessStatus.ACTIVE, role=Role.ADMIN)
_ids = count()


class Work:
    """What a task does, under a test's control."""

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.error: Exception | None = None

    async def __call__(self, order: Order) -> Counts:
        self.orders.append(order)
        self.begun.set()
        await self.may_end.wait()
        if self.error:
            raise self.error
        return {"things": len(self.orders)}


@pytest.fixture
def work() -> Work:
    return Work()


NewServer = Callable[..., TaskService]


@pytest.fixture
async def new_server(
    database: Database, database_url: URL, clock: Any, work: Work
) -> AsyncIterator[NewServer]:
    """Each call is another app server over the same database."""
    async with open_database(database_url) as other, BackgroundTasks() as background:
        databases = iter([database, other])

        def new(run_seconds: float = 60, retention_days: int | None = None) -> TaskService:
            task = Task(
                key="task",
                title="Task",
                description="Does it.",
                every_seconds=3600,
                run=work,
                retention_days=retention_days,
            )
            return TaskService(
                tasks=[task],
                store=SqlTaskStore(database=next(databases)),
                background=background,
                clock=clock,
                new_id=lambda: f"{next(_ids):032x}",
                run_seconds=run_seconds,
            )

        yield new


async def test_a_task_runs_once_on_one_of_several_servers_and_again_when_it_is_due(
    new_server: NewServer, work: Work, clock: Any
) -> None:
    servers = [new_server(), new_server()]
    for _ in range(3):
        reports = [
            report for found in await asyncio.gather(*(s.tick() for s in servers * 3)) for report in found
        ]
        assert [report.key for report in reports] == ["task"]
        assert await servers[0].tick() == []
        clock.turn(seconds=3599)
        assert await servers[1].tick() == []
        clock.turn(seconds=1)
    assert len(work.orders) == 3


async def test_a_run_that_goes_on_is_left_alone_and_one_that_crashed_is_begun_again(
    new_server: NewServer, work: Work, clock: Any
) -> None:
    dying, other = new_server(), new_server()
    work.may_end.clear()
    run = asyncio.create_task(dying.tick())
    await work.begun.wait()
    clock.turn(seconds=290)
    assert (await other.state("task")).is_running(clock())
    assert await other.tick() == []
    with pytest.raises(LecternError, match="running already"):
        await other.start("task", actor=ADMIN)
    # The process was killed: nothing of it is written down any more. Its lease lapses.
    clock.turn(seconds=11)
    assert (await other.state("task")).has_crashed(clock())
    held, work.may_end = work.may_end, asyncio.Event()
    work.may_end.set()
    [report] = await other.tick()
    assert report.outcome is Outcome.DONE
    finished = (await other.state("task")).record
    held.set()
    await run  # the one given up for dead wasn't: what it says comes too late
    assert (await other.state("task")).record == finished


async def test_a_server_that_stops_hands_its_run_on(new_server: NewServer, work: Work) -> None:
    stopping, other = new_server(), new_server()
    work.may_end.clear()
    run = asyncio.create_task(stopping.tick())
    await work.begun.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert (await other.state("task")).record.outcome is Outcome.INTERRUPTED
    work.may_end.set()
    assert [report.outcome for report in await other.tick()] == [Outcome.DONE]


async def test_a_run_ends_after_its_time(new_server: NewServer, work: Work) -> None:
    server = new_server(run_seconds=0.01)
    work.may_end.clear()
    [report] = await server.tick()
    assert report.outcome is Outcome.TIMED_OUT
    assert await server.tick() == []  # the next is due in an hour


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (LecternError(Code.UNAVAILABLE, "The object store is away."), "The object store is away."),
        (ValueError("a secret"), "Something went wrong; the server's log says more."),
    ],
)
async def test_a_failure_is_told_and_tried_again_when_due(
    new_server: NewServer, work: Work, error: Exception, message: str
) -> None:
    server = new_server()
    work.error = error
    [report] = await server.tick()
    assert (report.outcome, report.message) == (Outcome.FAILED, message)
    record = (await server.state("task")).record
    assert (record.outcome, record.message) == (Outcome.FAILED, message)
    assert await server.tick() == []


async def test_an_administrator_changes_when_and_whether_it_runs(
    new_server: NewServer, work: Work, clock: Any, database: Database
) -> None:
    server = new_server(retention_days=90)
    await server.tick()
    await server.change("task", TaskChange(interval_seconds=60, retention_days=7), actor=ADMIN)
    clock.turn(seconds=60)
    assert len(await server.tick()) == 1
    assert work.orders[-1].retention_days == 7
    await server.change("task", TaskChange(is_enabled=False), actor=ADMIN)
    clock.turn(seconds=3600)
    assert await server.tick() == []
    await server.start("task", actor=ADMIN)  # by hand it runs all the same
    async with asyncio.timeout(10):
        while len(work.orders) < 3:
            await asyncio.sleep(0.01)
    notes = [entry.note for entry in (await SqlAuditLog(database=database).page(AuditQuery())).entries]
    assert sorted(note.action for note in notes) == ["task.change", "task.change", "task.run"]
    assert {"intervalSeconds": [3600, 60], "retentionDays": [90, 7]} in [dict(note.details) for note in notes]


async def test_what_there_is_no_task_for_is_refused(new_server: NewServer) -> None:
    server = new_server()
    with pytest.raises(LecternError, match="no such task"):
        await server.start("other", actor=ADMIN)
    with pytest.raises(LecternError, match="keeps nothing"):
        await server.change("task", TaskChange(retention_days=1), actor=ADMIN)
