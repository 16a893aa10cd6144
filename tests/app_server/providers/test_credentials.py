import asyncio
import json
import logging
from typing import Any

import aiohttp
import pytest
from sqlalchemy import text, update

from app_server.database.engine import Database, open_database, sqlite_url
from app_server.database.migrate import migrate
from app_server.database.schema import providers
from app_server.wiring.application import open_app
from compute_worker.credentials.client import CredentialBrokerClient
from lectern.credentials.v1 import credentials_pb2 as pb
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceStub
from lectern.metering.v1.metering_pb2 import SpeechMetering
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.errors import Code, LecternError
from shared.rpc.channel import open_channel

SENTINEL = "sk-sentinel-0123456789abcdef"
UPSTREAM = {"API_BASE": "https://speech.example/v1/", "API_KEY": SENTINEL, "API_MODEL_NAME": "kokoro-2"}


async def issue(settings: AppSettings, ref: str, token: str | None = None) -> pb.IssueTtsCredentialsResponse:
    address = f"grpc://127.0.0.1:{settings.credential_broker.grpc_port}"
    async with open_channel(address, token or settings.credential_broker.token) as channel:
        request = pb.IssueTtsCredentialsRequest(provider_ref=ref)
        return await CredentialBrokerServiceStub(channel).IssueTtsCredentials(request)


async def test_a_worker_gets_what_the_operator_configured(environment: dict[str, str]) -> None:
    settings = read_app_settings({**environment, **UPSTREAM})
    async with open_app(settings):
        issued = await issue(settings, "default-provider")
        builtin = await issue(settings, "builtin")
    assert issued.provider_type == pb.PROVIDER_TYPE_CUSTOM_OPENAI
    assert (issued.base_url, issued.api_key) == ("https://speech.example/v1", SENTINEL)
    assert issued.default_model == "kokoro-2"
    assert (issued.request_policy.max_retries, issued.request_policy.timeout_ms) == (2, 285_000)
    assert (builtin.provider_type, builtin.api_key, builtin.base_url) == (pb.PROVIDER_TYPE_BUILTIN, "", "")


async def test_the_same_over_http(instance: Any, browser: Any, settings: AppSettings) -> None:
    path, body = "/api/internal/compute/tts-credentials", {"provider_ref": "builtin"}
    url = browser.client.make_url(path)
    async with aiohttp.ClientSession() as http:  # neither cookie nor Origin
        async with http.post(url, json=body) as answer:
            assert answer.status == 401
            assert "no-store" in answer.headers["Cache-Control"]
        headers = {"Authorization": f"Bearer {settings.credential_broker.token}"}
        async with http.post(url, json=body, headers=headers) as answer:
            assert answer.status == 200
            assert "no-store" in answer.headers["Cache-Control"]
            assert (await answer.json())["providerType"] == "PROVIDER_TYPE_BUILTIN"
        for ref, status, reason in (
            ("No Slug!", 400, "PROVIDER_REF_INVALID"),
            ("unknown", 404, "PROVIDER_NOT_FOUND"),
        ):
            async with http.post(url, json={"provider_ref": ref}, headers=headers) as answer:
                assert answer.status == status
                assert "no-store" in answer.headers["Cache-Control"]
                assert (await answer.json())["details"]["reason"] == reason


@pytest.mark.parametrize(
    ("ref", "code"),
    [("", Code.INVALID_ARGUMENT), ("No Slug!", Code.INVALID_ARGUMENT), ("unknown", Code.NOT_FOUND)],
)
async def test_a_wrong_reference_is_refused(environment: dict[str, str], ref: str, code: Code) -> None:
    settings = read_app_settings(environment)
    async with open_app(settings):
        with pytest.raises(LecternError) as caught:
            await issue(settings, ref)
    assert caught.value.code is code


async def test_a_wrong_token_gets_nothing(environment: dict[str, str]) -> None:
    settings = read_app_settings({**environment, **UPSTREAM})
    async with open_app(settings):
        with pytest.raises(LecternError) as caught:
            await issue(settings, "default-provider", token="another")
    assert caught.value.code is Code.UNAUTHENTICATED


