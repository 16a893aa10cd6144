"""Part 5.1 of the specification, sentence by sentence."""

import base64
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from app_fixtures.browser import PASSWORD, Browser, Instance
from app_fixtures.sign_in import come_in, leave

from app_server.secrets.sealing import Place, SealBrokenError, SecretSealer
from app_server.settings import read_settings
from servers.identity_provider.process import OCTO, IdentityProviderServer
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.configuration.problem import ConfigurationError
from shared.configuration.worker_settings import read_worker_settings

InstancesWith = Callable[[AppSettings], AbstractAsyncContextManager[Instance]]


def without(environment: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in names}


# 1. BASE_URL
def test_5_1_1_base_url_is_required_at_startup(environment: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="BASE_URL is required"):
        read_settings(without(environment, "BASE_URL"))


async def test_5_1_1_the_origin_of_base_url_is_trusted_automatically(browser: Browser) -> None:
    browser.origin = "http://localhost:3003"
    assert (await browser.enter("sign-up", "ada@example.org")).status == 201


# 2. AUTH_TRUSTED_ORIGINS
async def test_5_1_2_further_origins_are_trusted_and_none_is_by_default(
    environment: dict[str, str], new_instance_with: InstancesWith
) -> None:
    assert read_app_settings(environment).trusted_origins == {"http://localhost:3003"}
    more = {**environment, "AUTH_TRUSTED_ORIGINS": "https://reading.example.org, http://nas.lan:8080"}
    for variables, status in ((environment, 403), (more, 201)):
        async with new_instance_with(read_app_settings(variables)) as instance:
            for number, origin in enumerate(("https://reading.example.org", "http://nas.lan:8080")):
                browser = await instance.new_browser()
                browser.origin = origin
                assert (await browser.enter("sign-up", f"{number}@example.org")).status == status


# 3. AUTH_SECRET
def test_5_1_3_auth_secret_is_required_at_startup(environment: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="AUTH_SECRET is required"):
        read_settings(without(environment, "AUTH_SECRET"))


@pytest.mark.parametrize(
    "place", [Place("providers", "api_key", "1"), Place("account_email", "api_key", "d")]
)
def test_5_1_3_auth_secret_encrypts_provider_keys_and_the_email_key(place: Place) -> None:
    sealed = SecretSealer(auth_secret="a secret of the instance").seal("sk-key", place)
    assert "sk-key" not in sealed
    assert SecretSealer(auth_secret="a secret of the instance").open(sealed, place) == "sk-key"
    with pytest.raises(SealBrokenError):
        SecretSealer(auth_secret="another secret of one").open(sealed, place)


def test_5_1_3_a_standalone_worker_must_never_receive_auth_secret() -> None:
    with pytest.raises(ConfigurationError, match="AUTH_SECRET"):
        read_worker_settings({"AUTH_SECRET": secrets.token_urlsafe(32)})


def test_5_1_3_changing_auth_secret_changes_a_derived_playback_secret() -> None:
    def derived(auth_secret: str) -> str:
        variables = {"BASE_URL": "http://localhost:3003", "AUTH_SECRET": auth_secret}
        return read_app_settings(variables).worker.playback_token_secret

    first, second = (base64.b64encode(bytes([number] * 32)).decode() for number in (1, 2))
    assert derived(first) == derived(first) != derived(second)


# 4. USE_ANONYMOUS_AUTH_SESSIONS
async def test_5_1_4_anonymous_sessions_are_made_and_used_only_when_the_variable_says_so(
    environment: dict[str, str], new_instance_with: InstancesWith
) -> None:
    for value, status in ((None, 403), ("true", 201)):
        variables = environment if value is None else {**environment, "USE_ANONYMOUS_AUTH_SESSIONS": value}
        async with new_instance_with(read_app_settings(variables)) as instance:
            browser = await instance.new_browser()
            assert (await browser.post("/api/auth/guest")).status == status
            assert (await browser.get("/api/documents")).status == (200 if status == 201 else 401)


# 5. GITHOST_CLIENT_ID, GITHOST_CLIENT_SECRET
async def test_5_1_5_the_git_hosting_sign_in_works_when_both_variables_are_set(
    environment: dict[str, str], identity_provider: IdentityProviderServer, new_instance_with: InstancesWith
) -> None:
    identity_provider.be(OCTO)
    complete = {**environment, **identity_provider.githost_variables}
    for missing in ("GITHOST_CLIENT_ID", "GITHOST_CLIENT_SECRET"):
        assert read_app_settings(without(complete, missing)).sign_in.githost is None
    async with new_instance_with(read_app_settings(complete)) as instance:
        browser = await instance.new_browser()
        assert (await come_in(browser, "githost")).headers["Location"] == "/app"
    async with new_instance_with(read_app_settings(without(complete, "GITHOST_CLIENT_SECRET"))) as instance:
        browser = await instance.new_browser()
        assert (await browser.post("/api/auth/external/githost", {})).status == 404


