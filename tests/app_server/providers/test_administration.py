"""Shared providers in the hands of an administrator: changed, tried, and their keys never shown."""

from typing import Any

import pytest
from app_fixtures.administrator import VARIABLES
from app_fixtures.browser import Answer, Browser, Instance

from lectern.credentials.v1 import credentials_pb2 as pb
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceStub
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.rpc.channel import open_channel

KEY, OTHER_KEY = "sk-sentinel-0123456789abcdef", "sk-sentinel-another-of-them"
HOME = {
    "slug": "home",
    "displayName": "At home",
    "providerType": "custom-openai",
    "baseUrl": "http://127.0.0.1:8880/v1/",
    "defaultModel": "kokoro",
    "defaultInstructions": "Calmly.",
    "enabled": True,
    "apiKey": KEY,
}
ALL = "/api/admin/providers"


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, **VARIABLES})


async def put(admin: Browser, **changes: Any) -> Answer:
    body = {name: value for name, value in HOME.items() if name not in {"slug", "apiKey"}} | changes
    return await admin.send("PUT", f"{ALL}/home", json=body)


async def issued(settings: AppSettings) -> pb.IssueTtsCredentialsResponse:
    address = f"grpc://127.0.0.1:{settings.credential_broker.grpc_port}"
    async with open_channel(address, settings.credential_broker.token) as channel:
        request = pb.IssueTtsCredentialsRequest(provider_ref="home")
        return await CredentialBrokerServiceStub(channel).IssueTtsCredentials(request)


def field_errors(answer: Answer) -> set[str]:
    assert (answer.status, answer.code) == (422, "FIELDS_INVALID")
    return {error["field"] for error in answer.json["errors"]}


async def test_a_provider_is_added_changed_and_deleted(admin: Browser, settings: AppSettings) -> None:
    created = await admin.post(ALL, HOME)
    assert created.status == 201
    assert created.json["provider"] == {
        **HOME,
        "baseUrl": "http://127.0.0.1:8880/v1",
        "apiKey": {"state": "set", "ending": KEY[-4:]},
    }
    assert (await admin.get(ALL)).json["providers"] == [created.json["provider"]]
    assert (await issued(settings)).api_key == KEY

    kept = await put(admin, displayName="Elsewhere in the house")
    assert kept.json["provider"]["apiKey"] == {"state": "set", "ending": KEY[-4:]}
    assert (await issued(settings)).api_key == KEY
    replaced = await put(admin, apiKey=OTHER_KEY)
    assert replaced.json["provider"]["apiKey"]["ending"] == OTHER_KEY[-4:]
    assert (await issued(settings)).api_key == OTHER_KEY
    removed = await put(admin, apiKey="", enabled=False)
    assert removed.json["provider"]["apiKey"] == {"state": "none", "ending": ""}
    assert removed.json["provider"]["enabled"] is False

    assert (await admin.send("DELETE", f"{ALL}/home")).status == 204
    assert (await admin.send("DELETE", f"{ALL}/home")).code == "PROVIDER_NOT_FOUND"
    assert (await put(admin)).code == "PROVIDER_NOT_FOUND"
    log = (await admin.get("/api/admin/audit?action=provider")).json["entries"]
    assert {entry["action"] for entry in log} == {"provider.create", "provider.change", "provider.delete"}
    changes = [entry["details"] for entry in log if entry["action"] == "provider.change"]
    assert {"enabled": [True, False], "apiKey": "removed"} in changes
    assert {"displayName": ["At home", "Elsewhere in the house"]} in changes
    assert len(changes) == 3


