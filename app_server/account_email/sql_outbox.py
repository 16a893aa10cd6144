"""The queue of messages, as rows that several app servers share."""

from sqlalchemy import delete, func, insert, select, update

from app_server.account_email.model import Attempt, QueuedEmail, QueueState
from app_server.database.engine import Database
from app_server.database.schema import email_outbox

_QUEUED, _SENT, _FAILED = "queued", "sent", "failed"


class SqlOutbox:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def add(
        self, email_id: str, *, recipient: str, sealed_message: str, now_ms: int, expires_at_ms: int
    ) -> None:
        row = {
            "id": email_id,
            "message": sealed_message,
            "recipient": recipient,
            "state": _QUEUED,
            "created_at_ms": now_ms,
            "expires_at_ms": expires_at_ms,
            "attempts": 0,
            "due_at_ms": now_ms,
        }
        async with self._database.write() as connection:
            await connection.execute(insert(email_outbox).values(row))

    async def take(self, *, now_ms: int, leased_until_ms: int) -> QueuedEmail | None:
        """One that is due, oldest first. Nobody else gets it until the lease is over."""
        due = (
            select(email_outbox)
            .where(
                email_outbox.c.state == _QUEUED,
                email_outbox.c.due_at_ms <= now_ms,
                email_outbox.c.expires_at_ms > now_ms,
            )
            .order_by(email_outbox.c.due_at_ms, email_outbox.c.id)
            .limit(1)
        )
        while True:
            async with self._database.read() as connection:
                row = (await connection.execute(due)).one_or_none()
            if row is None:
                return None
            still_there = (email_outbox.c.id == row.id, email_outbox.c.due_at_ms == row.due_at_ms)
            values = {"due_at_ms": leased_until_ms, "attempts": row.attempts + 1}
            async with self._database.write() as connection:
                taken = await connection.execute(
                    update(email_outbox).where(*still_there, email_outbox.c.state == _QUEUED).values(values)
                )
            if taken.rowcount == 1:
                return QueuedEmail(row.id, row.recipient, row.message, row.attempts + 1, row.expires_at_ms)

    async def settle(self, email_id: str, *, failure: str | None, now_ms: int) -> None:
        """Sent, or for a failure never to be. Its links are forgotten either way."""
        values = {
            "state": _FAILED if failure else _SENT,
            "message": None,
            "settled_at_ms": now_ms,
            "failure": failure,
        }
        async with self._database.write() as connection:
            await connection.execute(update(email_outbox).where(email_outbox.c.id == email_id).values(values))

    async def put_back(self, email_id: str, attempt: Attempt, *, due_at_ms: int) -> None:
        values = {"due_at_ms": due_at_ms, "failure": attempt.reason}
        async with self._database.write() as connection:
            await connection.execute(update(email_outbox).where(email_outbox.c.id == email_id).values(values))

    async def give_up_late(self, *, now_ms: int) -> int:
        """Those whose links have expired. Returns how many."""
        late = (email_outbox.c.state == _QUEUED, email_outbox.c.expires_at_ms <= now_ms)
        values = {
            "state": _FAILED,
            "message": None,
            "settled_at_ms": now_ms,
            "failure": func.coalesce(email_outbox.c.failure, "Account e-mail was off for too long."),
        }
        async with self._database.read() as connection:
            if await connection.scalar(select(email_outbox.c.id).where(*late).limit(1)) is None:
                return 0
        async with self._database.write() as connection:
            return (await connection.execute(update(email_outbox).where(*late).values(values))).rowcount

    async def state(self) -> QueueState:
        settled_at_ms = email_outbox.c.settled_at_ms
        last_failure = (
            select(settled_at_ms, email_outbox.c.failure)
            .where(email_outbox.c.state == _FAILED)
            .order_by(settled_at_ms.desc(), email_outbox.c.id.desc())
            .limit(1)
        )
        async with self._database.read() as connection:
            queued = await connection.scalar(
                select(func.count()).select_from(email_outbox).where(email_outbox.c.state == _QUEUED)
            )
            sent = await connection.scalar(
                select(func.max(settled_at_ms)).where(email_outbox.c.state == _SENT)
            )
            failed = (await connection.execute(last_failure)).one_or_none()
        return QueueState(
            queued=queued or 0,
            last_sent_at_ms=sent,
            failed_at_ms=failed.settled_at_ms if failed else None,
            failure=failed.failure if failed else None,
        )

    async def remove_settled(self, *, than_ms: int) -> int:
        """Those settled before. Returns how many."""
        old = email_outbox.c.settled_at_ms < than_ms
        async with self._database.write() as connection:
            return (await connection.execute(delete(email_outbox).where(old))).rowcount
