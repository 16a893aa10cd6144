"""What the app accepts and refuses, variable by variable, and what it works out by itself."""

import dataclasses

import pytest

from shared.configuration.app_settings import read_app_settings
from shared.configuration.problem import ConfigurationError

SECRET = "a-random-text-of-some-length"
MINIMAL = {"BASE_URL": "http://localhost:3003", "AUTH_SECRET": SECRET}
STANDALONE_WORKER = {
    "COMPUTE_WORKER_URL": "http://worker:8081",
    "COMPUTE_WORKER_PUBLIC_URL": "https://worker.example.org",
    "COMPUTE_WORKER_TOKEN": "worker-token-0123456789",
    "COMPUTE_CREDENTIAL_BROKER_TOKEN": "broker-token-0123456789",
    "TTS_PLAYBACK_TOKEN_SECRET": "playback-secret-0123456789",
    "S3_ACCESS_KEY_ID": "access",
    "S3_SECRET_ACCESS_KEY": "secret",
}


def problems_of(**variables: str) -> dict[str, str]:
    with pytest.raises(ConfigurationError) as caught:
        read_app_settings(MINIMAL | variables)
    return {problem.name: str(problem) for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("BASE_URL", "localhost:3003"),
        ("BASE_URL", "ftp://localhost"),
        ("BASE_URL", "http://localhost:3003/lectern"),
        ("BASE_URL", "http://user@localhost"),
        ("AUTH_SECRET", "short"),
        ("AUTH_SECRET", "$(openssl rand -base64 32)"),
        ("AUTH_TRUSTED_ORIGINS", "https://a.example, b.example"),
        ("LOG_FORMAT", "xml"),
        ("LOG_LEVEL", "loud"),
        ("COMPUTE_LOG_LEVEL", "loud"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "3003.5"),
        ("PORT", "²"),
        ("APP_HOST", "example.org"),
        ("RUN_DB_MIGRATIONS", "maybe"),
        ("DISABLE_AUTH_RATE_LIMIT", "2"),
        ("SERVER_DB_URL", "mysql://host/lectern"),
        ("SERVER_DB_URL", "postgresql://host"),
        ("API_BASE", "localhost:8880"),
        ("API_BASE", "http://user:key@host/v1"),
        ("USE_EMBEDDED_OBJSTORE", "embedded"),
        ("OBJSTORE_WAIT_SEC", "20s"),
        ("OBJSTORE_WAIT_SEC", "0"),
        ("S3_BUCKET", "Up"),
        ("S3_PREFIX", "../other"),
        ("S3_INTERNAL_ENDPOINT", "minio:9000"),
        ("BROKER_URL", "http://broker:4222"),
        ("COMPUTE_WORKER_GRPC_URL", "http://worker:8082"),
        ("COMPUTE_WORKER_PUBLIC_URL", "worker.example.org"),
        ("COMPUTE_PDF_TIMEOUT_MS", "5 minutes"),
        ("COMPUTE_JOBS_STREAM_MAX_BYTES", "-1"),
        ("COMPUTE_WORKER_TOKEN", "short"),
        ("MEDIA_BIN", "/nowhere/ffmpeg"),
    ],
)
def test_a_value_that_is_not_valid_is_refused_by_its_variables_name(name, text):
    assert set(problems_of(**{name: text})) == {name}


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("BASE_URL", "HTTP://LocalHost:3003/", "base_url", "http://localhost:3003"),
        ("BASE_URL", "http://localhost:80", "base_url", "http://localhost"),
        ("PORT", " 8080 ", "port", 8080),
        ("APP_HOST", "0.0.0.0", "host", "0.0.0.0"),
        ("APP_HOST", "[::1]", "host", "::1"),
        ("LOG_FORMAT", "JSON", "log.format", "json"),
        ("RUN_DB_MIGRATIONS", "FALSE", "database.run_migrations", False),
        ("RUN_DB_MIGRATIONS", "", "database.run_migrations", True),
        ("DISABLE_AUTH_RATE_LIMIT", "true", "has_auth_rate_limit", False),
        ("API_BASE", "http://localhost:8880/v1/", "provider_bootstrap.base_url", "http://localhost:8880/v1"),
        ("S3_PREFIX", "/a/b/", "storage.prefix", "a/b"),
        ("OBJSTORE_PORT", "9999", "storage.endpoint", "http://127.0.0.1:9999"),
        ("EMBEDDED_COMPUTE_WORKER_PORT", "9000", "worker.public_url", "http://localhost:9000"),
        ("COMPUTE_WORKER_GRPC_PORT", "9001", "worker.grpc_url", "grpc://127.0.0.1:9001"),
        ("COMPUTE_PDF_TIMEOUT_MS", "900000", "embedded.worker.settings.broker.stale_ms", 3_600_000),
        ("COMPUTE_BROKER_REPLICAS", "4", "embedded.worker.settings.broker.replicas", 1),
        ("COMPUTE_BROKER_REPLICAS", "3", "embedded.worker.settings.broker.replicas", 3),
    ],
)
def test_a_valid_value_is_cast(name, text, field, value):
    found = read_app_settings(MINIMAL | {name: text})
    for part in field.split("."):
        found = getattr(found, part)
    assert found == value


