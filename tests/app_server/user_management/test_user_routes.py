"""Users in the hands of an administrator: approved, suspended, promoted, deleted with all they stored."""

import hashlib

import pytest
from app_fixtures.administrator import EMAIL, PASSWORD, VARIABLES, new_administrator
from app_fixtures.browser import PASSWORD as READERS_PASSWORD
from app_fixtures.browser import Browser, Instance

from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.objects.ports import ObjectStore

USERS = "/api/admin/users"
SEED = '{"version": 1, "runtimeConfig": {"signupPolicy": "approval"}}'


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings({**environment, **VARIABLES, "RUNTIME_SEED_JSON": SEED})


async def found(admin: Browser, **query: str) -> dict[str, dict[str, object]]:
    answer = await admin.get(USERS, params=query)
    return {str(user["email"]): user for user in answer.json["users"]}


async def change(admin: Browser, email: str, **changes: str) -> None:
    user = (await found(admin, search=email))[email]
    answer = await admin.send("PATCH", f"{USERS}/{user['id']}", json=changes)
    assert answer.status == 204, answer.body


async def test_an_account_waits_comes_in_is_put_out_and_is_deleted_with_its_files(
    instance: Instance, objects: ObjectStore
) -> None:
    admin = await new_administrator(instance)
    bob = await instance.new_browser()
    assert (await bob.enter("sign-up", "bob@example.org")).code == "ACCOUNT_PENDING"
    assert set(await found(admin, status="pending")) == {"bob@example.org"}
    assert (await admin.get(USERS)).json["pending"] == 1
    await change(admin, "bob@example.org", status="active")
    assert (await bob.enter("sign-in", "bob@example.org")).status == 200

    body = b"<p>Only Bob has this.</p>"
    await bob.add_document(body)
    key = f"documents/{hashlib.sha256(body).hexdigest()}"
    assert await objects.info(key) is not None
    shown = (await found(admin, search="BOB"))["bob@example.org"]
    assert (shown["documentCount"], shown["storedBytes"], shown["kind"]) == (1, len(body), "account")
    assert shown["lastSeenAt"] is not None

    await change(admin, "bob@example.org", status="suspended")
    assert (await bob.get("/api/documents")).status == 401
    assert (await bob.enter("sign-in", "bob@example.org")).code == "ACCOUNT_SUSPENDED"
    assert (await admin.send("DELETE", f"{USERS}/{shown['id']}")).status == 204
    assert await objects.info(key) is None
    assert (await bob.enter("sign-in", "bob@example.org")).code == "CREDENTIALS_WRONG"
    assert set(await found(admin)) == {EMAIL}
    log = (await admin.get("/api/admin/audit?action=user")).json["entries"]
    assert {entry["action"] for entry in log} == {"user.approve", "user.suspend", "user.delete"}


async def test_a_second_administrator_can_take_the_first_ones_place(instance: Instance) -> None:
    admin = await new_administrator(instance)
    eve = await instance.new_browser()
    await eve.enter("sign-up", "eve@example.org")
    await change(admin, "eve@example.org", status="active", role="admin")
    assert (await eve.enter("sign-in", "eve@example.org", READERS_PASSWORD)).status == 200
    first = (await found(eve, search=EMAIL))[EMAIL]
    for method, body in (("PATCH", {"role": "member"}), ("PATCH", {"status": "suspended"}), ("DELETE", None)):
        own = await admin.send(method, f"{USERS}/{first['id']}", json=body)
        assert (own.status, own.code) == (409, "OWN_ACCOUNT")
    await change(eve, EMAIL, role="member")
    assert (await admin.get(USERS)).status == 401
    assert (await admin.enter("sign-in", EMAIL, PASSWORD)).json["user"]["isAdmin"] is False
    assert (await admin.get(USERS)).code == "ADMIN_REQUIRED"
    for path, method in ((f"{USERS}/nobody", "DELETE"), (f"{USERS}/nobody", "PATCH")):
        missing = await eve.send(method, path, json={} if method == "PATCH" else None)
        assert (missing.status, missing.code) == (404, "USER_NOT_FOUND")
    assert (await eve.get(f"{USERS}?page=0")).status == 422
    assert (await eve.get(f"{USERS}?status=asleep")).status == 422
