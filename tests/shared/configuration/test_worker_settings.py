"""What a standalone worker must be told, and what it must never receive."""

import pytest

from shared.configuration.problem import ConfigurationError
from shared.configuration.worker_settings import read_worker_settings

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


def problems_of(variables: dict[str, str]) -> set[str]:
    with pytest.raises(ConfigurationError) as caught:
        read_worker_settings(variables)
    return {problem.name for problem in caught.value.problems}


def test_a_standalone_worker_listens_everywhere_with_the_specs_defaults():
    settings = read_worker_settings(STANDALONE)
    assert (settings.host, settings.port, settings.grpc_port) == ("0.0.0.0", 8081, 8082)
    assert settings.broker.connect_options == {
        "servers": ["nats://broker:4222"],
        "token": "token-of-the-broker",
    }
    sizes = (
        settings.broker.jobs_max_bytes,
        settings.broker.events_max_bytes,
        settings.broker.state_max_bytes,
    )
    assert sizes == (268435456, 134217728, 67108864)
    assert settings.broker.stale_ms == 30 * 60 * 1000
    assert settings.work.segment_timeout_ms == 30_000
    assert settings.credential_broker.timeout_ms == 5000


def test_nothing_that_a_standalone_worker_needs_has_a_default():
    assert problems_of({}) == set(STANDALONE)


@pytest.mark.parametrize(
    "name",
    ["AUTH_SECRET", "SERVER_DB_URL", "BOOTSTRAP_ADMIN_EMAIL", "BOOTSTRAP_ADMIN_PASSWORD",
     "BOOTSTRAP_ADMIN_PASSWORD_FILE"],
)  # fmt: skip
def test_a_secret_of_the_app_is_refused(name):
    assert problems_of(STANDALONE | {name: "anything"}) == {name}


@pytest.mark.parametrize(
    "url",
    [
        "https://reader.example.org/",
        "https://reader.example.org/v1/tts-playback",
        "http://reader.example.org/api/internal/compute/tts-credentials",
        "grpc://reader.example.org:3004",
        "grpcs://reader.example.org",
        "grpc://app:3004/path",
        "http://8.8.8.8:3003/api/internal/compute/tts-credentials",
        "http://[2606:4700::1111]/api/internal/compute/tts-credentials",
        # The worker itself.
        "http://localhost:8081/api/internal/compute/tts-credentials",
        "https://127.0.0.1:8081/api/internal/compute/tts-credentials",
        "grpc://[::1]:8082",
    ],
)
def test_a_credential_address_that_is_wrong_or_would_leak_is_refused(url):
    assert problems_of(STANDALONE | {"COMPUTE_CREDENTIAL_BROKER_URL": url}) == {
        "COMPUTE_CREDENTIAL_BROKER_URL"
    }


@pytest.mark.parametrize(
    "url",
    [
        "http://app:3003/api/internal/compute/tts-credentials",
        "http://10.0.0.5:3003/api/internal/compute/tts-credentials",
        "http://app.lectern.svc.cluster.local/api/internal/compute/tts-credentials",
        "grpc://127.0.0.1:3004",
        "grpcs://reader.example.org:3004",
    ],
)
def test_a_private_or_encrypted_credential_address_is_accepted(url):
    settings = read_worker_settings(STANDALONE | {"COMPUTE_CREDENTIAL_BROKER_URL": url})
    assert settings.credential_broker.url == url


@pytest.mark.parametrize(
    ("url", "app_url"),
    [
        ("https://reader.example.org/api/internal/compute/tts-credentials", "https://reader.example.org"),
        ("http://app:3003/api/internal/compute/tts-credentials", "http://app:3003"),
        ("grpc://app:3004", "grpc://app:3004"),
    ],
)
def test_all_that_the_app_does_for_workers_is_found_by_the_credential_address(url, app_url):
    settings = read_worker_settings(STANDALONE | {"COMPUTE_CREDENTIAL_BROKER_URL": url})
    assert settings.credential_broker.app_url == app_url