def test_all_problems_are_reported_at_once():
    with pytest.raises(ConfigurationError) as caught:
        read_app_settings({"PORT": "x", "LOG_FORMAT": "xml", "COMPUTE_OP_STALE_MS": "long"})
    names = {problem.name for problem in caught.value.problems}
    assert names == {"BASE_URL", "AUTH_SECRET", "PORT", "LOG_FORMAT", "COMPUTE_OP_STALE_MS"}


def test_a_problem_says_what_to_write_instead():
    assert "for example" in problems_of(BASE_URL="http://localhost/x")["BASE_URL"]
    assert "env files do not run commands" in problems_of(AUTH_SECRET="$(openssl rand 9)")["AUTH_SECRET"]


def test_no_problem_prints_a_secret():
    text = "$(hunter2-hunter2-hunter2)"
    for name in ("AUTH_SECRET", "COMPUTE_WORKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET", "SERVER_DB_URL"):
        assert "hunter2" not in problems_of(**{name: text})[name]
    assert "hunter2" not in problems_of(BROKER_URL="http://user:hunter2@host")["BROKER_URL"]


def test_no_repr_shows_a_secret():
    settings = read_app_settings(
        MINIMAL | {"API_KEY": "sk-provider-key", "API_BASE": "http://localhost:1/v1"}
    )
    shown = repr(settings)
    assert settings.secrets
    assert not [secret for secret in settings.secrets if secret in shown]


def test_embedded_secrets_are_generated_anew_but_the_playback_secret_is_derived():
    first, second = read_app_settings(MINIMAL), read_app_settings(MINIMAL)
    assert first.worker.token != second.worker.token
    assert first.credential_broker.token != first.worker.token
    assert first.storage.secret_key != second.storage.secret_key
    assert first.worker.playback_token_secret == second.worker.playback_token_secret
    other = read_app_settings(MINIMAL | {"AUTH_SECRET": f"{SECRET}2"})
    assert other.worker.playback_token_secret != first.worker.playback_token_secret
    assert SECRET not in first.worker.playback_token_secret


def test_a_playback_secret_that_is_written_wins_over_the_derived_one():
    written = "playback-secret-0123456789"
    settings = read_app_settings(MINIMAL | {"TTS_PLAYBACK_TOKEN_SECRET": written})
    assert settings.worker.playback_token_secret == written
    assert settings.embedded.worker
    assert settings.embedded.worker.settings.playback_token_secret == written


def test_the_embedded_worker_is_told_what_the_app_decided_and_no_app_secret():
    settings = read_app_settings(MINIMAL | {"SERVER_DB_URL": "postgresql://u:pw-of-database@host/lectern"})
    assert settings.embedded.worker
    worker, environment = settings.embedded.worker.settings, settings.embedded.worker.environment
    assert worker.token == settings.worker.token
    assert worker.playback_token_secret == settings.worker.playback_token_secret
    assert worker.credential_broker.url == "grpc://127.0.0.1:3004"
    assert worker.credential_broker.token == settings.credential_broker.token
    assert worker.host == "127.0.0.1"
    assert dataclasses.asdict(worker.storage) == dataclasses.asdict(settings.storage)
    assert worker.broker.urls == ("nats://127.0.0.1:4222",)
    assert worker.broker.user
    assert worker.broker.password
    assert not {"AUTH_SECRET", "SERVER_DB_URL", "BASE_URL", "API_KEY"} & set(environment)
    assert not [text for text in environment.values() if SECRET in text or "pw-of-database" in text]


