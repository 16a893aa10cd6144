"""Each site feature, changed by an administrator, does what its name says; no other key exists."""

from typing import Any

import pytest
from app_fixtures.administrator import VARIABLES, new_administrator
from app_fixtures.browser import Browser, Instance
from app_fixtures.worker import StatefulWorker

from app_server.site_features.model import FEATURE_KEYS
from lectern.compute.v1 import playback_pb2
from lectern.credentials.v1 import credentials_pb2 as pb
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceStub
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.rpc.channel import open_channel

FEATURES, SESSIONS = "/api/admin/features", "/api/tts/playback/sessions"
WORD = b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml"
SEED = '{"version": 1, "runtimeConfig": {"maxUploadMb": 5}}'


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, **VARIABLES, "RUNTIME_SEED_JSON": SEED})


async def change(admin: Browser, **values: Any) -> dict[str, Any]:
    answer = await admin.send("PATCH", FEATURES, json=values)
    assert answer.status == 200, answer.body
    return {feature["key"]: feature for feature in answer.json["features"]}


async def refs(reader: Browser) -> list[str]:
    return [choice["ref"] for choice in (await reader.get("/api/tts/shared-providers")).json["providers"]]


async def test_every_key_has_its_source_and_a_reset(instance: Instance) -> None:
    admin = await new_administrator(instance)
    listed = {feature["key"]: feature for feature in (await admin.get(FEATURES)).json["features"]}
    assert set(listed) == set(FEATURE_KEYS) - {"computeLimitPolicies"}
    assert listed["maxUploadMb"] == {"key": "maxUploadMb", "value": 5, "default": 200, "source": "seed"}
    assert listed["signupPolicy"]["source"] == "default"
    changed = await change(admin, maxUploadMb=9)
    assert (changed["maxUploadMb"]["value"], changed["maxUploadMb"]["source"]) == (9, "admin")
    reset = await admin.post(f"{FEATURES}/reset", {"keys": ["maxUploadMb"]})
    assert {feature["key"]: feature for feature in reset.json["features"]}["maxUploadMb"] == {
        "key": "maxUploadMb", "value": 200, "default": 200, "source": "default",
    }  # fmt: skip
    for values, field in (
        ({"nope": 1}, "nope"),
        ({"maxUploadMb": "9"}, "maxUploadMb"),
        ({"maxUploadMb": 9, "signupPolicy": "some"}, "signupPolicy"),
        ({"changelogFeedUrl": "file:///etc/passwd"}, "changelogFeedUrl"),
    ):
        refused = await admin.send("PATCH", FEATURES, json=values)
        assert (refused.status, {error["field"] for error in refused.json["errors"]}) == (422, {field})
    assert (await admin.post(f"{FEATURES}/reset", {"keys": ["nope"]})).status == 422
    assert (await admin.get("/api/auth/session")).json["features"]["maxUploadMb"] == 200


async def test_features_say_who_may_come_in_and_with_what(instance: Instance) -> None:
    admin = await new_administrator(instance)
    reader = await instance.new_reader("reader@example.org")
    await change(admin, signupPolicy="closed")
    newcomer = await instance.new_browser()
    assert (await newcomer.enter("sign-up", "late@example.org")).code == "SIGNUP_CLOSED"
    await change(admin, signupPolicy="approval")
    assert (await newcomer.enter("sign-up", "late@example.org")).code == "ACCOUNT_PENDING"

    await change(admin, maxUploadMb=1)
    assert (await reader.upload(b"x" * 1_100_000, "long.txt")).code == "FILE_TOO_LARGE"
    assert (await reader.upload(WORD, "letter.docx")).status == 201
    await change(admin, enableDocxConversion=False)
    refused = await reader.upload(WORD + b"another", "letter.docx")
    assert (refused.status, refused.code) == (415, "FORMAT_UNSUPPORTED")
    assert "turned them off" in refused.json["detail"]
    assert ".docx" not in (await reader.get("/api/auth/session")).json["features"]["formats"]


async def test_features_say_what_speaks(
    instance: Instance, worker: StatefulWorker, settings: AppSettings
) -> None:
    admin = await new_administrator(instance)
    reader = await instance.new_reader("reader@example.org")
    document_id = await reader.add_document()
    for slug in ("first", "second"):
        body = {"slug": slug, "displayName": slug, "providerType": "custom-openai", "baseUrl": "http://a/v1"}
        assert (await admin.post("/api/admin/providers", body)).status == 201

    async def session(**settings: str) -> playback_pb2.CreateSessionRequest:
        body = {"documentId": document_id, "start": {"ordinal": 0}, "settings": settings}
        answer = await reader.post(SESSIONS, body)
        assert answer.status == 201, answer.body
        return worker.sessions[answer.json["sessionId"]]

    assert await refs(reader) == ["first", "second", "builtin"]
    asked = await session(providerRef="second", model="large")
    assert (asked.settings.provider_ref, asked.settings.model) == ("second", "large")
    await change(admin, enableBuiltinVoice=False, defaultTtsProvider="second")
    assert await refs(reader) == ["first", "second"]
    assert (await reader.get("/api/tts/shared-providers")).json["default"] == "second"
    voices = "/api/tts/voices?providerRef=second&model=large"
    assert (await reader.get(voices)).json["models"] == ["large", "small"]
    await change(admin, enableTtsProvidersTab=False, showAllProviderModels=False)
    hidden = (await reader.get(voices)).json
    assert (hidden["model"], hidden["models"]) == ("", [])
    assert await refs(reader) == ["second"]
    asked = await session(providerRef="first", model="large")
    assert (asked.settings.provider_ref, asked.settings.model) == ("second", "")
    await change(admin, ttsPlaybackBackgroundExtent="document")
    assert (await session(providerRef="")).background_extent == playback_pb2.EXTENT_DOCUMENT

    await change(
        admin, ttsUpstreamMaxRetries=7, ttsUpstreamTimeoutMs=1234, ttsCacheMaxSizeBytes=99, ttsCacheTtlMs=55
    )
    address = f"grpc://127.0.0.1:{settings.credential_broker.grpc_port}"
    async with open_channel(address, settings.credential_broker.token) as channel:
        request = pb.IssueTtsCredentialsRequest(provider_ref="second")
        issued = await CredentialBrokerServiceStub(channel).IssueTtsCredentials(request)
    assert (issued.request_policy.max_retries, issued.request_policy.timeout_ms) == (7, 1234)
    assert (issued.speech_cache.max_size_bytes, issued.speech_cache.ttl_ms) == (99, 55)
