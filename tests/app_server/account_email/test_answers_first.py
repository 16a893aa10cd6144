"""What is answered, and when, doesn't depend on whether an address has an account: nobody has looked yet."""

from collections.abc import Coroutine
from typing import Any

import pytest

from app_server.account_email.model import EmailLink, EmailText
from app_server.account_email.service import AccountEmailService
from app_server.accounts.model import AccessStatus, Credentials, StoredSession, User
from app_server.accounts.owner_proof import OwnerProof
from app_server.accounts.passwords import Passwords
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.accounts.sql_store import SqlAttemptStore
from app_server.database.engine import Database

ADA = User(id="a" * 32, email="ada@example.org", status=AccessStatus.ACTIVE)


class Later:
    """Work that was put off."""

    def __init__(self) -> None:
        self.work: list[Coroutine[Any, Any, Any]] = []

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        self.work.append(work)

    async def do_it(self) -> None:
        for work in self.work:
            await work


class Everything:
    """Accounts, links and the queue, which write down what is asked of them."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def is_on(self) -> bool:
        return True

    async def credentials(self, email: str) -> Credentials | None:
        self.asked.append(f"credentials {email}")
        return Credentials(ADA, password_hash="") if email == ADA.email else None

    async def add(self, _token_hash: str, link: EmailLink) -> None:
        self.asked.append(f"link {link.email}")

    async def post(self, text: EmailText, *, recipient: str, expires_at_ms: int) -> None:
        self.asked.append(f"message {recipient}")


@pytest.fixture
def everything() -> Everything:
    return Everything()


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def service(everything: Everything, later: Later, database: Database, clock) -> AccountEmailService:
    limits = AuthRateLimits(store=SqlAttemptStore(database=database), clock=clock, enabled=True)
    passwords = Passwords()
    proof = OwnerProof(accounts=everything, passwords=passwords, limits=limits, clock=clock)
    return AccountEmailService(
        settings=everything, delivery=everything, links=everything, accounts=everything,
        passwords=passwords, limits=limits, proof=proof, background=later,
        base_url="http://localhost:3003", clock=clock,
    )  # fmt: skip


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("email", [ADA.email, "nobody@example.org"])
async def test_a_forgotten_passwords_address_is_looked_up_after_the_answer(
    service: AccountEmailService, everything: Everything, later: Later, email: str
) -> None:
    await service.forgot_password(email=email, address="192.0.2.1")
    assert everything.asked == []
    await later.do_it()
    known = [f"link {email}", f"message {email}"] if email == ADA.email else []
    assert everything.asked == [f"credentials {email}", *known]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_signing_up_with_a_known_address_is_told_after_the_answer(
    service: AccountEmailService, everything: Everything, later: Later
) -> None:
    service.tell_registered(ADA.email)
    service.send_verification(ADA)
    assert everything.asked == []
    await later.do_it()
    assert everything.asked[-1] == f"message {ADA.email}"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("email", ["other@example.org", "taken@example.org"])
async def test_a_new_address_is_looked_up_after_the_answer(
    service: AccountEmailService, everything: Everything, later: Later, email: str, clock
) -> None:
    session = StoredSession("", ADA, created_at_ms=clock(), renewed_at_ms=0, expires_at_ms=0)
    await service.change_address(session, new_email=email, password="", address="192.0.2.1")
    assert everything.asked == [f"credentials {ADA.email}"]  # one's own password
    await later.do_it()
    assert everything.asked[1] == f"credentials {email}"