def test_off_localhost_the_workers_public_address_is_required():
    assert set(problems_of(BASE_URL="https://reader.example.org")) == {"COMPUTE_WORKER_PUBLIC_URL"}
    settings = read_app_settings(
        MINIMAL
        | {"BASE_URL": "https://reader.example.org", "COMPUTE_WORKER_PUBLIC_URL": "https://w.example.org"}
    )
    assert settings.worker.public_url == "https://w.example.org"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_on_localhost_the_worker_has_the_host_name_of_the_page(host):
    settings = read_app_settings(MINIMAL | {"BASE_URL": f"http://{host}:3003"})
    assert settings.worker.public_url == f"http://{host}:8081"


def test_browsers_are_sent_to_a_standalone_worker_where_the_app_finds_it_unless_told_otherwise():
    internal = {name: value for name, value in STANDALONE_WORKER.items() if "PUBLIC" not in name}
    assert read_app_settings(MINIMAL | internal).worker.public_url == "http://worker:8081"
    settings = read_app_settings(MINIMAL | STANDALONE_WORKER)
    assert settings.worker.public_url == "https://worker.example.org"
    assert settings.worker.url == "http://worker:8081"


def test_a_standalone_worker_needs_shared_secrets_and_starts_nothing_but_the_store():
    settings = read_app_settings(MINIMAL | STANDALONE_WORKER)
    assert settings.embedded.worker is None
    assert settings.embedded.broker is None
    assert settings.embedded.object_store
    assert settings.worker.grpc_url is None
    missing = problems_of(COMPUTE_WORKER_URL="http://worker:8081")
    assert set(missing) >= {
        "COMPUTE_WORKER_TOKEN", "COMPUTE_CREDENTIAL_BROKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET",
        "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY",
    }  # fmt: skip


def test_an_external_store_needs_its_keys_bucket_and_region():
    names = {"S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "S3_BUCKET", "S3_REGION"}
    assert set(problems_of(USE_EMBEDDED_OBJSTORE="false")) == names
    settings = read_app_settings(MINIMAL | {"USE_EMBEDDED_OBJSTORE": "false"} | dict.fromkeys(names, "abc"))
    assert settings.storage.endpoint is None
    assert not settings.storage.force_path_style
    assert settings.embedded.object_store is None


def test_an_external_broker_replaces_the_embedded_one_and_its_password_leaves_the_url():
    settings = read_app_settings(
        MINIMAL | {"BROKER_URL": "nats://me:p%40ss-word@a:4222,nats://me:p%40ss-word@b"}
    )
    assert settings.embedded.broker is None
    assert settings.embedded.worker
    broker = settings.embedded.worker.settings.broker
    assert broker.urls == ("nats://a:4222", "nats://b")
    assert broker.connect_options == {"servers": list(broker.urls), "user": "me", "password": "p@ss-word"}


def test_two_servers_on_one_port_are_a_problem_named_once():
    assert "PORT" in problems_of(OBJSTORE_PORT="3003")["OBJSTORE_PORT"]


def test_service_secrets_are_not_reused():
    assert "COMPUTE_CREDENTIAL_BROKER_TOKEN" in problems_of(
        COMPUTE_WORKER_TOKEN="one-token-for-two", COMPUTE_CREDENTIAL_BROKER_TOKEN="one-token-for-two"
    )
    assert "TTS_PLAYBACK_TOKEN_SECRET" in problems_of(TTS_PLAYBACK_TOKEN_SECRET=SECRET)


def test_the_public_address_of_the_worker_holds_no_token():
    token = "worker-token-0123456789"
    assert "COMPUTE_WORKER_PUBLIC_URL" in problems_of(
        COMPUTE_WORKER_TOKEN=token, COMPUTE_WORKER_PUBLIC_URL=f"http://localhost:8081/{token}"
    )


def test_trusted_origins_hold_the_base_urls():
    settings = read_app_settings(
        MINIMAL | {"AUTH_TRUSTED_ORIGINS": "https://A.example:443, http://b.example:8080"}
    )
    assert settings.trusted_origins == {"http://localhost:3003", "https://a.example", "http://b.example:8080"}


def test_either_api_variable_boots_a_provider_and_the_model_alone_does_not():
    assert read_app_settings(MINIMAL | {"API_MODEL_NAME": "tts-1"}).provider_bootstrap is None
    keyed = read_app_settings(MINIMAL | {"API_KEY": "sk-key"}).provider_bootstrap
    assert keyed
    assert (keyed.base_url, keyed.api_key, keyed.model) == ("", "sk-key", "kokoro")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_a_database_server_replaces_the_file(scheme):
    database = read_app_settings(MINIMAL | {"SERVER_DB_URL": f"{scheme}://u:p@host:5432/lectern"}).database
    assert database.path is None
    assert database.url == "postgresql+asyncpg://u:p@host:5432/lectern"
