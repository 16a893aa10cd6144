"""Which account an identity from elsewhere opens, and how ways to sign in come and go."""

import asyncio
from typing import Any

from app_fixtures.browser import PASSWORD, Browser, Instance
from app_fixtures.sign_in import agree, come_in, email_of, failure, leave
from app_fixtures.users import change_user

from servers.identity_provider.process import ADA, OCTO, IdentityProviderServer
from shared.configuration.app_settings import AppSettings


async def ways_in(browser: Browser) -> Any:
    return (await browser.get("/api/user/identities")).json


async def test_it_is_linked_by_itself_only_when_both_sides_know_the_address(
    instance: Instance, identity_provider: IdentityProviderServer, settings: AppSettings
) -> None:
    owner = await instance.new_reader("ada@example.org")
    for ours, theirs in ((False, False), (False, True), (True, False)):
        await change_user(settings, "ada@example.org", email_verified=ours)
        identity_provider.be({**ADA, "email_verified": theirs})
        visitor = await instance.new_browser()
        assert failure(await come_in(visitor)) == "LINK_NEEDS_PASSWORD"
        assert await email_of(visitor) is None
    await change_user(settings, "ada@example.org", email_verified=True)
    identity_provider.be({**ADA, "email": "ADA@Example.org"})
    visitor = await instance.new_browser()
    await come_in(visitor)
    assert await email_of(visitor) == "ada@example.org"
    assert [way["providerId"] for way in (await ways_in(owner))["identities"]] == ["oidc"]


async def test_who_has_signed_in_links_in_the_settings_and_signs_in_by_it_then(instance: Instance) -> None:
    owner = await instance.new_reader("lovelace@example.org")
    answer = await come_in(owner, link=True)
    assert answer.headers["Location"] == "/app/settings/sign-in?linked=oidc"
    shown = await ways_in(owner)
    assert shown["hasPassword"] is True
    assert [(way["providerName"], way["email"]) for way in shown["identities"]] == [
        ("Our school", "ada@example.org")
    ]
    elsewhere = await instance.new_browser()
    await come_in(elsewhere)
    assert await email_of(elsewhere) == "lovelace@example.org"


async def test_an_identity_belongs_to_one_account(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    first = await instance.new_reader("first@example.org")
    second = await instance.new_reader("second@example.org")
    await come_in(first, link=True)
    answer = await come_in(second, link=True)
    assert answer.headers["Location"] == "/app/settings/sign-in?failed=IDENTITY_TAKEN&via=oidc"
    identity_provider.be({**ADA, "sub": "another"})
    answer = await come_in(first, link=True)
    assert answer.headers["Location"] == "/app/settings/sign-in?failed=IDENTITY_LINKED&via=oidc"
    assert (await ways_in(second))["identities"] == []


async def test_a_way_in_is_removed_while_another_one_remains(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    browser = await instance.new_browser()
    await come_in(browser)
    (oidc,) = (await ways_in(browser))["identities"]
    answer = await browser.send("DELETE", f"/api/user/identities/{oidc['id']}")
    assert (answer.status, answer.code) == (409, "LAST_SIGN_IN")
    identity_provider.be(OCTO)
    await come_in(browser, "githost", link=True)
    first, second = (way["id"] for way in (await ways_in(browser))["identities"])
    answers = await asyncio.gather(
        *(browser.send("DELETE", f"/api/user/identities/{way}") for way in (first, second))
    )
    assert sorted(answer.status for answer in answers) == [204, 409]
    assert len((await ways_in(browser))["identities"]) == 1


async def test_nobody_removes_a_way_into_somebody_elses_account(instance: Instance) -> None:
    owner, other = await instance.new_browser(), await instance.new_reader("other@example.org")
    await come_in(owner)
    (way,) = (await ways_in(owner))["identities"]
    answer = await other.send("DELETE", f"/api/user/identities/{way['id']}")
    assert (answer.status, answer.code) == (404, "IDENTITY_NOT_FOUND")


async def test_a_link_goes_to_the_account_that_asked_for_it(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    browser = await instance.new_reader("first@example.org")
    path = await agree(await leave(browser, link=True))
    await browser.enter("sign-up", "second@example.org")
    answer = await browser.get(path)
    assert answer.headers["Location"] == "/app/settings/sign-in?failed=LINKED_TO_OTHER&via=oidc"
    assert (await ways_in(browser))["identities"] == []


async def test_only_who_is_signed_in_links(browser: Browser) -> None:
    answer = await browser.post("/api/auth/external/oidc", {"link": True})
    assert answer.status == 401
    assert (await browser.get("/api/user/identities")).status == 401


async def test_an_account_without_a_password_has_none_to_guess(instance: Instance) -> None:
    await come_in(await instance.new_browser())
    for guess in ("", " ", PASSWORD):
        answer = await (await instance.new_browser()).enter("sign-in", "ada@example.org", guess)
        assert answer.status == 401


async def test_who_waits_or_is_suspended_is_told_so_by_a_provider_too(
    instance: Instance, settings: AppSettings
) -> None:
    await come_in(await instance.new_browser())
    for status, code in (("pending", "ACCOUNT_PENDING"), ("suspended", "ACCOUNT_SUSPENDED")):
        await change_user(settings, "ada@example.org", status=status)
        browser = await instance.new_browser()
        assert failure(await come_in(browser)) == code
        assert await email_of(browser) is None
