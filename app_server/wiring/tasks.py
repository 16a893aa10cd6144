"""Scheduled tasks: what each of them does, when, and by whom it is started."""

from typing import Final

from aiohttp import web

from app_server.account_email.sql_links import SqlEmailLinks
from app_server.account_email.sql_outbox import SqlOutbox
from app_server.account_export.expiry import ExportExpiry
from app_server.account_export.sql_store import SqlExportStore
from app_server.accounts.sql_store import SqlAttemptStore, SqlSessionStore
from app_server.api_tokens.sql_store import SqlApiTokenStore
from app_server.compute_limits.sql_ledger import SqlLimitLedger
from app_server.ids import new_id
from app_server.library.orphans import OrphanedFiles
from app_server.library.service import LibraryService
from app_server.library.sql_store import SqlDocumentStore
from app_server.library.stale_uploads import remove_stale_uploads
from app_server.library.superseded import SupersededReadings
from app_server.playback.old_speech import OldSpeech
from app_server.playback.sql_store import SqlPlaybackSessionStore
from app_server.recordings.orphans import remove_orphaned_recordings
from app_server.recordings.sql_store import SqlRecordingStore
from app_server.tasks.model import Counts, Order, Task
from app_server.tasks.routes import TaskRoutes
from app_server.tasks.service import TaskService
from app_server.tasks.sql_store import SqlTaskStore
from app_server.wiring.foundations import Foundations
from app_server.wiring.sign_in import stale_guests

_HOUR: Final = 3600
_HOUR_MS: Final = 3600 * 1000
_DAY_MS: Final = 24 * _HOUR_MS


def add_tasks(app: web.Application, base: Foundations, library: LibraryService) -> None:
    service = TaskService(
        tasks=[*_of_objects(base), *_of_rows(base, library)],
        store=SqlTaskStore(database=base.database),
        background=base.background,
        clock=base.clock,
        new_id=new_id,
    )
    TaskRoutes(service=service, cron_secret=base.settings.hosting.cron_secret, clock=base.clock).add_to(app)
    base.background.start(service.keep_ticking())


def _of_objects(base: Foundations) -> list[Task]:
    orphans = OrphanedFiles(
        store=SqlDocumentStore(database=base.database),
        objects=base.objects,
        locks=base.database,
        clock=base.clock,
    )
    superseded = SupersededReadings(
        store=SqlDocumentStore(database=base.database),
        objects=base.objects,
        locks=base.database,
        plans_in_use=SqlPlaybackSessionStore(database=base.database).plans_in_use,
        clock=base.clock,
    )
    recordings = SqlRecordingStore(database=base.database)
    exports = ExportExpiry(store=SqlExportStore(database=base.database), objects=base.objects)
    speech = OldSpeech(objects=base.objects, clock=base.clock)

    async def reap(order: Order) -> Counts:
        return {
            "files without a document": await orphans.reap(),
            "readings of older versions": await superseded.reap(),
            "recordings without a document": await remove_orphaned_recordings(
                recordings, base.objects, now_ms=order.now_ms
            ),
        }

    async def clean_uploads(order: Order) -> Counts:
        return {"unfinished uploads": await remove_stale_uploads(base.objects, now_ms=order.now_ms)}

    async def expire_exports(order: Order) -> Counts:
        return {
            "exports": await exports.remove_expired(now_ms=order.now_ms),
            "files without an export": await exports.remove_lost_files(now_ms=order.now_ms),
        }

    async def prune_speech(order: Order) -> Counts:
        return {"passages": await speech.prune(retention_days=order.retention_days)}

    return [
        Task(
            key="reap-orphaned-blobs",
            title="Remove orphaned files",
            description="Removes stored files older than a day that no document has any more, and seven days "
            "after a document was read anew what the older version had read, unless somebody listens to it.",
            every_seconds=6 * _HOUR,
            run=reap,
        ),
        Task(
            key="cleanup-temp-uploads",
            title="Remove unfinished uploads",
            description="Removes what was uploaded more than 24 hours ago and never became a document.",
            every_seconds=_HOUR,
            run=clean_uploads,
        ),
        Task(
            key="expire-export-artifacts",
            title="Remove old exports",
            description="Removes exported files after seven days.",
            every_seconds=24 * _HOUR,
            run=expire_exports,
        ),
        Task(
            key="prune-speech-cache",
            title="Remove speech that nobody hears",
            description="Removes cached speech that nobody has heard for the days set here. It is made again "
            "when it is wanted.",
            every_seconds=24 * _HOUR,
            run=prune_speech,
            is_enabled=False,
            retention_days=90,
        ),
    ]


def _of_rows(base: Foundations, library: LibraryService) -> list[Task]:
    database = base.database
    ledger = SqlLimitLedger(database=database)
    guests = stale_guests(base, library)

    async def prune_ledger(order: Order) -> Counts:
        than_ms = order.now_ms - 30 * _DAY_MS
        return {"rows": await ledger.remove_older(than_ms=than_ms, now_ms=order.now_ms)}

    async def prune_sessions(order: Order) -> Counts:
        now_ms = order.now_ms
        playback = SqlPlaybackSessionStore(database=database)
        return {
            "sessions": await SqlSessionStore(database=database).remove_expired(now_ms=now_ms),
            "API tokens": await SqlApiTokenStore(database=database).remove_expired(now_ms=now_ms),
            "links in e-mails": await SqlEmailLinks(database=database).remove_expired(now_ms=now_ms),
            "e-mails sent": await SqlOutbox(database=database).remove_settled(than_ms=now_ms - 7 * _DAY_MS),
            "attempts": await SqlAttemptStore(database=database).remove_older(than_ms=now_ms - _HOUR_MS),
            "playback sessions": await playback.remove_older(than_ms=now_ms - 30 * _DAY_MS),
            "guests": await guests.remove(),
        }

    return [
        Task(
            key="prune-limit-ledger",
            title="Forget old usage",
            description="Removes what limits counted more than 30 days ago.",
            every_seconds=24 * _HOUR,
            run=prune_ledger,
        ),
        Task(
            key="prune-sessions",
            title="Remove expired sessions",
            description="Removes expired sessions, tokens and links, and guests who can't come back.",
            every_seconds=_HOUR,
            run=prune_sessions,
        ),
    ]
