"""How administrators set account e-mail up, on both databases: the key goes in and never comes out."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from app_server.account_email.sender import EmailSender
from app_server.account_email.settings import EmailSettings, EmailSettingsChange
from app_server.account_email.sql_outbox import SqlOutbox
from app_server.account_email.sql_settings import SqlEmailSettings
from app_server.accounts.model import AccessStatus, User
from app_server.audit.model import AuditQuery
from app_server.audit.sql_store import SqlAuditLog
from app_server.database.engine import Database
from app_server.secrets.sealing import SecretSealer
from servers.email_service import API_KEY, Answer, EmailService
from shared.errors import LecternError

ADMIN = User(id="admin", email="admin@example.org", status=AccessStatus.ACTIVE)


def change(**values: object) -> EmailSettingsChange:
    given = {
        "enabled": True, "sender_name": "Lectern", "sender_email": "Lectern@Example.org",
        "reply_to": "help@example.org", "api_key": API_KEY, **values,
    }  # fmt: skip
    return EmailSettingsChange(**given)


@pytest.fixture
async def settings(database: Database, email_service: EmailService, clock) -> AsyncIterator[EmailSettings]:
    async with aiohttp.ClientSession() as http:
        yield EmailSettings(
            store=SqlEmailSettings(database=database),
            outbox=SqlOutbox(database=database),
            sender=EmailSender(http=http, base_url=email_service.url),
            sealer=SecretSealer(auth_secret="a secret that is long enough"),
            clock=clock,
            new_id=lambda: "1",
        )


async def test_what_is_set_is_shown_but_for_the_key(settings: EmailSettings) -> None:
    assert not (await settings.shown()).has_key
    assert not await settings.is_on()
    await settings.change(change(), actor=ADMIN)
    shown = await settings.shown()
    assert (shown.sender_email, shown.reply_to) == ("lectern@example.org", "help@example.org")
    assert (shown.has_key, shown.key_ending) == (True, "1234")
    assert API_KEY not in str(shown)
    assert await settings.is_on()


async def test_the_key_stays_when_none_is_given(settings: EmailSettings) -> None:
    await settings.change(change(), actor=ADMIN)
    await settings.change(change(sender_name="Books", reply_to=None, api_key=None), actor=ADMIN)
    shown = await settings.shown()
    assert (shown.sender_name, shown.reply_to, shown.key_ending) == ("Books", None, "1234")


async def test_the_audit_log_tells_the_change_and_no_key(settings: EmailSettings, database: Database) -> None:
    await settings.change(change(), actor=ADMIN)
    await settings.change(change(enabled=False, api_key=None), actor=ADMIN)
    entries = (await SqlAuditLog(database=database).page(AuditQuery(action="email"))).entries
    assert {entry.note.action for entry in entries} == {"email.change"}
    assert {"enabled": [True, False], "apiKeyReplaced": False} in [entry.note.details for entry in entries]
    assert API_KEY not in str(entries)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"sender_name": " "}, "senderName"),
        ({"sender_name": "two\nlines"}, "senderName"),
        ({"sender_email": "nobody"}, "senderEmail"),
        ({"reply_to": "nobody"}, "replyTo"),
        ({"api_key": None}, "apiKey"),
        ({"api_key": ""}, "apiKey"),
        ({"api_key": "two words"}, "apiKey"),
    ],
)
async def test_what_is_wrong_is_named(settings: EmailSettings, values: dict[str, object], field: str) -> None:
    with pytest.raises(LecternError) as refused:
        await settings.change(change(**values), actor=ADMIN)
    assert set(refused.value.details) == {field}
    assert not (await settings.shown()).has_key


async def test_a_test_message_goes_out_at_once_even_while_e_mail_is_off(
    settings: EmailSettings, email_service: EmailService
) -> None:
    with pytest.raises(LecternError, match="isn't set up"):
        await settings.send_test("ada@example.org")
    await settings.change(change(enabled=False), actor=ADMIN)
    await settings.send_test("ada@example.org")
    (message,) = email_service.messages
    assert (message.recipient, message.body["reply_to"]) == ("ada@example.org", "help@example.org")


async def test_a_test_message_that_fails_says_what_to_change(
    settings: EmailSettings, email_service: EmailService
) -> None:
    await settings.change(change(enabled=False, api_key="re_the_wrong_key_0000"), actor=ADMIN)
    with pytest.raises(LecternError, match="Check the API key"):
        await settings.send_test("ada@example.org")
    await settings.change(change(), actor=ADMIN)
    email_service.troubles.append(Answer(403, "The example.org domain is not verified"))
    with pytest.raises(LecternError, match=r"example\.org domain is not verified"):
        await settings.send_test("ada@example.org")


async def test_it_is_switched_on_only_when_the_administrator_gets_a_message(
    settings: EmailSettings, email_service: EmailService
) -> None:
    """Who couldn't confirm an address couldn't sign in and mend it."""
    wrong = {"api_key": "re_the_wrong_key_0000"}
    with pytest.raises(LecternError, match=r"admin@example\.org, so nothing was changed.*Check the API key"):
        await settings.change(change(**wrong), actor=ADMIN)
    assert not (await settings.shown()).has_key
    await settings.change(change(enabled=False, **wrong), actor=ADMIN)
    with pytest.raises(LecternError, match="so nothing was changed"):
        await settings.change(change(api_key=None), actor=ADMIN)
    assert not await settings.is_on()

    await settings.change(change(), actor=ADMIN)
    (message,) = email_service.messages
    assert (message.recipient, message.subject) == ("admin@example.org", "A test message")
    await settings.change(change(sender_name="Books", api_key=None), actor=ADMIN)
    assert len(email_service.messages) == 1, "nothing that matters to sending was changed"
    email_service.troubles.append(Answer(403, "The example.net domain is not verified"))
    for values in ({"sender_email": "lectern@example.net", "api_key": None}, wrong):
        with pytest.raises(LecternError, match="so nothing was changed"):
            await settings.change(change(**values), actor=ADMIN)
    shown = await settings.shown()
    assert (shown.enabled, shown.sender_email, shown.key_ending) == (True, "lectern@example.org", "1234")
