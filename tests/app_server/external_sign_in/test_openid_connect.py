"""Signing in at a real OpenID provider, with all that can be wrong with it."""

import asyncio
from typing import Any
from urllib.parse import quote

from app_fixtures.browser import Browser, Instance
from app_fixtures.sign_in import agree, come_in, email_of, failure, leave

from servers.identity_provider.process import ADA, IdentityProviderServer
from shared.configuration.app_settings import AppSettings, read_app_settings

_BAD_TOKENS: list[dict[str, Any]] = [
    {"claims": {"iss": "https://elsewhere.example"}},
    {"claims": {"aud": "another client"}},
    {"claims": {"aud": ["lectern-client", "another client"]}},
    {"claims": {"aud": ["lectern-client", "another"], "azp": "another"}},
    {"claims": {"azp": "another client"}},
    {"claims": {"nonce": "another"}},
    {"claims": {"sub": ""}},
    {"claims": {"sub": 7}},
    {"claims": {"exp": "soon"}},
    {"drop": ["nonce"]},
    {"drop": ["exp"]},
    {"drop": ["iat"]},
    {"drop": ["sub"]},
    {"drop": ["aud"]},
    {"seconds": {"exp": -61}},
    {"seconds": {"iat": 90}},
    {"seconds": {"nbf": 90}},
    {"header": {"alg": "none"}},
    {"header": {"alg": "HS256"}},
    {"header": {"kid": "a key that nobody has"}},
    {"iss": "https://elsewhere.example"},
]
_BAD_DOCUMENTS: list[dict[str, Any]] = [
    {"issuer": "https://elsewhere.example"},
    {"issuer": None},
    {"authorization_endpoint": "http://id.example.org/authorize"},
    {"token_endpoint": "ftp://localhost/token"},
    {"jwks_uri": "http://169.254.169.254/keys"},
    {"userinfo_endpoint": "http://id.example.org/me"},
    {"token_endpoint": None},
]


async def test_a_first_sign_in_makes_an_account_and_the_next_one_opens_it(instance: Instance) -> None:
    first, second = await instance.new_browser(), await instance.new_browser()
    answer = await come_in(first, next="/read/abc")
    assert (answer.status, answer.headers["Location"]) == (303, "/read/abc")
    await come_in(second)
    users = [(await browser.get("/api/auth/session")).json["user"] for browser in (first, second)]
    assert users[0]["id"] == users[1]["id"]
    assert users[0]["email"] == "ada@example.org"