async def test_a_disabled_provider_is_not_found(environment: dict[str, str]) -> None:
    settings = read_app_settings({**environment, **UPSTREAM})
    assert settings.database.path
    async with open_app(settings):
        async with open_database(sqlite_url(settings.database.path)) as database, database.write() as rows:
            await rows.execute(update(providers).values(enabled=False))
        with pytest.raises(LecternError) as caught:
            await issue(settings, "default-provider")
    assert caught.value.code is Code.NOT_FOUND


async def test_another_auth_secret_asks_for_the_key_again(environment: dict[str, str]) -> None:
    async with open_app(read_app_settings({**environment, **UPSTREAM})):
        pass
    settings = read_app_settings({**environment, "AUTH_SECRET": "another secret of a decent length"})
    async with open_app(settings):
        with pytest.raises(LecternError) as caught:
            await issue(settings, "default-provider")
    assert caught.value.code is Code.FAILED_PRECONDITION
    assert "Enter the key again" in caught.value.message


async def test_what_an_administrator_sets_reaches_the_worker(environment: dict[str, str]) -> None:
    """And the worker's cache, by its own client."""
    features = {
        "ttsUpstreamMaxRetries": 7,
        "ttsUpstreamTimeoutMs": 2**40,
        "ttsCacheMaxSizeBytes": 2**33,
        "ttsCacheTtlMs": 5000,
    }
    seed = json.dumps({"version": 1, "runtimeConfig": features})
    settings = read_app_settings({**environment, **UPSTREAM, "RUNTIME_SEED_JSON": seed})
    limits: list[tuple[int, float]] = []

    class Cache:
        def limit(self, *, max_bytes: int, ttl_seconds: float) -> None:
            limits.append((max_bytes, ttl_seconds))

    class Meter:
        def learn(self, metering: SpeechMetering) -> None:
            assert (metering.is_on, metering.refresh_seconds) == (False, 60)

    broker = settings.credential_broker
    async with (
        open_app(settings),
        open_channel(f"grpc://127.0.0.1:{broker.grpc_port}", broker.token) as channel,
    ):
        client = CredentialBrokerClient(
            channel=channel, timeout_seconds=10, speech_cache=Cache(), speech_meter=Meter()
        )
        policy = (await client.resolve("default-provider")).policy
        await client.resolve("builtin")
    assert (policy.max_retries, policy.timeout_ms, policy.max_concurrent) == (7, 2**31 - 1, 3)
    assert limits == [(2**33, 5.0)] * 2


async def test_the_key_shows_nowhere(
    environment: dict[str, str],
    new_instance: Any,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = read_app_settings({**environment, **UPSTREAM})
    async with open_app(settings):
        await issue(settings, "default-provider")
    async with new_instance() as instance:
        reader = await instance.new_reader("ada@example.org")
        answers = [
            await reader.get(path)
            for path in ("/api/tts/shared-providers", "/api/auth/session", "/health/ready")
        ]
    assert b"default-provider" in answers[0].body
    assert all(SENTINEL.encode() not in answer.body for answer in answers)
    assert settings.database.path
    for file in settings.database.path.parent.glob("lectern.db*"):
        assert SENTINEL.encode() not in file.read_bytes()
    assert SENTINEL not in caplog.text + "".join(capfd.readouterr())
    assert SENTINEL not in repr(settings)


async def stored(database: Database) -> list[tuple[str, str, str, bool]]:
    async with database.read() as connection:
        rows = await connection.execute(text("SELECT slug, provider_type, base_url, api_key FROM providers"))
        return [(row[0], row[1], row[2], row[3] is not None) for row in rows]


async def test_two_apps_starting_at_once_share_one_database(
    environment: dict[str, str], free_port: Any
) -> None:
    def settings() -> AppSettings:
        return read_app_settings({**environment, **UPSTREAM, "CREDENTIAL_BROKER_GRPC_PORT": str(free_port())})

    async def run(one: AppSettings) -> None:
        async with open_app(one):
            assert (await issue(one, "default-provider")).api_key == SENTINEL

    several = [settings() for _ in range(3)]
    await asyncio.gather(*(run(one) for one in several))
    path = several[0].database.path
    assert path
    await migrate(sqlite_url(path))
    async with open_database(sqlite_url(path)) as database:
        assert len(await stored(database)) == 1
