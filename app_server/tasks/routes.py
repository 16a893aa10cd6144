"""/api/admin/tasks: for administrators, and for a platform's scheduler."""

from functools import partial
from typing import Annotated, Literal

from aiohttp import hdrs, web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.clock import Clock, iso_time
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import AnswerBody, RequestBody, json_response, read_body
from app_server.tasks.model import Outcome, Report, TaskChange, TaskState
from app_server.tasks.service import TaskService
from shared.errors import Code, LecternError
from shared.rpc.tokens import bearer_check

_PATH = "/api/admin/tasks"
_MOST_SECONDS = 30 * 24 * 3600
_Outcome = Literal["done", "failed", "timed_out", "interrupted", "crashed"]


class TaskChangeBody(RequestBody):
    enabled: bool | None = None
    # The scheduler looks once a minute.
    interval_seconds: Annotated[int, Field(ge=60, le=_MOST_SECONDS)] | None = None
    retention_days: Annotated[int, Field(ge=1, le=3650)] | None = None


class ShownRun(AnswerBody):
    started_at: str
    # Of one that ended.
    finished_at: str = ""
    outcome: _Outcome = "done"
    counts: dict[str, int] = Field(default_factory=dict)
    message: str = ""


class ShownTask(AnswerBody):
    key: str
    title: str
    description: str
    enabled: bool
    interval_seconds: int
    default_interval_seconds: int
    # Only of tasks that keep something for a time.
    retention_days: int = 0
    is_running: bool
    # Of one that is turned on.
    next_run_at: str = ""
    last_run: ShownRun | None


class TasksAnswer(AnswerBody):
    tasks: list[ShownTask]


class ShownReport(AnswerBody):
    key: str
    outcome: Literal["done", "failed", "timed_out", "interrupted"]
    counts: dict[str, int]
    message: str
    milliseconds: int


class TickAnswer(AnswerBody):
    """What was due and has run; the rest wasn't due, or runs elsewhere."""

    ran: list[ShownReport]


class TaskRoutes:
    def __init__(self, *, service: TaskService, cron_secret: str | None, clock: Clock) -> None:
        """cron_secret None: there is no address for schedulers."""
        self._service = service
        self._may_tick = bearer_check(cron_secret) if cron_secret else None
        self._clock = clock

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(Endpoint, tag="Administration: tasks")
        admin = partial(endpoint, access=Access.ADMIN, scope=TokenScope.ADMIN)
        add_endpoints(
            app,
            [
                endpoint(
                    method="GET",
                    path=_PATH + "/tick",
                    handler=self.tick,
                    summary="Run the scheduled tasks that are due (with CRON_SECRET as bearer token)",
                    access=Access.OWN_SECRET,
                    answer=TickAnswer,
                    problems=("CRON_SECRET_REFUSED", "NOT_FOUND"),
                ),
                admin(
                    method="GET",
                    path=_PATH,
                    handler=self.list,
                    summary="List the scheduled tasks with their latest runs",
                    answer=TasksAnswer,
                ),
                admin(
                    method="PATCH",
                    path=_PATH + "/{key}",
                    handler=self.change,
                    summary="Turn a scheduled task on or off, or change when it runs",
                    body=TaskChangeBody,
                    answer=ShownTask,
                    problems=("TASK_NOT_FOUND", "TASK_WITHOUT_RETENTION"),
                ),
                admin(
                    method="POST",
                    path=_PATH + "/{key}/run",
                    handler=self.run,
                    summary="Begin a run of a scheduled task now",
                    answer=ShownTask,
                    status=202,
                    problems=("TASK_NOT_FOUND", "TASK_RUNNING"),
                ),
            ],
        )

    async def tick(self, request: web.Request) -> web.Response:
        if self._may_tick is None:
            raise web.HTTPNotFound
        if not self._may_tick(request.headers.get(hdrs.AUTHORIZATION)):
            raise LecternError(
                Code.UNAUTHENTICATED,
                "The bearer token is missing or isn't CRON_SECRET.",
                reason="CRON_SECRET_REFUSED",
            )
        reports = await self._service.tick()
        return json_response(TickAnswer(ran=[_shown_report(report) for report in reports]))

    async def list(self, _request: web.Request) -> web.Response:
        states = await self._service.states()
        return json_response(TasksAnswer(tasks=[self._shown(state) for state in states]))

    async def change(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        body = await read_body(request, TaskChangeBody)
        change = TaskChange(body.enabled, body.interval_seconds, body.retention_days)
        return json_response(
            self._shown(await self._service.change(request.match_info["key"], change, actor=actor))
        )

    async def run(self, request: web.Request) -> web.Response:
        actor = await require_user(request)
        state = await self._service.start(request.match_info["key"], actor=actor)
        return json_response(self._shown(state), status=202)

    def _shown(self, state: TaskState) -> ShownTask:
        now_ms, task = self._clock(), state.task
        due_at_ms = state.due_at_ms(now_ms)
        optional: dict[str, int | str] = {}
        if state.retention_days is not None:
            optional["retention_days"] = state.retention_days
        if due_at_ms is not None:
            optional["next_run_at"] = iso_time(max(due_at_ms, now_ms))
        shown = ShownTask(
            key=task.key,
            title=task.title,
            description=task.description,
            enabled=state.is_enabled,
            interval_seconds=state.interval_seconds,
            default_interval_seconds=task.every_seconds,
            is_running=state.is_running(now_ms),
            last_run=_shown_run(state, now_ms),
        )
        return shown.model_copy(update=optional)


def _shown_run(state: TaskState, now_ms: int) -> ShownRun | None:
    record = state.record
    if record.started_at_ms is None:
        return None
    run = ShownRun(started_at=iso_time(record.started_at_ms))
    if state.has_crashed(now_ms):
        return run.model_copy(update={"outcome": "crashed", "message": "The app server died meanwhile."})
    if record.lease_until_ms is not None or record.finished_at_ms is None:
        return run
    ended = {
        "finished_at": iso_time(record.finished_at_ms),
        "outcome": (record.outcome or Outcome.DONE).value,
        "counts": dict(record.counts),
        "message": record.message,
    }
    return run.model_copy(update=ended)


def _shown_report(report: Report) -> ShownReport:
    return ShownReport(
        key=report.key,
        outcome=report.outcome.value,
        counts=dict(report.counts),
        message=report.message,
        milliseconds=report.milliseconds,
    )
