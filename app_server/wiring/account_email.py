"""Account e-mail: settings, queue and what is done by it."""

from aiohttp import web

from app_server.account_email.delivery import EmailDelivery
from app_server.account_email.routes import AccountEmailRoutes
from app_server.account_email.sender import EmailSender
from app_server.account_email.service import AccountEmailService
from app_server.account_email.settings import EmailSettings
from app_server.account_email.sql_links import SqlEmailLinks
from app_server.account_email.sql_outbox import SqlOutbox
from app_server.account_email.sql_settings import SqlEmailSettings
from app_server.accounts.owner_proof import OwnerProof
from app_server.accounts.passwords import Passwords
from app_server.accounts.ports import AccountStore
from app_server.ids import new_id
from app_server.wiring.foundations import Foundations
from app_server.wiring.sign_in import SignIn


def email_settings(base: Foundations) -> EmailSettings:
    return EmailSettings(
        store=SqlEmailSettings(database=base.database),
        outbox=SqlOutbox(database=base.database),
        sender=_sender(base),
        sealer=base.sealer,
        clock=base.clock,
        new_id=new_id,
    )


def add_account_email(
    app: web.Application,
    base: Foundations,
    *,
    ways: SignIn,
    accounts: AccountStore,
    passwords: Passwords,
    proof: OwnerProof,
) -> AccountEmailService:
    delivery = EmailDelivery(
        outbox=SqlOutbox(database=base.database),
        settings=SqlEmailSettings(database=base.database),
        sender=_sender(base),
        sealer=base.sealer,
        clock=base.clock,
        new_id=new_id,
    )
    service = AccountEmailService(
        settings=email_settings(base),
        delivery=delivery,
        links=SqlEmailLinks(database=base.database),
        accounts=accounts,
        passwords=passwords,
        limits=ways.limits,
        proof=proof,
        background=base.background,
        base_url=base.settings.base_url,
        clock=base.clock,
    )
    AccountEmailRoutes(service=service, ways_in=ways.ways_in, addresses=base.addresses).add_to(app)
    base.background.start(delivery.run())
    return service


def _sender(base: Foundations) -> EmailSender:
    return EmailSender(http=base.http, base_url=base.settings.email_api_url)
