"""The queue and the e-mail service: once, in the end, or given up with a reason. On both databases."""

import asyncio
import itertools
from collections.abc import AsyncIterator

import aiohttp
import pytest
from sqlalchemy import select

from app_server.account_email import texts
from app_server.account_email.delivery import EmailDelivery
from app_server.account_email.model import LINK_LIFETIME_MS
from app_server.account_email.sender import EmailSender
from app_server.account_email.settings import EmailSettings, EmailSettingsChange
from app_server.account_email.sql_outbox import SqlOutbox
from app_server.account_email.sql_settings import SqlEmailSettings
from app_server.accounts.model import AccessStatus, User
from app_server.database.engine import Database
from app_server.database.schema import email_outbox
from app_server.secrets.sealing import SecretSealer
from servers.email_service import API_KEY, Answer, EmailService

# Has no address that a test message could go to.
ADMIN = User(id="admin", email="", status=AccessStatus.ACTIVE)
ADDRESS = "http://localhost:3003/verify-email#a-token"
ON = EmailSettingsChange(
    enabled=True, sender_name="Lectern, home", sender_email="lectern@example.org", reply_to=None,
    api_key=API_KEY,
)  # fmt: skip
_ids = itertools.count()


class Setting:
    def __init__(
        self, *, database: Database, service: EmailService, http: aiohttp.ClientSession, clock
    ) -> None:
        self.service = service
        self.clock = clock
        self.outbox = SqlOutbox(database=database)
        self._http = http
        self._database = database
        self._sealer = SecretSealer(auth_secret="a secret that is long enough")
        self.settings = EmailSettings(
            store=SqlEmailSettings(database=database), outbox=self.outbox, sender=self._sender(),
            sealer=self._sealer, clock=clock, new_id=self._new_id,
        )  # fmt: skip

    def server(self) -> EmailDelivery:
        """One app server's part."""
        return EmailDelivery(
            outbox=self.outbox, settings=SqlEmailSettings(database=self._database), sender=self._sender(),
            sealer=self._sealer, clock=self.clock, new_id=self._new_id,
        )  # fmt: skip

    async def post(self, recipient: str = "ada@example.org") -> None:
        expires_at_ms = self.clock() + LINK_LIFETIME_MS
        await self.server().post(
            texts.verification(ADDRESS), recipient=recipient, expires_at_ms=expires_at_ms
        )

    async def rows(self) -> list[dict[str, object]]:
        async with self._database.read() as connection:
            return [dict(row._mapping) for row in await connection.execute(select(email_outbox))]

    def _sender(self) -> EmailSender:
        return EmailSender(http=self._http, base_url=self.service.url)

    def _new_id(self) -> str:
        return f"{next(_ids):032}"


@pytest.fixture
async def setting(database: Database, email_service: EmailService, clock) -> AsyncIterator[Setting]:
    async with aiohttp.ClientSession() as http:
        setting = Setting(database=database, service=email_service, http=http, clock=clock)
        await setting.settings.change(ON, actor=ADMIN)
        yield setting


async def test_a_message_arrives_as_it_was_written(setting: Setting) -> None:
    await setting.post()
    (row,) = await setting.rows()
    assert "a-token" not in str(row), "the queue in the database holds no link that somebody could use"
    await setting.server().deliver_due()
    (message,) = setting.service.messages
    assert message.body["from"] == '"Lectern, home" <lectern@example.org>'
    assert (message.recipient, message.subject) == ("ada@example.org", "Confirm your e-mail address")
    assert message.link == ADDRESS
    assert f'href="{ADDRESS}"' in message.body["html"]
    assert "reply_to" not in message.body
    (row,) = await setting.rows()
    assert (row["state"], row["message"]) == ("sent", None)


async def test_several_app_servers_send_each_message_once(setting: Setting) -> None:
    for number in range(8):
        await setting.post(f"{number}@example.org")
    await asyncio.gather(*(setting.server().deliver_due() for _ in range(3)))
    assert sorted(message.recipient for message in setting.service.messages) == [
        f"{number}@example.org" for number in range(8)
    ]
    assert setting.service.requests == 8


