"""What account e-mail asks of its database and of the e-mail service."""

from typing import Protocol

from app_server.account_email.model import (
    AccountEmail,
    Attempt,
    EmailLink,
    EmailText,
    QueuedEmail,
    QueueState,
)
from app_server.accounts.model import User
from app_server.audit.model import AuditNote


class EmailSettingsStore(Protocol):
    async def read(self) -> AccountEmail | None: ...

    async def write(self, settings: AccountEmail, *, note: AuditNote, now_ms: int) -> None: ...


class Outbox(Protocol):
    async def add(
        self, email_id: str, *, recipient: str, sealed_message: str, now_ms: int, expires_at_ms: int
    ) -> None: ...

    async def take(self, *, now_ms: int, leased_until_ms: int) -> QueuedEmail | None: ...

    async def settle(self, email_id: str, *, failure: str | None, now_ms: int) -> None: ...

    async def put_back(self, email_id: str, attempt: Attempt, *, due_at_ms: int) -> None: ...

    async def give_up_late(self, *, now_ms: int) -> int: ...

    async def state(self) -> QueueState: ...


class Sender(Protocol):
    async def send(
        self, text: EmailText, *, recipient: str, settings: AccountEmail, api_key: str, idempotency_key: str
    ) -> Attempt: ...


class EmailLinks(Protocol):
    async def add(self, token_hash: str, link: EmailLink) -> None: ...

    async def find(self, token_hash: str, *, now_ms: int) -> EmailLink | None: ...

    async def user(self, user_id: str) -> User | None: ...

    async def verify(self, token_hash: str, link: EmailLink) -> bool: ...

    async def change_address(self, token_hash: str, link: EmailLink) -> bool: ...

    async def set_address(self, user_id: str, email: str) -> None: ...

    async def reset_password(self, token_hash: str, link: EmailLink, *, password_hash: str) -> bool: ...
