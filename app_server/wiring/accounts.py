"""People: who asks, signing up, in and out."""

from dataclasses import dataclass

from aiohttp import web

from app_server.accounts.owner_proof import OwnerProof
from app_server.accounts.passwords import Passwords
from app_server.accounts.ports import Inboxes
from app_server.accounts.routes import AccountRoutes
from app_server.accounts.service import AccountService
from app_server.accounts.sql_store import SqlAccountStore
from app_server.ids import new_id
from app_server.version import program_version
from app_server.wiring.account_email import add_account_email
from app_server.wiring.foundations import Foundations
from app_server.wiring.sign_in import SignIn, add_external_sign_in, add_sessions, sign_in


@dataclass(frozen=True)
class Accounts:
    """What other domains need of them."""

    ways: SignIn
    proof: OwnerProof
    inboxes: Inboxes


async def add_accounts(app: web.Application, base: Foundations) -> Accounts:
    """Its middleware knows who asks, so it comes before every other domain."""
    ways = sign_in(base)
    await add_sessions(app, base, ways)
    accounts = SqlAccountStore(database=base.database)
    passwords = Passwords()
    proof = OwnerProof(accounts=accounts, passwords=passwords, limits=ways.limits, clock=base.clock)
    inboxes = add_account_email(app, base, ways=ways, accounts=accounts, passwords=passwords, proof=proof)
    service = AccountService(
        store=accounts,
        passwords=passwords,
        limits=ways.limits,
        inboxes=inboxes,
        features=base.features,
        clock=base.clock,
        new_id=new_id,
    )
    AccountRoutes(
        service=service,
        entrance=ways.entrance,
        ways_in=ways.ways_in,
        inboxes=inboxes,
        features=base.features,
        addresses=base.addresses,
        version=program_version(),
        upload_transport="presigned" if base.presigner else "proxy",
    ).add_to(app)
    add_external_sign_in(app, base, ways, accounts, inboxes)
    base.background.start(base.features.keep_fresh())
    return Accounts(ways=ways, proof=proof, inboxes=inboxes)
