"""What the system check says of each part that fails, and that no part holds up another."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientSession
from app_fixtures.administrator import VARIABLES, new_administrator
from app_fixtures.browser import Instance

from app_server.providers.service import Choice
from app_server.system_check.broker_greeting import look_for_greeting
from app_server.system_check.model import Check, Finding, Item, Status, ok
from app_server.system_check.provider_check import ProviderCheck
from app_server.system_check.service import SystemCheck
from app_server.system_check.storage_checks import ObjectStoreCheck
from app_server.system_check.worker_checks import WorkerView
from lectern.compute.v1 import diagnostics_pb2 as pb
from servers.nats import NatsServer
from servers.object_store import ObjectStoreServer
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.errors import Code, LecternError
from shared.objects.memory_store import MemoryStore

GOOD = pb.Finding(ok=True, message="It answers.")
ANSWER = pb.DiagnoseResponse(
    worker_id="worker-1",
    version="1.0",
    playback_secret_fingerprint="ab",
    broker=GOOD,
    object_store=GOOD,
    credential_broker=GOOD,
    alignment_model=GOOD,
)
UNREACHABLE = LecternError(Code.UNAVAILABLE, "It can't be reached.", reason="SERVICE_UNREACHABLE")
REFUSED = LecternError(Code.UNAUTHENTICATED, "The bearer token is wrong.", reason="TOKEN_REFUSED")


def answering(answer: pb.DiagnoseResponse | LecternError) -> Callable[[], Awaitable[pb.DiagnoseResponse]]:
    async def diagnose() -> pb.DiagnoseResponse:
        if isinstance(answer, LecternError):
            raise answer
        return answer

    return diagnose


def view(answer: pb.DiagnoseResponse | LecternError, **options: Any) -> WorkerView:
    return WorkerView(
        **{
            "grpc": answering(answer),
            "gateway": answering(answer),
            "version": "1.0",
            "fingerprint": "ab",
            "is_embedded": False,
            "direct_broker": None,
            **options,
        }
    )


def answer(**changes: Any) -> pb.DiagnoseResponse:
    changed = pb.DiagnoseResponse()
    changed.CopyFrom(ANSWER)
    for name, value in changes.items():
        if isinstance(value, pb.Finding):
            getattr(changed, name).CopyFrom(value)
        else:
            setattr(changed, name, value)
    return changed


async def test_a_worker_that_answers_well_is_green_all_over() -> None:
    worker = view(ANSWER)
    looks = (
        worker.look_over_grpc, worker.look_over_gateway, worker.look_at_broker, worker.look_at_store,
        worker.look_at_credentials, worker.look_at_alignment_model, worker.look_at_secret,
    )  # fmt: skip
    for look in looks:
        found = await look()
        assert (found.status, found.fix) == (Status.OK, ""), found


OWN_IS_AWAY = view(UNREACHABLE, is_embedded=True)


@pytest.mark.parametrize(
    ("worker", "look", "status", "fix"),
    [
        (view(UNREACHABLE), WorkerView.look_over_grpc, Status.ERROR, "COMPUTE_WORKER_GRPC_URL"),
        (view(UNREACHABLE), WorkerView.look_over_gateway, Status.ERROR, "COMPUTE_WORKER_URL leads"),
        (OWN_IS_AWAY, WorkerView.look_over_gateway, Status.ERROR, "starts this worker"),
        (view(REFUSED), WorkerView.look_over_grpc, Status.ERROR, "COMPUTE_WORKER_TOKEN"),
        (view(UNREACHABLE, grpc=None), WorkerView.look_over_grpc, Status.OK, ""),
        (view(answer(version="0.9")), WorkerView.look_over_grpc, Status.WARN, "same version"),
        (view(UNREACHABLE), WorkerView.look_at_broker, Status.WARN, "worker first"),
        (view(UNREACHABLE), WorkerView.look_at_credentials, Status.WARN, "worker first"),
        (view(UNREACHABLE), WorkerView.look_at_secret, Status.WARN, "worker first"),
        (view(answer(broker=pb.Finding(code="X"))), WorkerView.look_at_broker, Status.ERROR, "BROKER_URL"),
        (
            view(answer(broker=pb.Finding(code="JOB_STATES_NEARLY_FULL"))),
            WorkerView.look_at_broker, Status.ERROR, "COMPUTE_JOB_STATES_MAX_BYTES",
        ),
        (
            view(answer(broker=pb.Finding(code="EVENTS_STREAM_FULL"))),
            WorkerView.look_at_broker, Status.WARN, "COMPUTE_EVENTS_STREAM_MAX_BYTES",
        ),
        (view(answer(object_store=pb.Finding())), WorkerView.look_at_store, Status.ERROR, "S3 variables"),
        (
            view(answer(credential_broker=pb.Finding(code="SERVICE_UNREACHABLE"))),
            WorkerView.look_at_credentials, Status.ERROR, "COMPUTE_CREDENTIAL_BROKER_URL",
        ),
        (
            view(answer(credential_broker=pb.Finding(code="TOKEN_REFUSED"))),
            WorkerView.look_at_credentials, Status.ERROR, "COMPUTE_CREDENTIAL_BROKER_TOKEN",
        ),
        (
            view(answer(alignment_model=pb.Finding(code="MODEL_UNREACHABLE"))),
            WorkerView.look_at_alignment_model, Status.WARN, "ALIGN_MODEL_BASE_URL",
        ),
        (view(UNREACHABLE), WorkerView.look_at_alignment_model, Status.WARN, "worker first"),
        (view(ANSWER, fingerprint="cd"), WorkerView.look_at_secret, Status.ERROR, "PLAYBACK_TOKEN_SECRET"),
    ],
)  # fmt: skip
async def test_what_a_worker_finds_wrong_brings_its_fix(
    worker: WorkerView, look: Callable[[WorkerView], Awaitable[Finding]], status: Status, fix: str
) -> None:
    found = await look(worker)
    assert found.status is status
    assert fix in found.fix
    assert bool(found.fix) is (status is not Status.OK)


async def test_one_transport_is_enough_to_know_the_rest() -> None:
    worker = view(ANSWER, grpc=answering(UNREACHABLE))
    assert (await worker.look_over_grpc()).status is Status.ERROR
    assert (await worker.look_over_gateway()).status is Status.OK
    assert (await worker.look_at_credentials()).status is Status.OK


async def test_the_broker_is_greeted_when_no_worker_tells_of_it(
    nats_server: NatsServer, object_store: ObjectStoreServer, free_port: Callable[[], int]
) -> None:
    found = await look_for_greeting("127.0.0.1", nats_server.port)
    assert found.status is Status.WARN
    assert "with JetStream" in found.detail
    assert (await look_for_greeting("127.0.0.1", free_port())).status is Status.ERROR
    worker = view(UNREACHABLE, direct_broker=lambda: look_for_greeting("127.0.0.1", nats_server.port))
    assert "with JetStream" in (await worker.look_at_broker()).detail


async def test_a_store_that_keeps_what_it_should_delete_is_found_out() -> None:
    class Keeping(MemoryStore):
        async def delete(self, key: str) -> None:
            """Says yes and does nothing."""

    class Changing(MemoryStore):
        async def get(self, key: str) -> bytes:
            return b"something else"

    assert (await ObjectStoreCheck(objects=MemoryStore()).look()).status is Status.OK
    assert "delete" in (await ObjectStoreCheck(objects=Keeping()).look()).fix
    assert (await ObjectStoreCheck(objects=Changing()).look()).status is Status.ERROR


async def test_somebody_must_be_able_to_speak() -> None:
    class Providers:
        def __init__(self, *choices: Choice) -> None:
            self._choices = list(choices)

        async def turned_on(self) -> tuple[list[Choice], str]:
            return self._choices, "home"

    home = Choice("home", "At home", "custom-openai", "")
    locked = Choice("locked", "Locked", "openai", "", has_readable_key=False)
    assert (await ProviderCheck(providers=Providers(home)).look()).status is Status.OK
    assert "enableBuiltinVoice" in (await ProviderCheck(providers=Providers()).look()).fix
    found = await ProviderCheck(providers=Providers(home, locked)).look()
    assert (found.status, "Locked" in found.detail) == (Status.ERROR, True)


async def test_a_part_that_hangs_or_breaks_spoils_no_other() -> None:
    async def hang() -> Finding:
        await asyncio.Event().wait()
        raise AssertionError

    async def fail() -> Finding:
        raise UNREACHABLE

    async def crash() -> Finding:
        raise RuntimeError("postgresql://user:password@host")

    async def work() -> Finding:
        return ok("It works.")

    looks = {"hang": hang, "fail": fail, "crash": crash, "work": work}
    checks = [Check(name, name, look, "Do this.") for name, look in looks.items()]
    items = {item.id: item for item in await SystemCheck(checks=lambda: checks, limit_seconds=0.05).run()}
    assert items["work"] == Item("work", "work", ok("It works."))
    for name in ("hang", "fail", "crash"):
        assert (items[name].finding.status, items[name].finding.fix) == (Status.ERROR, "Do this.")
    assert "password" not in str(items)


@pytest.fixture
def settings(environment: dict[str, str], object_store: ObjectStoreServer) -> AppSettings:
    presigned = {"S3_BROWSER_TRANSPORT": "presigned", "S3_PUBLIC_ENDPOINT": object_store.endpoint}
    return read_app_settings({**environment, **VARIABLES, **presigned})


async def test_a_browser_gets_addresses_that_it_can_try(instance: Instance, settings: AppSettings) -> None:
    admin = await new_administrator(instance)
    checked = (await admin.post("/api/admin/system-check")).json
    by_id = {item["id"]: item for item in checked["items"]}
    assert set(by_id) == {
        "database", "object-storage", "broker", "worker-grpc", "worker-gateway", "worker-storage",
        "credential-broker", "alignment-model", "playback-secret", "providers",
    }  # fmt: skip
    assert (by_id["database"]["status"], by_id["object-storage"]["status"]) == ("ok", "ok")
    assert by_id["worker-gateway"]["status"] == "error"  # the small worker of these tests has none
    facts = checked["browser"]
    assert facts["baseUrl"] == settings.base_url
    assert facts["soundUrl"].startswith(f"{settings.worker.public_url}/v1/tts-playback/sessions/soundcheck/")
    async with ClientSession() as http, http.get(facts["objectUrl"]) as answer:
        assert (answer.status, await answer.text()) == (200, facts["objectText"])