async def test_the_account_stays_when_the_address_at_the_provider_changes(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    first, second = await instance.new_browser(), await instance.new_browser()
    await come_in(first)
    identity_provider.be({**ADA, "email": "lovelace@example.org"})
    await come_in(second)
    assert await email_of(second) == "ada@example.org"


async def test_what_is_asked_of_the_provider(browser: Browser) -> None:
    query = (await leave(browser)).query
    assert query["response_type"] == "code"
    assert query["scope"] == "openid profile email"
    assert query["redirect_uri"] == "http://localhost:3003/api/auth/callback/oidc"
    assert query["code_challenge_method"] == "S256"
    other = (await leave(browser)).query
    for name in ("state", "nonce", "code_challenge"):
        assert len(query[name]) >= 43
        assert query[name] != other[name]


async def test_keys_may_change_at_any_time(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    await come_in(await instance.new_browser())
    for _ in range(2):
        identity_provider.be(rotate=True)
        browser = await instance.new_browser()
        assert (await come_in(browser)).headers["Location"] == "/app"
        assert await email_of(browser) == "ada@example.org"


async def test_a_token_that_is_not_right_opens_nothing(
    browser: Browser, identity_provider: IdentityProviderServer
) -> None:
    for faults in _BAD_TOKENS:
        identity_provider.be(**faults)
        assert failure(await come_in(browser)) == "PROVIDER_ANSWER_INVALID", faults
        assert await email_of(browser) is None
    identity_provider.be()
    assert (await come_in(browser)).headers["Location"] == "/app"


async def test_clocks_may_differ_by_less_than_a_minute(
    browser: Browser, identity_provider: IdentityProviderServer
) -> None:
    for seconds in ({"exp": -50}, {"iat": 50}, {"nbf": 50}):
        identity_provider.be(seconds=seconds)
        assert (await come_in(browser)).headers["Location"] == "/app", seconds


async def test_a_state_is_good_once(browser: Browser) -> None:
    path = await agree(await leave(browser))
    assert (await browser.get(path)).headers["Location"] == "/app"
    await browser.post("/api/auth/sign-out")
    assert failure(await browser.get(path)) == "SIGN_IN_EXPIRED"
    assert await email_of(browser) is None


async def test_a_state_is_good_once_for_answers_at_the_same_moment(browser: Browser) -> None:
    path = await agree(await leave(browser))
    answers = await asyncio.gather(*(browser.get(path) for _ in range(4)))
    assert sorted(answer.headers["Location"].partition("?")[0] for answer in answers) == [
        "/app",
        "/signin",
        "/signin",
        "/signin",
    ]


async def test_a_state_is_good_for_ten_minutes(browser: Browser, clock: Any) -> None:
    path = await agree(await leave(browser))
    clock.turn(seconds=601)
    assert failure(await browser.get(path)) == "SIGN_IN_EXPIRED"


async def test_a_state_is_good_in_the_browser_that_left_only(instance: Instance) -> None:
    """Else somebody could have others sign in to an account of theirs."""
    attacker, victim = await instance.new_browser(), await instance.new_browser()
    path = await agree(await leave(attacker))
    await leave(victim)
    assert failure(await victim.get(path)) == "SIGN_IN_EXPIRED"
    assert await email_of(victim) is None


async def test_a_state_that_was_never_given_out_there_opens_nothing(browser: Browser) -> None:
    for query in ("?code=x&state=made-up", "?code=x", "", "?state=%00&code=%F0"):
        assert failure(await browser.get(f"/api/auth/callback/oidc{query}")) == "SIGN_IN_EXPIRED"
    # Nor one that was given out for another provider.
    path = await agree(await leave(browser))
    assert failure(await browser.get(path.replace("/oidc?", "/githost?"))) == "SIGN_IN_EXPIRED"


async def test_a_token_with_the_nonce_of_an_earlier_sign_in_is_refused(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    await come_in(await instance.new_browser())
    identity_provider.be(nonce_of_first=True)
    browser = await instance.new_browser()
    assert failure(await come_in(browser)) == "PROVIDER_ANSWER_INVALID"


async def test_two_tabs_may_leave_at_the_same_time(browser: Browser) -> None:
    first, second = await leave(browser), await leave(browser)
    for url in (first, second):
        assert (await browser.get(await agree(url))).headers["Location"] == "/app"


async def test_a_provider_that_cannot_be_reached_is_told_on_the_sign_in_page(
    instance: Instance, identity_provider: IdentityProviderServer
) -> None:
    browser = await instance.new_browser()
    identity_provider.be(status={"/.well-known/openid-configuration": 503})
    answer = await browser.post("/api/auth/external/oidc", {})
    assert (answer.status, answer.code) == (503, "PROVIDER_UNREACHABLE")
    assert "Our school" in answer.json["detail"]
    identity_provider.be(status={"/token": 502})
    assert failure(await come_in(browser)) == "PROVIDER_UNREACHABLE"
    identity_provider.be(status={"/token": 400})
    assert failure(await come_in(browser)) == "PROVIDER_ANSWER_INVALID"
    identity_provider.be()
    assert (await come_in(browser)).headers["Location"] == "/app"


async def test_a_refusal_is_told_on_the_sign_in_page(
    browser: Browser, identity_provider: IdentityProviderServer
) -> None:
    for error, shown in {"access_denied": "SIGN_IN_CANCELLED", "server_error": "PROVIDER_REFUSED"}.items():
        identity_provider.be(error=error)
        answer = await come_in(browser, next="/read/abc")
        assert failure(answer) == shown
        assert "next=%2Fread%2Fabc" in answer.headers["Location"]


async def test_a_provider_that_describes_itself_wrongly_is_not_used(
    browser: Browser, identity_provider: IdentityProviderServer
) -> None:
    for document in _BAD_DOCUMENTS:
        identity_provider.be(discovery=document)
        answer = await browser.post("/api/auth/external/oidc", {})
        assert answer.code == "PROVIDER_ANSWER_INVALID", document


async def test_the_secret_goes_the_way_that_the_provider_supports(
    browser: Browser, identity_provider: IdentityProviderServer
) -> None:
    identity_provider.be(discovery={"token_endpoint_auth_methods_supported": ["client_secret_post"]})
    assert (await come_in(browser)).headers["Location"] == "/app"


async def test_the_address_may_come_from_the_user_info_and_must_come_from_somewhere(
    browser: Browser, identity_provider: IdentityProviderServer
) -> None:
    identity_provider.be(drop=["email", "email_verified"])
    await come_in(browser)
    assert await email_of(browser) == "ada@example.org"
    identity_provider.be({**ADA, "sub": "nameless", "email": ""})
    assert failure(await come_in(browser)) == "EMAIL_MISSING"


async def test_nobody_is_led_away_from_here(browser: Browser) -> None:
    for following in (
        "//evil.example",
        "https://evil.example",
        "/app/\\evil",
        "/api/x",
        "/read/\n",
        "/apple",
    ):
        assert (await come_in(browser, next=following)).headers["Location"] == "/app"


async def test_the_sign_in_page_knows_the_buttons_and_no_secret(
    browser: Browser, settings: AppSettings
) -> None:
    answer = await browser.get("/api/auth/session")
    assert answer.json["signIn"] == {
        "mode": "accounts",
        "policy": "open",
        "guests": False,
        "sendsEmail": False,
        "providers": [{"id": "githost", "name": "localhost"}, {"id": "oidc", "name": "Our school"}],
    }
    assert settings.sign_in.oidc
    assert settings.sign_in.oidc.client.client_secret.encode() not in answer.body
    answer = await browser.post("/api/auth/external/another", {})
    assert (answer.status, answer.code) == (404, "PROVIDER_NOT_FOUND")


async def test_on_https_the_flows_cookie_is_tied_to_this_host(
    environment: dict[str, str], identity_provider: IdentityProviderServer, new_instance_with: Any
) -> None:
    base_url = "https://reading.example.org"
    variables = {**environment, **identity_provider.oidc_variables, "BASE_URL": base_url}
    async with new_instance_with(read_app_settings(variables)) as instance:
        browser = await instance.new_browser()
        browser.origin = base_url
        answer = await browser.post("/api/auth/external/oidc", {})
        cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith("__Host-lectern_sign_in=")
        for part in ("HttpOnly", "Secure", "SameSite=Lax", "Path=/"):
            assert part in cookie
        assert f"redirect_uri={quote(base_url, safe='')}%2Fapi" in answer.json["url"]
