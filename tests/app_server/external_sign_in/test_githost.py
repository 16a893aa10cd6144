"""Signing in with an account of a Git hosting service."""

from app_fixtures.browser import Browser, Instance
from app_fixtures.sign_in import agree, come_in, email_of, failure, leave

from servers.identity_provider.process import OCTO, IdentityProviderServer


async def test_a_git_hosting_account_opens_the_same_account_each_time(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    identity_provider.be(OCTO)
    first, second = await instance.new_browser(), await instance.new_browser()
    url = await leave(first, "githost")
    assert url.query["redirect_uri"] == "http://localhost:3003/api/auth/callback/githost"
    assert url.query["code_challenge_method"] == "S256"
    await first.get(await agree(url))
    identity_provider.be({**OCTO, "login": "renamed", "email": "renamed@example.org"})
    await come_in(second, "githost")
    assert await email_of(first) == await email_of(second) == "octo@example.org"


async def test_the_primary_address_counts_and_whether_it_is_verified(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    await (await instance.new_browser()).enter("sign-up", "octo@example.org")
    identity_provider.be({**OCTO, "email_verified": False})
    assert failure(await come_in(await instance.new_browser(), "githost")) == "LINK_NEEDS_PASSWORD"


async def test_what_the_service_refuses_is_told(
    browser: Browser, identity_provider: IdentityProviderServer
) -> None:
    identity_provider.be(OCTO, status={"/api/v3/user": 401})
    assert failure(await come_in(browser, "githost")) == "PROVIDER_ANSWER_INVALID"
    identity_provider.be(OCTO, status={"/login/oauth/access_token": 503})
    assert failure(await come_in(browser, "githost")) == "PROVIDER_UNREACHABLE"
    identity_provider.be(OCTO)
    path = await agree(await leave(browser, "githost"))
    forged = path.replace("code=", "code=x")
    assert failure(await browser.get(forged)) == "PROVIDER_ANSWER_INVALID"
    assert await email_of(browser) is None
