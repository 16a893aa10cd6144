"""Parts 5.4 and 5.5 of the specification, row by row and sentence by sentence."""

import asyncio
import base64
import json
import secrets
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import aiohttp
import pytest
from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import StatefulWorker
from sqlalchemy import select

from app_server.account_email.model import API_KEY_PLACE
from app_server.database.engine import open_database, sqlite_url
from app_server.database.schema import account_email, providers
from app_server.providers.secrets import api_key_place
from app_server.secrets.sealing import SecretSealer
from app_server.settings import read_settings
from app_server.wiring.application import open_app
from compute_worker.playback.cache_key import CacheKeys
from compute_worker.playback.model import VoiceSettings
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.configuration.problem import ConfigurationError
from shared.configuration.worker_settings import read_worker_settings
from shared.playback_token import PlaybackTokens

InstancesWith = Callable[[AppSettings], AbstractAsyncContextManager[Instance]]
CREDENTIALS = "/api/internal/compute/tts-credentials"
MINIMAL = {"BASE_URL": "http://localhost:3003"}  # and AUTH_SECRET: with a worker of its own


def embedded(auth_secret: str, **variables: str) -> AppSettings:
    return read_app_settings({**MINIMAL, "AUTH_SECRET": auth_secret, **variables})


@pytest.fixture
def of_worker(environment: dict[str, str]) -> dict[str, str]:
    """The variables of a standalone worker of the same instance."""
    shared = (
        "COMPUTE_WORKER_TOKEN", "COMPUTE_CREDENTIAL_BROKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET",
        "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "S3_BUCKET", "S3_REGION",
    )  # fmt: skip
    own = {
        "BROKER_URL": "nats://broker:4222",
        "COMPUTE_CREDENTIAL_BROKER_URL": f"https://reader.example.org{CREDENTIALS}",
    }
    return {**own, **{name: environment[name] for name in shared}}


@pytest.mark.parametrize(
    "name", ["COMPUTE_WORKER_TOKEN", "COMPUTE_CREDENTIAL_BROKER_TOKEN", "TTS_PLAYBACK_TOKEN_SECRET"]
)
def test_5_4_each_secret_is_required_on_both_sides_of_a_standalone_worker(
    environment: dict[str, str], of_worker: dict[str, str], name: str
) -> None:
    for read, variables in ((read_settings, environment), (read_worker_settings, of_worker)):
        read(variables)
        with pytest.raises(ConfigurationError) as refused:
            read({key: value for key, value in variables.items() if key != name})
        assert [problem.name for problem in refused.value.problems] == [name]


async def test_5_4_1_the_worker_token_goes_from_app_to_worker_as_a_bearer_token(
    environment: dict[str, str], worker: StatefulWorker, new_instance_with: InstancesWith
) -> None:
    """The worker of these tests checks it, as the real one does."""
    sessions, email = "/api/tts/playback/sessions", "ada@example.org"
    body = {"start": {"ordinal": 0}, "settings": {"providerRef": "builtin"}}
    async with new_instance_with(read_app_settings(environment)) as instance:
        ada = await instance.new_reader(email)
        body["documentId"] = await ada.add_document()
        assert (await ada.post(sessions, body)).status == 201
    other = {**environment, "COMPUTE_WORKER_TOKEN": secrets.token_urlsafe(32)}
    async with new_instance_with(read_app_settings(other)) as instance:
        ada = await instance.new_browser()
        assert (await ada.enter("sign-in", email)).status == 200
        refused = await ada.post(sessions, body)
    assert (refused.status, refused.code) == (503, "WORKER_UNAVAILABLE")
    assert len(worker.sessions) == 1


async def test_5_4_1_and_2_the_tokens_are_never_exposed_to_browsers(
    reader: Browser, settings: AppSettings
) -> None:
    document_id = await reader.add_document()
    body = {"documentId": document_id, "start": {"ordinal": 0}, "settings": {"providerRef": "builtin"}}
    paths = ("/api/auth/session", "/api/tts/shared-providers", "/api/documents", "/health/ready", "/app")
    answers = [await reader.post("/api/tts/playback/sessions", body)]
    answers += [await reader.get(path) for path in paths]
    assert [answer.status for answer in answers] == [201] + [200] * 5
    seen = b"".join(answer.body + str(answer.headers).encode() for answer in answers)
    hidden = (settings.worker.token, settings.credential_broker.token, settings.worker.playback_token_secret)
    assert [secret for secret in hidden if secret.encode() in seen] == []