async def test_while_one_server_waits_for_a_slow_service_no_other_sends_the_message(setting: Setting) -> None:
    setting.service.is_quick.clear()
    await setting.post()
    slow = asyncio.create_task(setting.server().deliver_due())
    async with asyncio.timeout(20):
        while not any(row["attempts"] for row in await setting.rows()):
            await asyncio.sleep(0.01)
        await setting.server().deliver_due()  # finds nothing, and doesn't wait
        setting.service.is_quick.set()
        await slow
    assert setting.service.requests == 1


async def test_what_a_server_left_half_way_another_sends_and_the_service_takes_it_once(
    setting: Setting,
) -> None:
    setting.service.is_quick.clear()
    await setting.post()
    dying = asyncio.create_task(setting.server().deliver_due())
    async with asyncio.timeout(20):
        while not any(row["attempts"] for row in await setting.rows()):
            await asyncio.sleep(0.01)
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    setting.service.is_quick.set()
    setting.clock.turn(seconds=61)
    await setting.server().deliver_due()
    assert len(setting.service.messages) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_failure_that_may_pass_is_tried_again(setting: Setting, status: int) -> None:
    setting.service.troubles.extend([Answer(status, "not now")] * 2)
    await setting.post()
    for seconds in (9, 2, 29, 2):  # the second attempt after 10 s, the third after 30 more
        await setting.server().deliver_due()
        assert setting.service.messages == []
        setting.clock.turn(seconds=seconds)
    await setting.server().deliver_due()
    assert len(setting.service.messages) == 1
    assert setting.service.requests == 3


async def test_the_service_may_say_when_to_come_back(setting: Setting) -> None:
    setting.service.troubles.append(Answer(429, "slower", {"Retry-After": "120"}))
    await setting.post()
    await setting.server().deliver_due()
    setting.clock.turn(seconds=119)
    await setting.server().deliver_due()
    assert setting.service.messages == []
    setting.clock.turn(seconds=1)
    await setting.server().deliver_due()
    assert len(setting.service.messages) == 1


async def test_a_refused_message_is_given_up_with_the_services_words(setting: Setting) -> None:
    setting.service.troubles.append(Answer(422, "Invalid `to` field"))
    await setting.post()
    await setting.server().deliver_due()
    state = await setting.outbox.state()
    assert state.queued == 0
    assert state.failed_at_ms == setting.clock()
    assert "422: Invalid `to` field" in (state.failure or "")
    (row,) = await setting.rows()
    assert row["message"] is None


async def test_a_new_key_frees_what_the_old_one_held_up(setting: Setting) -> None:
    wrong = EmailSettingsChange(**{**vars(ON), "api_key": "re_the_wrong_key_0000"})
    await setting.settings.change(wrong, actor=ADMIN)
    await setting.post()
    await setting.server().deliver_due()
    (row,) = await setting.rows()
    assert "Check the API key" in str(row["failure"])
    await setting.settings.change(ON, actor=ADMIN)
    setting.clock.turn(seconds=10)
    await setting.server().deliver_due()
    assert len(setting.service.messages) == 1


async def test_nothing_is_sent_while_e_mail_is_off_nor_after_its_links_have_expired(setting: Setting) -> None:
    await setting.settings.change(
        EmailSettingsChange(**{**vars(ON), "enabled": False, "api_key": None}), actor=ADMIN
    )
    await setting.post()
    await setting.server().deliver_due()
    assert (await setting.outbox.state()).queued == 1
    setting.clock.turn(seconds=3600)
    await setting.settings.change(ON, actor=ADMIN)
    await setting.server().deliver_due()
    assert setting.service.messages == []
    state = await setting.outbox.state()
    assert (state.queued, state.failure) == (0, "Account e-mail was off for too long.")
    assert await setting.outbox.remove_settled(than_ms=setting.clock() + 1) == 1
    assert await setting.rows() == []


async def test_a_service_that_is_not_there_is_waited_for(setting: Setting) -> None:
    address, setting.service.url = setting.service.url, "http://127.0.0.1:1"
    await setting.post()
    await setting.server().deliver_due()
    (row,) = await setting.rows()
    assert "can't be reached" in str(row["failure"])
    setting.service.url = address
    setting.clock.turn(seconds=10)
    await setting.server().deliver_due()
    assert len(setting.service.messages) == 1
