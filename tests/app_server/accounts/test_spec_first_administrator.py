"""Part 5.2 of the specification, sentence by sentence, in the running application."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from app_fixtures.browser import PASSWORD as READERS_PASSWORD
from app_fixtures.browser import Browser, Instance

from app_server.settings import read_settings
from app_server.wiring.application import open_app
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.configuration.problem import ConfigurationError
from shared.configuration.worker_settings import read_worker_settings

NewInstance = Callable[[], AbstractAsyncContextManager[Instance]]

FIRST = "a first password of its own"
SECOND = "another one that only she knows"
EMAIL = "admin@example.org"
ADMINISTRATOR = {"BOOTSTRAP_ADMIN_EMAIL": EMAIL, "BOOTSTRAP_ADMIN_PASSWORD": FIRST}


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, **ADMINISTRATOR})


@pytest.fixture
async def instance(
    new_instance: NewInstance,
) -> AsyncIterator[Instance]:
    async with new_instance() as instance:
        yield instance


async def signed_in(instance: Instance, password: str) -> Browser:
    browser = await instance.new_browser()
    answer = await browser.post("/api/auth/sign-in", {"email": EMAIL, "password": password})
    assert answer.status == 200
    return browser


async def with_rights(instance: Instance) -> Browser:
    browser = await signed_in(instance, FIRST)
    assert (await browser.post("/api/auth/change-password", change(FIRST, SECOND))).status == 200
    return browser


async def user(browser: Browser) -> Any:
    return (await browser.get("/api/auth/session")).json["user"]


def change(current: str, new: str) -> dict[str, str]:
    return {"currentPassword": current, "newPassword": new}


async def test_5_2_3_the_account_has_no_active_rights_until_its_password_is_another(
    instance: Instance,
) -> None:
    browser, elsewhere = await signed_in(instance, FIRST), await signed_in(instance, FIRST)
    before = await user(browser)
    assert (before["isAdmin"], before["mustChangePassword"]) == (False, True)
    for method, path in (("GET", "providers"), ("GET", "users"), ("PATCH", "features")):
        refused = await browser.send(method, f"/api/admin/{path}", json=None if method == "GET" else {})
        assert (refused.status, refused.code) == (403, "PASSWORD_CHANGE_REQUIRED"), path
    for body, field in (
        (change("wrong password here", SECOND), "currentPassword"),
        (change(FIRST, FIRST), "newPassword"),
        (change(FIRST, "short"), "newPassword"),
    ):
        answer = await browser.post("/api/auth/change-password", body)
        assert {error["field"] for error in answer.json["errors"]} == {field}
        assert not (await user(browser))["isAdmin"]
    assert (await browser.post("/api/auth/change-password", change(FIRST, SECOND))).status == 200
    after = await user(browser)
    assert (after["isAdmin"], after["mustChangePassword"]) == (True, False)
    assert (await browser.get("/api/admin/users")).status == 200
    assert await user(elsewhere) is None
    assert (await elsewhere.post("/api/auth/change-password", change(SECOND, FIRST))).status == 401
    ordinary = await user(await instance.new_reader("reader@example.org"))
    assert (ordinary["isAdmin"], ordinary["mustChangePassword"]) == (False, False)


async def test_5_2_3_the_first_administrator_grants_the_role_to_others(instance: Instance) -> None:
    admin = await with_rights(instance)
    reader = await instance.new_reader("eve@example.org")
    (eve,) = (await admin.get("/api/admin/users?search=eve")).json["users"]
    assert (await admin.send("PATCH", f"/api/admin/users/{eve['id']}", json={"role": "admin"})).status == 204
    await reader.enter("sign-in", "eve@example.org", READERS_PASSWORD)
    assert (await user(reader))["isAdmin"] is True


async def test_5_2_3_with_account_email_the_address_is_verified_before_sign_in(
    environment: dict[str, str], settings: AppSettings, new_instance: NewInstance
) -> None:
    sender = {"enabled": True, "senderName": "L", "senderEmail": "l@example.org", "apiKey": "k" * 20}
    seed = {"RUNTIME_SEED_JSON": json.dumps({"version": 1, "accountEmail": sender})}
    nowhere = {"ACCOUNT_EMAIL_API_URL": "http://127.0.0.1:9"}  # nobody listens at the discard port
    async with open_app(read_app_settings({**environment, **ADMINISTRATOR, **seed, **nowhere})):
        pass
    async with new_instance() as instance:
        answer = await (await instance.new_browser()).enter("sign-in", EMAIL, FIRST)
    assert (answer.status, answer.code) == (403, "EMAIL_NOT_VERIFIED")


async def test_5_2_1_one_account_is_seeded_from_an_address_and_an_inline_password(
    instance: Instance,
) -> None:
    admin = await with_rights(instance)
    users = (await admin.get("/api/admin/users")).json
    assert (users["total"], users["users"][0]["email"], users["users"][0]["role"]) == (1, EMAIL, "admin")


async def test_5_2_1_the_password_may_stand_in_a_file_whose_last_newline_is_removed(
    environment: dict[str, str],
    tmp_path: Path,
    settings: AppSettings,
    new_instance: NewInstance,
) -> None:
    file = tmp_path / "password"
    file.write_text(f"{FIRST}\n")
    variables = {"BOOTSTRAP_ADMIN_EMAIL": EMAIL, "BOOTSTRAP_ADMIN_PASSWORD_FILE": str(file)}
    async with open_app(read_app_settings({**environment, **variables})):
        pass
    async with new_instance() as instance:  # over the same data; its own variables are inert by now
        await signed_in(instance, FIRST)


@pytest.mark.parametrize("sources", [(), ("BOOTSTRAP_ADMIN_PASSWORD", "BOOTSTRAP_ADMIN_PASSWORD_FILE")])
def test_5_2_1_it_takes_exactly_one_password_source(
    environment: dict[str, str], tmp_path: Path, sources: tuple[str, ...]
) -> None:
    (tmp_path / "password").write_text(FIRST)
    values = {"BOOTSTRAP_ADMIN_PASSWORD": FIRST, "BOOTSTRAP_ADMIN_PASSWORD_FILE": str(tmp_path / "password")}
    chosen = {name: values[name] for name in sources}
    with pytest.raises(ConfigurationError, match="BOOTSTRAP_ADMIN_PASSWORD"):
        read_app_settings({**environment, "BOOTSTRAP_ADMIN_EMAIL": EMAIL, **chosen})


def test_5_2_2_the_password_has_at_least_16_characters(environment: dict[str, str]) -> None:
    for password, is_long_enough in (("fifteen of them", False), ("sixteen of them!", True)):
        variables = {**ADMINISTRATOR, "BOOTSTRAP_ADMIN_PASSWORD": password}
        if is_long_enough:
            assert read_app_settings({**environment, **variables}).first_boot.administrator
        else:
            with pytest.raises(ConfigurationError, match="BOOTSTRAP_ADMIN_PASSWORD"):
                read_app_settings({**environment, **variables})


async def test_5_2_4_the_seed_is_consumed_once_and_neither_restart_nor_deletion_recreates_it(
    new_instance: NewInstance,
) -> None:
    async with new_instance() as first:
        admin = await with_rights(first)
        eve = await first.new_reader("eve@example.org")
        for found in (await admin.get("/api/admin/users?search=eve")).json["users"]:
            await admin.send("PATCH", f"/api/admin/users/{found['id']}", json={"role": "admin"})
    async with new_instance() as second:
        assert (await (await second.new_browser()).enter("sign-in", EMAIL, FIRST)).status == 401
        assert (await user(await signed_in(second, SECOND)))["isAdmin"]
        eve = await second.new_browser()
        await eve.enter("sign-in", "eve@example.org", READERS_PASSWORD)
        (former,) = (await eve.get(f"/api/admin/users?search={EMAIL}")).json["users"]
        assert (await eve.send("DELETE", f"/api/admin/users/{former['id']}")).status == 204
    async with new_instance() as third:
        for password in (FIRST, SECOND):
            assert (await (await third.new_browser()).enter("sign-in", EMAIL, password)).status == 401


async def test_5_2_4_an_existing_admin_prevents_new_seeding(
    environment: dict[str, str], new_instance: NewInstance
) -> None:
    async with new_instance() as instance:
        await with_rights(instance)
    other = {"BOOTSTRAP_ADMIN_EMAIL": "other@example.org", "BOOTSTRAP_ADMIN_PASSWORD": FIRST}
    async with open_app(read_app_settings({**environment, **other})):
        pass
    async with new_instance() as instance:
        users = (await (await signed_in(instance, SECOND)).get("/api/admin/users")).json["users"]
    assert [found["email"] for found in users] == [EMAIL]


async def test_5_2_5_after_rotation_neither_restart_nor_edit_is_needed_and_the_variables_may_go(
    environment: dict[str, str], new_instance: NewInstance
) -> None:
    async with new_instance() as instance:
        admin = await with_rights(instance)
        assert (await admin.get("/api/admin/users")).status == 200
    async with open_app(read_app_settings(environment)):
        pass
    async with new_instance() as instance:
        assert (await user(await signed_in(instance, SECOND)))["isAdmin"]


def test_5_2_6_the_variables_are_the_apps_alone(environment: dict[str, str]) -> None:
    for name, value in ADMINISTRATOR.items():
        with pytest.raises(ConfigurationError, match=name):
            read_worker_settings({**environment, name: value})


def test_5_2_6_the_runtime_seed_holds_no_administrator(environment: dict[str, str]) -> None:
    for key in ("bootstrapAdmin", "BOOTSTRAP_ADMIN_PASSWORD"):
        seed = json.dumps({"version": 1, key: {"email": EMAIL, "password": FIRST}})
        with pytest.raises(ConfigurationError, match="RUNTIME_SEED_JSON"):
            read_settings({**environment, "RUNTIME_SEED_JSON": seed})


async def test_5_2_7_admins_manage_shared_providers_and_site_features_in_the_app(instance: Instance) -> None:
    admin = await with_rights(instance)
    provider = {
        "slug": "home",
        "displayName": "Home",
        "providerType": "custom-openai",
        "baseUrl": "http://a/v1",
    }
    assert (await admin.post("/api/admin/providers", provider)).status == 201
    assert (await admin.send("PATCH", "/api/admin/features", json={"maxUploadMb": 7})).status == 200
    reader = await instance.new_reader("reader@example.org")
    shown = (await reader.get("/api/tts/shared-providers")).json["providers"]
    assert "home" in [choice["ref"] for choice in shown]
    assert (await reader.get("/api/auth/session")).json["features"]["maxUploadMb"] == 7
