"""Limits in the running application, with two app servers over one database where that matters."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from aiohttp import CookieJar, FormData
from aiohttp.test_utils import TestClient, TestServer
from app_fixtures.administrator import VARIABLES, new_administrator
from app_fixtures.browser import Answer, Browser, Instance
from app_fixtures.worker import StatefulWorker

from app_server.compute_limits.defaults import default_policies
from app_server.library.formats import DocumentFormat
from app_server.library.limits import opening_action
from app_server.wiring.application import open_app
from lectern.metering.v1 import metering_pb2
from lectern.metering.v1.metering_pb2_grpc import SpeechMeterServiceStub
from lectern.policies.v1 import policies_pb2
from lectern.policies.v1.policies_pb2_grpc import WorkPolicyServiceStub
from shared.configuration.app_settings import read_app_settings
from shared.errors import Code, LecternError
from shared.rpc.channel import open_channel

SESSIONS = "/api/tts/playback/sessions"
LIMITS = "/api/admin/compute-limits"
BASE_URL = "http://localhost:3003"


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, **VARIABLES, "USE_ANONYMOUS_AUTH_SESSIONS": "true"}


@pytest.fixture
async def admin(instance: Instance) -> Browser:
    return await new_administrator(instance)


@pytest.fixture
async def other_instance(
    instance: Instance, environment: dict[str, str], free_port: Callable[[], int], clock: Any
) -> AsyncIterator[Instance]:
    """A second app server over the same database."""
    settings = read_app_settings({**environment, "CREDENTIAL_BROKER_GRPC_PORT": str(free_port())})
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(
            TestServer(await stack.enter_async_context(open_app(settings, clock=clock)))
        )

        async def new_browser() -> Browser:
            client = TestClient(server, cookie_jar=CookieJar(unsafe=True))
            return Browser(client=await stack.enter_async_context(client), origin=BASE_URL)

        yield Instance(new_browser=new_browser, app=server.app)


def policies(**actions: dict[str, Any]) -> dict[str, Any]:
    """The default document with these actions turned on, and nothing of their limits but what is given."""
    document: dict[str, Any] = default_policies().model_dump(mode="json", by_alias=True, exclude_none=True)
    for name, change in actions.items():
        empty = {"admission": {"windows": [], "active": []}, "usage": []}
        document["actions"][name] |= {"enabled": True, **empty, **change}
    return document


async def turn_on(admin: Browser, **actions: dict[str, Any]) -> None:
    answer = await admin.send("PUT", LIMITS, json=policies(**actions))
    assert answer.status == 200, answer.body


def windows(limit: int, seconds: int = 60, scope: str = "user") -> dict[str, Any]:
    window = {"scope": scope, "windowSeconds": seconds, "limit": limit}
    return {"admission": {"windows": [window], "active": []}}


def active(limit: int, scope: str = "user") -> dict[str, Any]:
    lease = {"scope": scope, "limit": limit, "leaseSeconds": 1800}
    return {"admission": {"windows": [], "active": [lease]}}


def daily(
    limit: int, scope: str = "user", metric: str = "characters", boundary: str = "soft_unit"
) -> dict[str, Any]:
    rule = {
        "scope": scope,
        "audience": "all",
        "metric": metric,
        "window": "utc_day",
        "limit": limit,
        "boundary": boundary,
    }
    return {"usage": [rule]}


async def play(browser: Browser, document_id: str) -> Answer:
    body = {"documentId": document_id, "start": {"ordinal": 0}, "settings": {"providerRef": "builtin"}}
    return await browser.post(SESSIONS, body)


def assert_refused(answer: Answer, code: str) -> None:
    assert (answer.status, answer.code) == (429, code), answer.body
    assert int(answer.headers["Retry-After"]) >= 1
    assert answer.json["resets_at"].endswith("Z")


async def test_nothing_is_limited_until_an_administrator_says_so(admin: Browser, instance: Instance) -> None:
    reader = await instance.new_reader("reader@example.org")
    document_id = await reader.add_document()
    for _ in range(13):  # one more than the default of a minute
        assert (await play(reader, document_id)).status == 201
    assert (await reader.get("/api/usage")).json["limits"] == []


async def test_a_window_holds_over_several_app_servers_and_opens_again(
    admin: Browser, instance: Instance, other_instance: Instance, clock: Any
) -> None:
    await turn_on(admin, tts_playback=windows(3))
    clock.turn(seconds=15)  # until every app server knows
    reader = await instance.new_reader("reader@example.org")
    elsewhere = await other_instance.new_browser()
    assert (await elsewhere.enter("sign-in", "reader@example.org")).status == 200
    document_id = await reader.add_document()
    for browser in (reader, elsewhere, reader):
        assert (await play(browser, document_id)).status == 201
    for browser in (reader, elsewhere):
        refused = await play(browser, document_id)
        assert_refused(refused, "RATE_LIMIT_REACHED")
        assert "started listening 3 times in 1 minute" in refused.json["detail"]
    [left] = (await elsewhere.get("/api/usage")).json["limits"]
    assert (left["metric"], left["used"], left["left"], left["windowSeconds"]) == ("starts", 3, 0, 60)
    clock.turn(seconds=60)
    assert (await play(elsewhere, document_id)).status == 201


async def test_listening_counts_as_active_while_it_goes_on(
    admin: Browser, instance: Instance, other_instance: Instance, clock: Any
) -> None:
    await turn_on(admin, tts_playback=active(1, scope="site"))
    clock.turn(seconds=15)
    ada, eve = (
        await instance.new_reader("ada@example.org"),
        await other_instance.new_reader("eve@example.org"),
    )
    hers, theirs = await ada.add_document(), await eve.add_document(b"<p>Another.</p>")
    session = (await play(ada, hers)).json["sessionId"]
    assert_refused(await play(eve, theirs), "SITE_BUSY")
    assert (await play(ada, hers)).status == 201  # the same again is nothing more
    cursor = f"{SESSIONS}/{session}/cursor"
    clock.turn(seconds=1700)
    assert (await ada.post(cursor, {"ordinal": 1, "playing": True})).status == 204
    clock.turn(seconds=1700)
    assert_refused(await play(eve, theirs), "SITE_BUSY")
    # A pause makes room, and going on needs some.
    assert (await ada.post(cursor, {"ordinal": 1, "playing": False})).status == 204
    assert (await play(eve, theirs)).status == 201
    assert_refused(await ada.post(cursor, {"ordinal": 1, "playing": True}), "SITE_BUSY")
    # Who vanishes gives it up in the end.
    clock.turn(seconds=1801)
    assert (await ada.post(cursor, {"ordinal": 1, "playing": True})).status == 204
    assert (await ada.post(f"{SESSIONS}/{session}/cancel")).status == 204
    assert (await play(eve, theirs)).status == 201


async def test_a_plan_is_made_once_and_counted_once(admin: Browser, instance: Instance) -> None:
    await turn_on(admin, tts_playback_plan=windows(1))
    reader = await instance.new_reader("reader@example.org")
    first, second = await reader.add_document(), await reader.add_document(b"<p>Second.</p>")
    for _ in range(3):
        assert (await play(reader, first)).status == 201
    assert_refused(await play(reader, second), "RATE_LIMIT_REACHED")


async def test_whole_documents_are_spoken_ahead_only_as_far_as_that_is_allowed(
    admin: Browser, instance: Instance, worker: StatefulWorker
) -> None:
    extent = {"ttsPlaybackBackgroundExtent": "document"}
    assert (await admin.send("PATCH", "/api/admin/features", json=extent)).status == 200
    await turn_on(admin, tts_playback_document=active(1))
    reader = await instance.new_reader("reader@example.org")
    extents = []
    for body in (b"<p>One.</p>", b"<p>Two.</p>"):
        session = (await play(reader, await reader.add_document(body))).json["sessionId"]
        extents.append(worker.sessions[session].background_extent)
    assert extents == [2, 1]  # the second by sections


async def test_a_file_that_a_limit_keeps_out_leaves_nothing_behind(
    admin: Browser, instance: Instance, objects: Any
) -> None:
    name = "a.txt"
    await turn_on(admin, document_preview=windows(1))
    reader = await instance.new_reader("reader@example.org")
    await reader.add_document(b"First.", name)
    before = {found.key async for found in objects.list("")}
    refused = await reader.upload(b"Second.", name)
    assert_refused(refused, "RATE_LIMIT_REACHED")
    assert {found.key async for found in objects.list("")} == before
    assert len((await reader.get("/api/documents")).json["documents"]) == 1
    assert (await reader.upload(b"First.", name)).status == 201  # that one is there already


async def test_opening_files_counts_as_active_until_they_are_open(admin: Browser, instance: Instance) -> None:
    await turn_on(admin, document_preview=active(1))
    reader = await instance.new_reader("reader@example.org")
    for number in range(3):
        await reader.add_document(f"<p>{number}</p>".encode())  # each is ready before the next


@pytest.mark.parametrize(
    ("document_format", "action"),
    [
        (DocumentFormat.PDF, "pdf_layout"),
        (DocumentFormat.DOCX, "document_conversion"),
        (DocumentFormat.EPUB, "document_preview"),
        (DocumentFormat.TEXT, "document_preview"),
    ],
)
def test_each_kind_of_file_is_an_action_of_its_own(document_format: DocumentFormat, action: str) -> None:
    assert opening_action(document_format) == action


async def test_files_and_bytes_of_a_day_are_counted(admin: Browser, instance: Instance, clock: Any) -> None:
    await turn_on(admin, document_preview=daily(2, metric="files"))
    reader = await instance.new_reader("reader@example.org")
    for number in range(2):
        await reader.add_document(f"<p>{number}</p>".encode())
    refused = await reader.upload(b"<p>3</p>", "c.html")
    assert_refused(refused, "USAGE_LIMIT_REACHED")
    [left] = (await reader.get("/api/usage")).json["limits"]
    assert (left["metric"], left["used"], left["left"]) == ("files", 2, 0)
    await turn_on(admin, document_preview=daily(40, metric="input_bytes", boundary="strict"))
    assert_refused(await reader.upload(b"<p>" + b"x" * 40 + b"</p>", "d.html"), "USAGE_LIMIT_REACHED")


async def test_previews_of_voices_are_charged_unless_they_fail(
    admin: Browser, instance: Instance, worker: StatefulWorker
) -> None:
    await turn_on(admin, tts_synthesis=daily(10))
    reader = await instance.new_reader("reader@example.org")
    body = {"providerRef": "builtin", "text": "123456", "voice": "en"}
    assert (await reader.post("/api/tts/voice-preview", body)).status == 200
    await worker.stop()
    assert (await reader.post("/api/tts/voice-preview", body)).status == 503
    assert (await reader.get("/api/usage")).json["limits"][0]["used"] == 6
    await turn_on(admin, tts_synthesis=daily(6))
    assert_refused(await reader.post("/api/tts/voice-preview", body), "USAGE_LIMIT_REACHED")


async def test_a_guests_device_is_known_by_a_cookie_that_only_we_can_make(
    admin: Browser, instance: Instance
) -> None:
    await turn_on(admin, document_preview=windows(1, scope="anonymous_device"))
    guest = await instance.new_browser()
    assert (await guest.post("/api/auth/guest")).status == 201
    first = await guest.upload(b"<p>1</p>", "a.html")
    assert first.status == 201
    cookie = first.headers["Set-Cookie"]
    assert cookie.startswith("lectern_device=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert_refused(await guest.upload(b"<p>2</p>", "b.html"), "RATE_LIMIT_REACHED")
    # Another guest session on the same device is the same device.
    device = cookie.split(";")[0]
    again = await instance.new_browser()
    assert (await again.post("/api/auth/guest")).status == 201
    session = next(c for c in again.client.session.cookie_jar if c.key == "lectern_session")
    for value, status in ((device, 429), (device[:-2] + "xx", 201)):
        headers = {"Cookie": f"lectern_session={session.value}; {value}"}
        again.client.session.cookie_jar.clear()
        answer = await again.send("POST", "/api/documents", data=_form(b"<p>3</p>"), headers=headers)
        assert answer.status == status, value
    # Who has an account has no such device.
    reader = await instance.new_reader("reader@example.org")
    for number in range(2):
        answer = await reader.upload(f"<p>{number}</p>".encode(), "c.html")
        assert (answer.status, "Set-Cookie" in answer.headers) == (201, False)


def _form(body: bytes) -> Any:
    form = FormData()
    form.add_field("file", body, filename="d.html", content_type="text/html")
    return form


async def test_workers_charge_by_either_transport_and_learn_when_it_is_on(
    admin: Browser, instance: Instance, worker: StatefulWorker, environment: dict[str, str]
) -> None:
    settings = read_app_settings(environment)
    await turn_on(admin, tts_synthesis=daily(100))
    reader = await instance.new_reader("reader@example.org")
    session = (await play(reader, await reader.add_document())).json["sessionId"]
    account = worker.sessions[session].usage_account
    assert "127.0.0.1" not in account
    broker = settings.credential_broker
    addresses = (f"grpc://127.0.0.1:{broker.grpc_port}", str(reader.client.make_url("")).rstrip("/"))
    for number, address in enumerate(addresses):
        async with open_channel(address, broker.token) as channel:
            meter = SpeechMeterServiceStub(channel)
            request = metering_pb2.ChargeSpeechRequest(
                usage_account=account, segment_key=f"s{number}", attempt_id="a", characters=60
            )
            for _ in range(2):
                answer = await meter.ChargeSpeech(request)
                assert (answer.speech_metering.is_on, answer.speech_metering.refresh_seconds) == (True, 60)
            if number == 1:
                request.segment_key = "one more"
                with pytest.raises(LecternError) as caught:
                    await meter.ChargeSpeech(request)
                assert caught.value.code is Code.RESOURCE_EXHAUSTED
                assert int(caught.value.details["resets_at_ms"]) > 0
                await meter.RefundSpeech(metering_pb2.RefundSpeechRequest(segment_key="s0", attempt_id="a"))
            for fault in ({"usage_account": "nobody"}, {"characters": 0}, {"segment_key": ""}):
                wrong = metering_pb2.ChargeSpeechRequest()
                wrong.CopyFrom(request)
                for name, value in fault.items():
                    setattr(wrong, name, value)
                with pytest.raises(LecternError) as caught:
                    await meter.ChargeSpeech(wrong)
                assert caught.value.code is Code.INVALID_ARGUMENT
    [left] = (await reader.get("/api/usage")).json["limits"]
    assert (left["doing"], left["used"], left["left"]) == ("new speech", 60, 40)
    await turn_on(admin)
    async with open_channel(addresses[0], broker.token) as channel:
        answer = await SpeechMeterServiceStub(channel).ChargeSpeech(request)
    assert not answer.speech_metering.is_on


async def test_workers_are_told_what_the_policies_ask_of_them_by_either_transport(
    admin: Browser, environment: dict[str, str]
) -> None:
    broker = read_app_settings(environment).credential_broker
    addresses = (f"grpc://127.0.0.1:{broker.grpc_port}", str(admin.client.make_url("")).rstrip("/"))

    async def told(address: str) -> policies_pb2.GetWorkPolicyResponse:
        async with open_channel(address, broker.token) as channel:
            return await WorkPolicyServiceStub(channel).GetWorkPolicy(policies_pb2.GetWorkPolicyRequest())

    for address in addresses:
        shipped = await told(address)
        assert not any(action.is_limited for action in shipped.actions)
        assert {action.name for action in shipped.actions} == {
            "pdf_layout",
            "tts_playback",
            "tts_playback_document",
            "tts_playback_plan",
            "document_preview",
            "document_conversion",
        }
        assert shipped.max_executing_per_worker == 3
        assert policies_pb2.ResourceLimit(name="archive_io", limit=2) in shipped.resources
        async with open_channel(address, "another token") as channel:
            with pytest.raises(LecternError) as caught:
                await WorkPolicyServiceStub(channel).GetWorkPolicy(policies_pb2.GetWorkPolicyRequest())
        assert caught.value.code is Code.UNAUTHENTICATED
    changed = policies(pdf_layout={})
    changed["actions"]["pdf_layout"]["execution"] |= {"priority": "interactive", "maxQueued": 2**40}
    changed["worker"] |= {"maxExecutingPerWorker": 7, "policyRefreshSeconds": 3}
    assert (await admin.send("PUT", LIMITS, json=changed)).status == 200
    for address in addresses:
        answer = await told(address)
        assert (answer.max_executing_per_worker, answer.refresh_seconds) == (7, 3)
        by_name = {action.name: action for action in answer.actions}
        assert by_name["pdf_layout"] == policies_pb2.ActionPolicy(
            name="pdf_layout",
            is_limited=True,
            priority=policies_pb2.PRIORITY_INTERACTIVE,
            max_queued=2**40,
            max_concurrent_per_worker=3,
            max_queue_age_seconds=600,
            resources=["cpu_heavy", "model_inference"],
        )
        assert not by_name["tts_playback"].is_limited


async def test_the_document_is_taken_whole_or_not_at_all(admin: Browser) -> None:
    shown = (await admin.get(LIMITS)).json
    assert (shown["source"], shown["policies"]) == ("default", shown["defaults"])
    wrong = policies()
    del wrong["actions"]["pdf_layout"]["usage"]
    wrong["actions"]["tts_playback"]["admission"]["windows"][1]["limit"] = 0
    wrong["worker"]["more"] = 1
    answer = await admin.send("PUT", LIMITS, json=wrong)
    assert (answer.status, answer.code) == (422, "FIELDS_INVALID")
    assert {fault["field"] for fault in answer.json["errors"]} == {
        "/actions/pdf_layout/usage",
        "/actions/tts_playback/admission/windows/1/limit",
        "/worker/more",
    }
    for body, status in ((b"{", 400), (b"[]", 422), (b"null", 422)):
        headers = {"Content-Type": "application/json"}
        assert (await admin.send("PUT", LIMITS, data=body, headers=headers)).status == status
    assert (await admin.get(LIMITS)).json["source"] == "default"
    await turn_on(admin, tts_playback=windows(5))
    changed = (await admin.get(LIMITS)).json
    assert (changed["source"], changed["policies"]) == ("admin", policies(tts_playback=windows(5)))
    reset = await admin.send("DELETE", LIMITS)
    assert (reset.json["source"], reset.json["policies"]) == ("default", shown["defaults"])
    log = (await admin.get("/api/admin/audit?action=limits")).json["entries"]
    assert [entry["action"] for entry in log] == ["limits.reset", "limits.change"]


async def test_only_administrators_get_to_the_limits(instance: Instance, reader: Browser) -> None:
    for method in ("GET", "PUT", "DELETE"):
        assert (await reader.send(method, LIMITS, json={})).status == 403
    assert (await (await instance.new_browser()).get("/api/usage")).status == 401
