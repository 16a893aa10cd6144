"""Where no e-mail is sent: nobody can confirm anything, so nothing waits for it."""

from app_fixtures.browser import PASSWORD, Browser, Instance


async def test_an_address_is_changed_at_once(reader: Browser) -> None:
    body = {"newEmail": "Other@Example.org", "currentPassword": PASSWORD}
    assert (await reader.post("/api/user/email", body)).json == {"state": "changed"}
    assert (await reader.get("/api/auth/session")).json["user"]["email"] == "other@example.org"
    assert (await reader.enter("sign-in", "other@example.org")).status == 200


async def test_an_address_that_is_taken_is_refused(instance: Instance, reader: Browser) -> None:
    await instance.new_reader("other@example.org")
    body = {"newEmail": "other@example.org", "currentPassword": PASSWORD}
    answer = await reader.post("/api/user/email", body)
    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "newEmail")


async def test_a_forgotten_password_is_the_administrators_business(browser: Browser) -> None:
    answer = await browser.post("/api/auth/forgot-password", {"email": "ada@example.org"})
    assert (answer.status, answer.code) == (409, "EMAIL_OFF")


async def test_only_who_is_signed_in_changes_an_address(browser: Browser) -> None:
    body = {"newEmail": "other@example.org", "currentPassword": PASSWORD}
    assert (await browser.post("/api/user/email", body)).status == 401
