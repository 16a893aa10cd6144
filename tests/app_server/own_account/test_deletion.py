"""Deleting one's account: storage first, then rows; what others own stays."""

import pytest
from app_fixtures.browser import PASSWORD, Answer, Browser, Instance
from sqlalchemy import func, select

from app_server.database.engine import open_database, sqlite_url
from app_server.database.schema import metadata, users
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.objects.ports import ObjectStore

ADMIN, FIRST, SECOND = "admin@example.org", "a first password of its own", "another one that only she knows"


@pytest.fixture
def settings(environment: dict[str, str]) -> AppSettings:
    return read_app_settings(
        {**environment, "BOOTSTRAP_ADMIN_EMAIL": ADMIN, "BOOTSTRAP_ADMIN_PASSWORD": FIRST}
    )


async def delete(browser: Browser, password: str = PASSWORD) -> Answer:
    return await browser.send("DELETE", "/api/account", json={"currentPassword": password})


async def stored(objects: ObjectStore) -> list[str]:
    return [item.key async for item in objects.list("")]


async def test_everything_goes_and_what_somebody_else_has_too_stays(
    instance: Instance, objects: ObjectStore, settings: AppSettings
) -> None:
    ada, eve = await instance.new_reader("ada@example.org"), await instance.new_reader("eve@example.org")
    await ada.add_document(b"<p>Only mine.</p>", "mine.html")
    await ada.add_document(b"<p>Of both.</p>", "both.html")
    shared = await eve.add_document(b"<p>Of both.</p>", "both.html")
    before = await stored(objects)
    assert len([key for key in before if key.startswith("documents/")]) == 2
    answer = await delete(ada)
    assert answer.status == 204
    assert 'lectern_session=""' in answer.headers["Set-Cookie"]
    assert (await ada.get("/api/auth/session")).json["user"] is None
    assert (await ada.enter("sign-in", "ada@example.org")).code == "CREDENTIALS_WRONG"
    (left,) = [key for key in await stored(objects) if key.startswith("documents/")]
    assert await objects.get(left) == b"<p>Of both.</p>"
    assert (await eve.get(f"/api/documents/{shared}/file")).body == b"<p>Of both.</p>"
    assert settings.database.path
    async with open_database(sqlite_url(settings.database.path)) as database, database.read() as connection:
        assert (await connection.scalars(select(users.c.email).order_by(users.c.email))).all() == [
            ADMIN, "eve@example.org"
        ]  # fmt: skip
        for table in ("documents", "reading_positions", "sessions"):
            count = await connection.scalar(select(func.count()).select_from(metadata.tables[table]))
            assert count == (0 if table == "reading_positions" else 1), table


async def test_the_password_is_asked_for(reader: Browser) -> None:
    refused = await delete(reader, "not the password")
    assert (refused.status, refused.json["errors"][0]["field"]) == (422, "currentPassword")
    assert (await reader.get("/api/documents")).status == 200


async def test_the_last_active_administrator_stays(instance: Instance) -> None:
    admin = await instance.new_browser()
    await admin.enter("sign-in", ADMIN, FIRST)
    await admin.post("/api/auth/change-password", {"currentPassword": FIRST, "newPassword": SECOND})
    await admin.add_document()
    refused = await delete(admin, SECOND)
    assert (refused.status, refused.code) == (409, "LAST_ADMINISTRATOR")
    session = (await admin.get("/api/auth/session")).json
    assert session["user"]["isAdmin"]
    assert len((await admin.get("/api/documents")).json["documents"]) == 1


async def test_an_administrator_goes_when_there_is_another(instance: Instance) -> None:
    admin = await instance.new_browser()
    await admin.enter("sign-in", ADMIN, FIRST)
    await admin.post("/api/auth/change-password", {"currentPassword": FIRST, "newPassword": SECOND})
    other = await instance.new_reader("other@example.org")
    other_id = (await other.get("/api/auth/session")).json["user"]["id"]
    made = await admin.send("PATCH", f"/api/admin/users/{other_id}", json={"role": "admin"})
    assert made.status == 204
    assert (await delete(admin, SECOND)).status == 204


async def test_the_same_address_can_sign_up_again_and_finds_nothing(instance: Instance) -> None:
    ada = await instance.new_reader("ada@example.org")
    await ada.add_document()
    await delete(ada)
    again = await instance.new_reader("ada@example.org")
    assert (await again.get("/api/documents")).json["documents"] == []


async def test_only_who_is_signed_in_deletes(instance: Instance) -> None:
    assert (await delete(await instance.new_browser())).status == 401