async def test_a_provider_that_cannot_be_is_refused_by_its_field(admin: Browser) -> None:
    for changes, field in (
        ({"slug": "Upper"}, "slug"),
        ({"slug": "openai"}, "slug"),
        ({"slug": "builtin"}, "slug"),
        ({"displayName": " "}, "displayName"),
        ({"providerType": "another"}, "providerType"),
        ({"baseUrl": ""}, "baseUrl"),
        ({"baseUrl": "file:///etc/passwd"}, "baseUrl"),
        ({"baseUrl": "http://user:word@host/v1"}, "baseUrl"),
        ({"apiKey": "two words"}, "apiKey"),
        ({"nope": 1}, "nope"),
    ):
        answer = await admin.post(ALL, HOME | changes)
        assert field_errors(answer) == {field}, changes
        assert KEY not in answer.body.decode()
    assert (await admin.post(ALL, HOME)).status == 201
    taken = await admin.post(ALL, HOME)
    assert (taken.status, taken.code) == (409, "PROVIDER_SLUG_TAKEN")


async def test_a_stored_key_goes_to_no_other_address(admin: Browser, settings: AppSettings) -> None:
    await admin.post(ALL, HOME)
    for changes in ({"baseUrl": "http://elsewhere.example/v1"}, {"providerType": "openai", "baseUrl": ""}):
        assert field_errors(await put(admin, **changes)) == {"apiKey"}
    assert (await issued(settings)).base_url == "http://127.0.0.1:8880/v1"
    assert (await put(admin, baseUrl="http://127.0.0.1:8880/other")).status == 200
    assert (await put(admin, baseUrl="http://elsewhere.example/v1", apiKey=OTHER_KEY)).status == 200
    assert (await issued(settings)).api_key == OTHER_KEY


async def test_no_answer_ever_holds_a_key(admin: Browser, instance: Instance) -> None:
    answers = [await admin.post(ALL, HOME), await put(admin, apiKey=OTHER_KEY), await admin.get(ALL)]
    answers += [await put(admin, apiKey="two words"), await admin.post(ALL, HOME)]
    answers += [await admin.post(f"{ALL}/home/test")]
    for path in ("audit", "features", "users"):
        answers.append(await admin.get(f"/api/admin/{path}"))
    answers.append(await admin.post("/api/admin/system-check"))
    reader = await instance.new_reader("reader@example.org")
    for path in ("/api/tts/shared-providers", "/api/tts/voices?providerRef=home", "/api/auth/session"):
        answers += [await reader.get(path), await admin.get(path)]
    shown = b"".join(answer.body + str(dict(answer.headers)).encode() for answer in answers)
    assert len(answers) == 16
    assert b"At home" in shown
    assert KEY.encode() not in shown
    assert OTHER_KEY.encode() not in shown


async def test_ordinary_users_see_only_what_they_need_to_choose(admin: Browser, instance: Instance) -> None:
    await admin.post(ALL, HOME)
    await admin.post(ALL, HOME | {"slug": "off", "enabled": False})
    reader = await instance.new_reader("reader@example.org")
    home, builtin = (await reader.get("/api/tts/shared-providers")).json["providers"]
    assert home == {
        "ref": "home",
        "displayName": "At home",
        "type": "custom-openai",
        "defaultModel": "kokoro",
        "status": "ready",
    }
    assert builtin["ref"] == "builtin"
    for method, path in (
        ("GET", ALL),
        ("POST", ALL),
        ("DELETE", f"{ALL}/home"),
        ("POST", f"{ALL}/home/test"),
    ):
        refused = await reader.send(method, path, json={} if method == "POST" else None)
        assert (refused.status, refused.code) == (403, "ADMIN_REQUIRED"), path


async def test_a_test_says_what_works(admin: Browser) -> None:
    await admin.post(ALL, HOME)
    steps = (await admin.post(f"{ALL}/home/test")).json["steps"]
    assert [(step["id"], step["status"], step["fix"]) for step in steps] == [
        ("reach", "ok", ""), ("voices", "ok", ""), ("speak", "ok", ""),
    ]  # fmt: skip
    assert "1 voice: English." in steps[1]["detail"]
    await put(admin, enabled=False)
    steps = (await admin.post(f"{ALL}/home/test")).json["steps"]
    assert [step["status"] for step in steps] == ["error", "skipped", "skipped"]
    assert "Turn it on" in steps[0]["fix"]
