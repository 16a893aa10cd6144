"""Every variable accepts what it should and refuses the rest, in the one report that all commands use."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from specification.cases import CASES, FILES, PASSWORD, SEED

from app_server.settings import read_settings
from shared.configuration.declaration import VARIABLES, variables_of
from shared.configuration.names import notices
from shared.configuration.problem import ConfigurationError
from shared.configuration.reader import read_values
from shared.configuration.variable import Scope
from shared.configuration.worker_settings import read_worker_settings

MINIMAL = {"BASE_URL": "http://localhost:3003", "AUTH_SECRET": "a-random-text-of-some-length"}
STANDALONE = {
    "COMPUTE_WORKER_TOKEN": "worker-token-0123456789",
    "COMPUTE_CREDENTIAL_BROKER_TOKEN": "broker-token-0123456789",
    "COMPUTE_CREDENTIAL_BROKER_URL": "https://reader.example.org/api/internal/compute/tts-credentials",
    "TTS_PLAYBACK_TOKEN_SECRET": "playback-secret-0123456789",
    "BROKER_URL": "nats://token-of-the-broker@broker:4222",
    "S3_ACCESS_KEY_ID": "access",
    "S3_SECRET_ACCESS_KEY": "secret",
    "S3_BUCKET": "books",
    "S3_REGION": "eu-central-1",
}
STANDALONE_PARTNER = {
    "COMPUTE_WORKER_PUBLIC_URL": "https://worker.example.org",
    **{name: STANDALONE[name] for name in (
        "COMPUTE_WORKER_TOKEN", "COMPUTE_CREDENTIAL_BROKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET",
        "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY",
    )},
}  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> str:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return str(tmp_path)


def filled(text: str, files: str) -> str:
    return text.replace("{files}", files)


def scope_of(name: str) -> Scope:
    is_apps = any(variable.name == name for variable in variables_of(Scope.APP))
    return Scope.APP if is_apps else Scope.WORKER


def value_of(name: str, mapping: Mapping[str, str], scope: Scope) -> str | None:
    """Raises ConfigurationError."""
    if scope is Scope.APP:
        read_settings(mapping)
    else:
        read_worker_settings(mapping)
    values, _ = read_values(mapping, scope)
    (variable,) = [variable for variable in variables_of(scope) if variable.name == name]
    match values.get(variable):
        case None:
            return None
        case bool() as truth:
            return str(truth).lower()
        case tuple() as parts:
            return " ".join(str(part) for part in parts)
        case value:
            return str(value)


def environment_for(name: str) -> dict[str, str]:
    base = MINIMAL if scope_of(name) is Scope.APP else STANDALONE
    partner = STANDALONE_PARTNER if name == "COMPUTE_WORKER_URL" else {}
    return {**base, **partner, **CASES[name].context}


def _texts(kind: str) -> list[tuple[str, str]]:
    return [(name, text) for name, case in CASES.items() for text in getattr(case, kind)]


def test_every_variable_has_a_case_for_and_against() -> None:
    assert set(CASES) == {variable.name for variable in VARIABLES}
    for name, case in CASES.items():
        assert case.accepted, name
        assert case.refused or case.without_effect, name


@pytest.mark.parametrize(("name", "text"), _texts("accepted"))
def test_a_valid_text_is_accepted(name: str, text: str, files: str) -> None:
    expected = CASES[name].accepted[text]
    found = value_of(name, environment_for(name) | {name: filled(text, files)}, scope_of(name))
    assert found == (filled(expected, files) if expected else expected)


@pytest.mark.parametrize(("name", "text"), _texts("refused"))
def test_a_text_that_is_not_valid_is_refused_by_the_variables_name(name: str, text: str, files: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        value_of(name, environment_for(name) | {name: filled(text, files)}, scope_of(name))
    assert {problem.name for problem in caught.value.problems} == {name}
    for problem in caught.value.problems:
        assert problem.remedy


@pytest.mark.parametrize(("name", "text"), _texts("without_effect"))
def test_a_text_without_effect_is_noticed(name: str, text: str) -> None:
    given = environment_for(name) | {name: text}
    assert value_of(name, given, scope_of(name)) == CASES[name].without_effect[text]
    assert [notice.name for notice in notices(given)] == [name]


@pytest.mark.parametrize("variable", [v for v in VARIABLES if v.secret], ids=lambda variable: variable.name)
def test_no_fault_of_a_secret_shows_it(variable) -> None:
    text = "hunter2 `$(x)`\thunter2"
    scope = scope_of(variable.name)
    with pytest.raises(ConfigurationError) as caught:
        value_of(variable.name, environment_for(variable.name) | {variable.name: text[:15]}, scope)
    assert "hunter2" not in caught.value.message


def test_two_sources_of_the_first_password_are_a_fault(files: str) -> None:
    given = MINIMAL | {
        "BOOTSTRAP_ADMIN_EMAIL": "admin@example.org",
        "BOOTSTRAP_ADMIN_PASSWORD": PASSWORD,
        "BOOTSTRAP_ADMIN_PASSWORD_FILE": f"{files}/password",
    }
    with pytest.raises(ConfigurationError, match="BOOTSTRAP_ADMIN_PASSWORD_FILE is set beside") as caught:
        read_settings(given)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("name", ["BOOTSTRAP_ADMIN_EMAIL", "BOOTSTRAP_ADMIN_PASSWORD"])
def test_half_of_a_first_administrator_is_a_fault(name: str) -> None:
    given = {"BOOTSTRAP_ADMIN_EMAIL": "admin@example.org", "BOOTSTRAP_ADMIN_PASSWORD": PASSWORD}
    del given[name]
    with pytest.raises(ConfigurationError, match=f"{name} is required") as caught:
        read_settings(MINIMAL | given)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_one_newline_at_the_end_of_the_password_file_is_removed(tmp_path: Path, ending: str) -> None:
    (tmp_path / "password").write_bytes(f"{PASSWORD}{ending}".encode())
    given = {
        "BOOTSTRAP_ADMIN_EMAIL": "admin@example.org",
        "BOOTSTRAP_ADMIN_PASSWORD_FILE": str(tmp_path / "password"),
    }
    administrator = read_settings(MINIMAL | given).first_boot.administrator
    assert administrator
    assert administrator.password == PASSWORD


def test_only_one_newline_is_removed(tmp_path: Path) -> None:
    (tmp_path / "password").write_text(f"{PASSWORD}\n\n")
    given = {
        "BOOTSTRAP_ADMIN_EMAIL": "admin@example.org",
        "BOOTSTRAP_ADMIN_PASSWORD_FILE": str(tmp_path / "password"),
    }
    administrator = read_settings(MINIMAL | given).first_boot.administrator
    assert administrator
    assert administrator.password == f"{PASSWORD}\n"


def test_the_seeds_file_comes_before_the_inline_one(files: str) -> None:
    given = {"RUNTIME_SEED_JSON_PATH": f"{files}/seed.json", "RUNTIME_SEED_JSON": "not read at all"}
    seed = read_settings(MINIMAL | given).first_boot.seed
    assert seed
    assert (seed.variable, seed.text) == ("RUNTIME_SEED_JSON_PATH", SEED)


def test_the_brokers_inline_credentials_come_before_the_file(files: str) -> None:
    creds = {"BROKER_CREDS_FILE": f"{files}/user.creds"}
    assert read_worker_settings(STANDALONE | creds).broker.connect_options["user_credentials"] == Path(
        f"{files}/user.creds"
    )
    both = read_worker_settings(STANDALONE | creds | {"BROKER_CREDS": FILES["user.creds"]}).broker
    assert str(both.connect_options["user_credentials"]) == FILES["user.creds"].strip()


def test_the_embedded_broker_is_not_given_credentials_of_another() -> None:
    settings = read_settings(MINIMAL | {"BROKER_CREDS": FILES["user.creds"]})
    assert settings.embedded.worker
    assert settings.embedded.worker.settings.broker.creds is None


@pytest.mark.parametrize(
    "platform", ["VERCEL", "AWS_LAMBDA_FUNCTION_NAME", "K_SERVICE", "FUNCTIONS_WORKER_RUNTIME"]
)
def test_serverless_hosting_cannot_proxy_and_needs_its_schedulers_secret(platform: str) -> None:
    given = MINIMAL | {platform: "1", "S3_BROWSER_TRANSPORT": "proxy"}
    with pytest.raises(ConfigurationError) as caught:
        read_settings(given)
    assert {problem.name for problem in caught.value.problems} == {"S3_BROWSER_TRANSPORT", "CRON_SECRET"}
    with pytest.raises(ConfigurationError, match="S3_PUBLIC_ENDPOINT is required on serverless"):
        read_settings(MINIMAL | {platform: "1"})
    fitting = {"CRON_SECRET": "c" * 32, "S3_PUBLIC_ENDPOINT": "https://objects.example.org"}
    assert read_settings(MINIMAL | {platform: "1"} | fitting).browser_transport.is_presigned


def test_auto_presigns_when_there_is_a_public_endpoint() -> None:
    auto = read_settings(MINIMAL).browser_transport
    assert not auto.is_presigned
    public = {"S3_PUBLIC_ENDPOINT": "https://objects.example.org"}
    presigned = read_settings(MINIMAL | public).browser_transport
    assert (presigned.is_presigned, presigned.endpoint) == (True, "https://objects.example.org")
    proxied = read_settings(MINIMAL | public | {"S3_BROWSER_TRANSPORT": "proxy"}).browser_transport
    assert not proxied.is_presigned


def test_presigned_addresses_name_the_advertised_host() -> None:
    given = {"S3_BROWSER_TRANSPORT": "presigned", "OBJSTORE_BIND_HOST": "0.0.0.0", "OBJSTORE_PORT": "9999"}
    named = read_settings(MINIMAL | given | {"OBJSTORE_ADVERTISE_HOST": "store.lan"})
    assert named.browser_transport.endpoint == "http://store.lan:9999"
    assert named.storage.endpoint == "http://127.0.0.1:9999"
    detected = read_settings(MINIMAL | given).browser_transport.endpoint
    assert detected
    assert "0.0.0.0" not in detected


def test_an_external_store_behind_an_endpoint_needs_a_public_one_to_presign() -> None:
    given = MINIMAL | CASES["USE_EMBEDDED_OBJSTORE"].context | {"S3_BROWSER_TRANSPORT": "presigned"}
    with pytest.raises(ConfigurationError, match="S3_PUBLIC_ENDPOINT is required"):
        read_settings(given)


def test_one_user_without_sign_in_stays_on_this_machine() -> None:
    with pytest.raises(ConfigurationError, match="AUTH_MODE is 'single-user' while APP_HOST is"):
        read_settings(MINIMAL | {"AUTH_MODE": "single-user", "APP_HOST": "0.0.0.0"})


@pytest.mark.parametrize("missing", ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_DISCOVERY_URL"])
def test_oidc_needs_all_three(missing: str) -> None:
    given = {
        "OIDC_CLIENT_ID": "lectern",
        "OIDC_CLIENT_SECRET": "oidc-secret",
        "OIDC_DISCOVERY_URL": "https://id.example.org/.well-known/openid-configuration",
    }
    assert read_settings(MINIMAL | given).sign_in.oidc
    del given[missing]
    assert read_settings(MINIMAL | given).sign_in.oidc is None


def test_the_git_host_needs_both() -> None:
    both = {"GITHOST_CLIENT_ID": "lectern", "GITHOST_CLIENT_SECRET": "git-secret"}
    assert read_settings(MINIMAL | both).sign_in.githost
    assert read_settings(MINIMAL | {"GITHOST_CLIENT_ID": "lectern"}).sign_in.githost is None


@pytest.mark.parametrize(
    ("given", "stale_ms"),
    [
        ({}, 1_800_000),
        ({"COMPUTE_PDF_TIMEOUT_MS": "450000"}, 1_800_000),
        ({"COMPUTE_PDF_TIMEOUT_MS": "450001"}, 1_800_004),
        ({"COMPUTE_ALIGN_TIMEOUT_MS": "1000000"}, 4_000_000),
        ({"COMPUTE_TTS_PLAYBACK_SEGMENT_TIMEOUT_MS": "1000000"}, 4_000_000),
        ({"COMPUTE_PDF_TIMEOUT_MS": "900000", "COMPUTE_OP_STALE_MS": "5"}, 5),
    ],
)
def test_the_stale_window_follows_the_longest_timeout(given: dict[str, str], stale_ms: int) -> None:
    assert read_worker_settings(STANDALONE | given).broker.stale_ms == stale_ms


def test_the_segment_timeout_follows_that_of_alignment() -> None:
    settings = read_worker_settings(STANDALONE | {"COMPUTE_ALIGN_TIMEOUT_MS": "777"})
    assert settings.work.segment_timeout_ms == 777


def test_every_secret_that_is_given_is_masked(files: str) -> None:
    given = {
        "API_KEY": "sk-provider-key",
        "CRON_SECRET": "cron-secret-0123456789",
        "OIDC_CLIENT_SECRET": "oidc-secret",
        "GITHOST_CLIENT_SECRET": "git-secret",
        "SERVER_DB_URL": "postgresql://u:pw-of-database@host/lectern",
        "BOOTSTRAP_ADMIN_EMAIL": "admin@example.org",
        "BOOTSTRAP_ADMIN_PASSWORD_FILE": f"{files}/password",
        "RUNTIME_SEED_JSON": '{"version": 1, "providers": [{"slug": "a", "displayName": "A", '
        '"providerType": "openai", "apiKey": "sk-in-the-seed"}]}',
    }
    settings = read_settings(MINIMAL | given)
    assert settings.secrets >= {
        "sk-provider-key", "cron-secret-0123456789", "oidc-secret", "git-secret", "pw-of-database", PASSWORD,
        "sk-in-the-seed", MINIMAL["AUTH_SECRET"],
    }  # fmt: skip
    assert not [secret for secret in settings.secrets if secret in repr(settings)]