async def test_5_4_2_the_credential_endpoint_takes_its_own_token_and_not_the_workers(
    browser: Browser, settings: AppSettings
) -> None:
    url = browser.client.make_url(CREDENTIALS)
    statuses = []
    async with aiohttp.ClientSession() as http:
        for token in (settings.credential_broker.token, settings.worker.token, "another"):
            headers = {"Authorization": f"Bearer {token}"}
            async with http.post(url, json={"provider_ref": "builtin"}, headers=headers) as answer:
                statuses.append(answer.status)
    assert statuses == [200, 401, 401]


def test_5_4_2_it_is_generated_for_an_embedded_worker_and_is_no_other_secret() -> None:
    first, second = embedded("x" * 40), embedded("x" * 40)
    assert first.embedded.worker
    assert first.embedded.worker.settings.credential_broker.token == first.credential_broker.token
    assert first.credential_broker.token not in (second.credential_broker.token, first.worker.token)
    with pytest.raises(ConfigurationError, match="COMPUTE_CREDENTIAL_BROKER_TOKEN"):
        embedded("x" * 40, COMPUTE_WORKER_TOKEN="t" * 32, COMPUTE_CREDENTIAL_BROKER_TOKEN="t" * 32)


def test_5_4_3_the_playback_secret_is_derived_stays_and_yields_to_an_explicit_one() -> None:
    assert embedded("x" * 40).worker.playback_token_secret == embedded("x" * 40).worker.playback_token_secret
    explicit = embedded("x" * 40, TTS_PLAYBACK_TOKEN_SECRET="p" * 32)
    assert explicit.worker.playback_token_secret == "p" * 32
    assert explicit.embedded.worker
    assert explicit.embedded.worker.settings.playback_token_secret == "p" * 32


def test_5_4_3_changing_it_or_the_auth_secret_makes_cached_audio_another_and_ends_addresses() -> None:
    voice = VoiceSettings("builtin", "", "en", "", 1.0, "en")
    used = [
        embedded("x" * 40).worker.playback_token_secret,
        embedded("y" * 40).worker.playback_token_secret,
        "p" * 32,
    ]
    assert len({CacheKeys(playback_secret=secret).key(voice, "en", "Hello.") for secret in used}) == 3
    before, after = (PlaybackTokens(secret=secret) for secret in used[:2])
    token = before.mint(session_id="s" * 32, user_id="u", document_id="d").token
    assert before.allows(token, "s" * 32)
    assert not after.allows(token, "s" * 32)


def test_5_4_3_it_may_not_be_the_worker_token(environment: dict[str, str]) -> None:
    same = {**environment, "TTS_PLAYBACK_TOKEN_SECRET": environment["COMPUTE_WORKER_TOKEN"]}
    with pytest.raises(ConfigurationError, match="TTS_PLAYBACK_TOKEN_SECRET"):
        read_settings(same)


def test_5_4_4_the_credential_request_has_a_timeout(of_worker: dict[str, str]) -> None:
    assert read_worker_settings(of_worker).credential_broker.timeout_ms == 5000
    chosen = read_worker_settings({**of_worker, "COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS": "1200"})
    assert chosen.credential_broker.timeout_ms == 1200


def test_5_4_a_generated_secret_is_32_random_bytes() -> None:
    made = embedded("x" * 40)
    for secret in (made.worker.token, made.credential_broker.token):
        assert len(base64.urlsafe_b64decode(secret + "=")) == 32


async def test_5_5_keys_of_providers_and_of_account_email_are_encrypted_at_rest_with_auth_secret(
    environment: dict[str, str],
) -> None:
    keys = {name: f"sk-{secrets.token_hex(16)}" for name in ("provider", "email")}
    seed = {
        "version": 1,
        "accountEmail": {
            "enabled": False, "senderName": "L", "senderEmail": "l@example.org", "apiKey": keys["email"],
        },
    }  # fmt: skip
    more = {"API_BASE": "https://speech.example/v1", "API_KEY": keys["provider"]}
    settings = read_app_settings({**environment, **more, "RUNTIME_SEED_JSON": json.dumps(seed)})
    async with open_app(settings):
        pass
    path = settings.database.path
    assert path
    for file in await asyncio.to_thread(lambda: list(path.parent.glob(f"{path.name}*"))):
        content = await asyncio.to_thread(file.read_bytes)
        assert [name for name, key in keys.items() if key.encode() in content] == []
    async with open_database(sqlite_url(path)) as database, database.read() as connection:
        provider = (await connection.execute(select(providers))).one()
        email = (await connection.execute(select(account_email))).one()
    sealer = SecretSealer(auth_secret=environment["AUTH_SECRET"])
    assert sealer.open(provider.api_key, api_key_place(provider.id)) == keys["provider"]
    assert sealer.open(email.api_key, API_KEY_PLACE) == keys["email"]
