"""The admin area: providers, site features, users, e-mail, the audit log."""

from aiohttp import web

from app_server.account_email.admin_routes import EmailAdminRoutes
from app_server.accounts.erasure import AccountErasure
from app_server.audit.routes import AuditRoutes
from app_server.audit.sql_store import SqlAuditLog
from app_server.changelog.routes import ChangelogRoutes
from app_server.changelog.service import Changelog
from app_server.ids import new_id
from app_server.library.service import LibraryService
from app_server.providers.admin_routes import ProviderAdminRoutes
from app_server.providers.management import ProviderManagement
from app_server.providers.sql_store import SqlProviderStore
from app_server.providers.trial import ProviderTrial
from app_server.site_features.admin_routes import FeatureAdminRoutes
from app_server.user_management.routes import UserAdminRoutes
from app_server.user_management.service import UserManagement
from app_server.user_management.sql_store import SqlUserStore
from app_server.wiring.account_email import email_settings
from app_server.wiring.accounts import Accounts
from app_server.wiring.foundations import Foundations


def add_administration(
    app: web.Application, base: Foundations, accounts: Accounts, library: LibraryService
) -> None:
    providers = ProviderManagement(
        store=SqlProviderStore(database=base.database),
        sealer=base.sealer,
        clock=base.clock,
        new_id=new_id,
    )
    ProviderAdminRoutes(management=providers, trial=ProviderTrial(worker=base.worker)).add_to(app)
    FeatureAdminRoutes(features=base.features).add_to(app)
    users = UserManagement(
        store=SqlUserStore(database=base.database),
        eraser=AccountErasure(library=library, objects=base.objects),
        ledger=base.limits,
        clock=base.clock,
    )
    UserAdminRoutes(management=users).add_to(app)
    EmailAdminRoutes(settings=email_settings(base), inboxes=accounts.inboxes).add_to(app)
    changelog = Changelog(http=base.http, features=base.features, clock=base.clock)
    ChangelogRoutes(changelog=changelog).add_to(app)
    AuditRoutes(log=SqlAuditLog(database=base.database)).add_to(app)