# 6. OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_DISCOVERY_URL; _PROVIDER_ID, _PROVIDER_NAME, _SCOPES
def test_5_1_6_generic_oidc_is_enabled_when_all_three_are_set(
    environment: dict[str, str], identity_provider: IdentityProviderServer
) -> None:
    complete = {**environment, **identity_provider.oidc_variables}
    assert read_app_settings(complete).sign_in.oidc is not None
    for missing in identity_provider.oidc_variables:
        assert read_app_settings(without(complete, missing)).sign_in.oidc is None


@pytest.mark.parametrize("host", ["id.example.org", "192.168.0.7", "localhost.example.org", "[::1]"])
def test_5_1_6_http_discovery_is_for_localhost_and_127_0_0_1_only(
    environment: dict[str, str], identity_provider: IdentityProviderServer, host: str
) -> None:
    complete = {**environment, **identity_provider.oidc_variables}
    path = "/.well-known/openid-configuration"
    with pytest.raises(ConfigurationError, match="OIDC_DISCOVERY_URL"):
        read_settings({**complete, "OIDC_DISCOVERY_URL": f"http://{host}{path}"})
    for fine in (f"https://{host}", "http://localhost:9000", "http://127.0.0.1"):
        assert read_settings({**complete, "OIDC_DISCOVERY_URL": f"{fine}{path}"}).sign_in.oidc


async def test_5_1_6_the_provider_id_forms_the_callback_and_the_name_stands_on_the_button(
    environment: dict[str, str],
    identity_provider: IdentityProviderServer,
    new_instance_with: InstancesWith,
    clock,
) -> None:
    clock.ms = time.time_ns() // 1_000_000  # the provider's
    defaults = {**environment, **identity_provider.oidc_variables}
    chosen = {
        **defaults,
        "OIDC_PROVIDER_ID": "our_school-1",
        "OIDC_PROVIDER_NAME": "Our school",
        "OIDC_SCOPES": "openid,email groups",
    }
    for variables, identifier, name, scopes in (
        (defaults, "oidc", "SSO", "openid profile email"),
        (chosen, "our_school-1", "Our school", "openid email groups"),
    ):
        async with new_instance_with(read_app_settings(variables)) as instance:
            browser = await instance.new_browser()
            shown = (await browser.get("/api/auth/session")).json["signIn"]["providers"]
            assert shown == [{"id": identifier, "name": name}]
            query = (await leave(browser, identifier)).query
            assert query["redirect_uri"] == f"http://localhost:3003/api/auth/callback/{identifier}"
            assert query["scope"] == scopes
            assert (await come_in(browser, identifier)).headers["Location"] == "/app"


# 7. DISABLE_AUTH_RATE_LIMIT
async def test_5_1_7_rate_limiting_is_on_unless_it_is_disabled(
    environment: dict[str, str], new_instance_with: InstancesWith
) -> None:
    for value, last in ((None, 429), ("true", 401)):
        variables = environment if value is None else {**environment, "DISABLE_AUTH_RATE_LIMIT": value}
        async with new_instance_with(read_app_settings(variables)) as instance:
            browser = await instance.new_browser()
            email = f"{value}@example.org"
            answers = [await browser.enter("sign-in", email, "wrong wrong") for _ in range(6)]
            assert [answer.status for answer in answers] == [401] * 5 + [last]


# 8. HOSTED_PRODUCTION
@pytest.mark.parametrize(
    ("value", "is_official"), [("true", True), (None, False), ("TRUE", False), ("1", False)]
)
async def test_5_1_8_only_the_exact_true_brings_badge_privacy_notice_and_the_gate(
    environment: dict[str, str],
    new_instance_with: InstancesWith,
    value: str | None,
    is_official: bool,
) -> None:
    variables = {**environment, "TRUSTED_PROXIES": "127.0.0.1"}
    if value is not None:
        variables["HOSTED_PRODUCTION"] = value
    async with new_instance_with(read_app_settings(variables)) as instance:
        browser = await instance.new_browser()
        at_home = await browser.get("/signin", headers={"CF-IPCountry": "US"})
        assert (at_home.status, b"Official instance" in at_home.body) == (200, is_official)
        assert (await browser.get("/privacy")).status == (200 if is_official else 404)
        abroad = await browser.get("/signin", headers={"CF-IPCountry": "DE"})
        assert abroad.status == (451 if is_official else 200)


# 9. Not shown by the specification; decided in the design.
async def test_5_1_9_auth_is_switched_off_by_a_mode_of_our_own(
    environment: dict[str, str], new_instance_with: InstancesWith
) -> None:
    assert read_app_settings(environment).sign_in.mode == "accounts"
    async with new_instance_with(read_app_settings({**environment, "AUTH_MODE": "single-user"})) as instance:
        browser = await instance.new_browser()
        here = {"Host": "localhost:3003"}
        assert (await browser.get("/api/documents", headers=here)).status == 200
        body = {"email": "ada@example.org", "password": PASSWORD}
        assert (await browser.post("/api/auth/sign-up", body, headers=here)).code == "NO_SIGN_IN_HERE"


async def test_5_1_9_sessions_are_cookies_that_only_this_server_reads(browser: Browser) -> None:
    cookie = (await browser.enter("sign-up", "ada@example.org")).headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=Lax", "Max-Age=604800", "Path=/"):
        assert part in cookie
