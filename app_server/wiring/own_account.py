"""One's own account: what it holds, its devices, its export and its end."""

from aiohttp import web

from app_server.account_export.content import SqlAccountContent
from app_server.account_export.queue_limits import ExportQueueLimits
from app_server.account_export.routes import AccountExportRoutes
from app_server.account_export.service import AccountExports
from app_server.account_export.sql_store import SqlExportStore
from app_server.account_export.worker import ExportWorker
from app_server.accounts.erasure import AccountErasure
from app_server.ids import new_id
from app_server.library.service import LibraryService
from app_server.own_account.routes import OwnAccountRoutes
from app_server.own_account.service import AccountDeletion
from app_server.own_account.sql_store import SqlOwnAccount
from app_server.wiring.accounts import Accounts
from app_server.wiring.foundations import Foundations


def add_own_account(
    app: web.Application, base: Foundations, accounts: Accounts, library: LibraryService
) -> None:
    store = SqlOwnAccount(database=base.database)
    deletion = AccountDeletion(
        store=store,
        eraser=AccountErasure(library=library, objects=base.objects),
        ledger=base.limits,
        proof=accounts.proof,
    )
    OwnAccountRoutes(
        store=store,
        deletion=deletion,
        inboxes=accounts.inboxes,
        ways_in=accounts.ways.ways_in,
        addresses=base.addresses,
        clock=base.clock,
    ).add_to(app)
    _add_exports(app, base)


def _add_exports(app: web.Application, base: Foundations) -> None:
    store = SqlExportStore(database=base.database)
    queue_limits = ExportQueueLimits(features=base.features)
    exports = AccountExports(
        store=store,
        objects=base.objects,
        limits=base.limits,
        queue_limits=queue_limits,
        clock=base.clock,
        new_id=new_id,
    )
    worker = ExportWorker(
        exports=exports,
        store=store,
        content=SqlAccountContent(database=base.database),
        objects=base.objects,
        limits=base.limits,
        queue_limits=queue_limits,
        clock=base.clock,
    )
    AccountExportRoutes(exports=exports, sender=base.file_sender, callers=base.callers).add_to(app)
    base.background.start(worker.run())
