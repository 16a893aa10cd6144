"""Account e-mail in the hands of an administrator: set up, tried, on record, and its key never shown."""

import asyncio

import pytest
from app_fixtures.administrator import EMAIL, PASSWORD, VARIABLES, new_administrator

from servers.email_service import API_KEY, Answer, EmailService
from shared.configuration.app_settings import AppSettings, read_app_settings

PATH = "/api/admin/email"
SENDER = {"enabled": False, "senderName": "Lectern", "senderEmail": "lectern@example.org", "replyTo": None}


@pytest.fixture
def settings(environment: dict[str, str], email_service: EmailService) -> AppSettings:
    return read_app_settings({**environment, **VARIABLES, "ACCOUNT_EMAIL_API_URL": email_service.url})


async def test_account_email_is_set_up_and_tried(instance, email_service: EmailService) -> None:
    admin = await new_administrator(instance)
    assert (await admin.get(PATH)).json["hasKey"] is False
    early = await admin.post(f"{PATH}/test", {"recipient": "me@example.org"})
    assert (early.status, early.code) == (409, "EMAIL_NOT_SET_UP")
    for body, field in (
        (SENDER, "apiKey"),
        (SENDER | {"apiKey": API_KEY, "senderEmail": "nobody"}, "senderEmail"),
        (SENDER | {"apiKey": API_KEY, "replyTo": "nobody"}, "replyTo"),
        (SENDER | {"apiKey": API_KEY, "senderName": ""}, "senderName"),
    ):
        refused = await admin.send("PUT", PATH, json=body)
        assert (refused.status, {error["field"] for error in refused.json["errors"]}) == (422, {field})
        assert API_KEY not in refused.body.decode()
    saved = await admin.send("PUT", PATH, json=SENDER | {"apiKey": API_KEY})
    assert (saved.json["hasKey"], saved.json["keyEnding"]) == (True, API_KEY[-4:])
    kept = await admin.send("PUT", PATH, json=SENDER | {"senderName": "Books"})
    assert (kept.json["senderName"], kept.json["keyEnding"]) == ("Books", API_KEY[-4:])

    assert (await admin.post(f"{PATH}/test", {"recipient": "me@example.org"})).status == 204
    (message,) = email_service.messages
    assert (message.recipient, message.body["from"]) == ("me@example.org", "Books <lectern@example.org>")
    email_service.troubles.append(Answer(403, "The domain is not verified."))
    failed = await admin.post(f"{PATH}/test", {"recipient": "me@example.org"})
    assert (failed.status, failed.code) == (409, "EMAIL_NOT_SENT")
    assert "not verified" in failed.json["detail"]

    log = await admin.get("/api/admin/audit?action=email")
    assert ["Lectern", "Books"] in [entry["details"].get("senderName") for entry in log.json["entries"]]
    shown = [saved, kept, failed, log, await admin.get(PATH)]
    assert API_KEY.encode() not in b"".join(answer.body for answer in shown)


async def test_who_switches_it_on_gets_a_link_while_signed_in(instance, email_service: EmailService) -> None:
    """An inbox that nobody reads is found out before it locks an administrator out."""
    admin = await new_administrator(instance)
    on = SENDER | {"apiKey": API_KEY, "enabled": True}
    assert (await admin.send("PUT", PATH, json=on)).json["ownAddressConfirmed"] is False
    async with asyncio.timeout(20):
        while not (links := [it for it in email_service.to(EMAIL) if it.subject.startswith("Confirm")]):
            await asyncio.sleep(0.01)
    assert (await admin.send("PUT", PATH, json=SENDER)).status == 200  # still signed in: it can be undone
    assert (await admin.send("PUT", PATH, json=on)).status == 200
    assert (await admin.post("/api/auth/confirm-email", {"token": links[0].token})).status == 200
    assert (await admin.get(PATH)).json["ownAddressConfirmed"] is True
    assert (await (await instance.new_browser()).enter("sign-in", EMAIL, PASSWORD)).status == 200
