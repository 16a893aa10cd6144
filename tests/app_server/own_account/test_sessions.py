"""The devices that are signed in, and signing them out."""

from app_fixtures.browser import PASSWORD, Browser, Instance

FIREFOX = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"}


async def sessions(browser: Browser) -> list[dict[str, object]]:
    shown: list[dict[str, object]] = (await browser.get("/api/user/sessions")).json["sessions"]
    return shown


async def elsewhere(instance: Instance, email: str = "reader@example.org") -> Browser:
    browser = await instance.new_browser()
    credentials = {"email": email, "password": PASSWORD}
    assert (await browser.post("/api/auth/sign-in", credentials, headers=FIREFOX)).status == 200
    return browser


async def is_signed_in(browser: Browser) -> bool:
    return (await browser.get("/api/documents")).status == 200


async def test_every_device_is_listed_and_ones_own_is_marked(
    instance: Instance, reader: Browser, clock
) -> None:
    clock.turn(seconds=60)
    other = await elsewhere(instance)
    first, second = await sessions(reader)
    assert (first["device"], first["isCurrent"]) == ("Firefox on Linux", False)
    assert (second["isCurrent"], second["address"]) == (True, "127.0.0.1")
    assert first["lastSeenAt"] == "2027-01-15T08:01:00.000Z"
    assert [it["isCurrent"] for it in await sessions(other)] == [True, False]


async def test_when_a_device_was_last_seen_is_known_to_five_minutes(reader: Browser, clock) -> None:
    clock.turn(seconds=299)
    assert (await sessions(reader))[0]["lastSeenAt"] == "2027-01-15T08:00:00.000Z"
    clock.turn(seconds=1)
    assert (await sessions(reader))[0]["lastSeenAt"] == "2027-01-15T08:05:00.000Z"


async def test_a_device_can_be_signed_out(instance: Instance, reader: Browser) -> None:
    other = await elsewhere(instance)
    (theirs,) = [it["id"] for it in await sessions(reader) if not it["isCurrent"]]
    assert (await reader.send("DELETE", f"/api/user/sessions/{theirs}")).status == 204
    assert not await is_signed_in(other)
    assert await is_signed_in(reader)
    assert (await reader.send("DELETE", f"/api/user/sessions/{theirs}")).code == "SESSION_NOT_FOUND"


async def test_all_others_can_be_signed_out_at_once(instance: Instance, reader: Browser) -> None:
    others = [await elsewhere(instance) for _ in range(2)]
    assert (await reader.send("DELETE", "/api/user/sessions")).status == 204
    assert [await is_signed_in(browser) for browser in (*others, reader)] == [False, False, True]


async def test_nobody_signs_out_devices_of_others(instance: Instance, reader: Browser) -> None:
    (mine,) = await sessions(reader)
    stranger = await instance.new_reader("stranger@example.org")
    assert (await stranger.send("DELETE", f"/api/user/sessions/{mine['id']}")).status == 404
    assert (await stranger.send("DELETE", "/api/user/sessions")).status == 204
    assert await is_signed_in(reader)


async def test_a_password_change_ends_the_other_sessions(instance: Instance, reader: Browser) -> None:
    other = await elsewhere(instance)
    body = {"currentPassword": PASSWORD, "newPassword": "another good password"}
    assert (await reader.post("/api/auth/change-password", body)).status == 200
    assert not await is_signed_in(other)
    assert [it["isCurrent"] for it in await sessions(reader)] == [True]


async def test_what_one_stores_is_counted(reader: Browser) -> None:
    await reader.add_document(b"<p>" + b"a" * 993 + b"</p>", "one.html")
    await reader.add_document(b"<p>" + b"b" * 493 + b"</p>", "two.html")
    account = (await reader.get("/api/user/account")).json
    assert account == {
        "email": "reader@example.org",
        "emailVerified": False,
        "hasPassword": True,
        "sendsEmail": False,
        "documentCount": 2,
        "storedBytes": 1500,
    }
