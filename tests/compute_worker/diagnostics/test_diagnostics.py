"""A worker tells what it finds of the parts that it depends on, and of itself what may be known."""

import asyncio

from aiohttp import web

from compute_worker.diagnostics.looks import look_at_broker, look_at_credential_broker, look_at_object_store
from compute_worker.diagnostics.servicer import DiagnosticsServicer
from compute_worker.operations.broker import BrokerLimits, connect_broker
from compute_worker.playback.sound_check import SoundCheck
from compute_worker.speech.model import Provider, ProviderType
from lectern.compute.v1 import diagnostics_pb2 as pb
from servers.nats import NatsServer
from shared.errors import Code, LecternError
from shared.objects.memory_store import MemoryStore
from shared.playback_token import SOUND_CHECK_SESSION, PlaybackTokens


class Credentials:
    """Gives the built-in voice, or fails as it is told."""

    def __init__(self, failure: LecternError | None = None) -> None:
        self._failure = failure

    async def resolve(self, provider_ref: str) -> Provider:
        if self._failure:
            raise self._failure
        return Provider(provider_ref, ProviderType.BUILTIN)


async def good() -> str:
    return "It answers."


async def diagnosed(**looks) -> pb.DiagnoseResponse:
    parts = dict.fromkeys(("broker", "object_store", "credential_broker", "alignment_model"), good)
    servicer = DiagnosticsServicer(
        worker_id="worker-1",
        version="1.2.3",
        playback_secret_fingerprint="ab",
        **{"limit_seconds": 0.05, **parts, **looks},
    )
    return await servicer.Diagnose(pb.DiagnoseRequest(), None)


async def test_a_worker_looks_at_a_real_broker_and_says_how_full_it_is(nats_server: NatsServer) -> None:
    options = {"servers": [nats_server.url]}
    async with connect_broker(options, name="diagnostics", limits=BrokerLimits()) as broker:
        assert "3 stores answer" in await look_at_broker(broker)
    assert await look_at_object_store(MemoryStore())


async def test_a_refusal_of_the_builtin_voice_is_a_round_trip_too() -> None:
    assert await look_at_credential_broker(Credentials())
    assert await look_at_credential_broker(Credentials(LecternError(Code.NOT_FOUND, "It is turned off.")))
    refused = LecternError(Code.UNAUTHENTICATED, "The bearer token is wrong.", reason="TOKEN_REFUSED")
    found = await diagnosed(credential_broker=lambda: look_at_credential_broker(Credentials(refused)))
    assert (found.credential_broker.ok, found.credential_broker.code) == (False, "TOKEN_REFUSED")


async def test_a_part_that_fails_is_a_finding_and_spoils_no_other() -> None:
    async def silent() -> str:
        return str(await asyncio.Event().wait())

    async def broken() -> str:
        raise RuntimeError("postgresql://user:password@host")

    found = await diagnosed(broker=silent, object_store=broken)
    assert (found.worker_id, found.version, found.playback_secret_fingerprint) == ("worker-1", "1.2.3", "ab")
    assert (found.broker.ok, found.broker.code) == (False, "NO_ANSWER")
    assert (found.object_store.ok, found.object_store.code) == (False, "UNKNOWN")
    assert "password" not in str(found)
    assert (found.credential_broker.ok, found.credential_broker.message) == (True, "It answers.")


async def test_a_sound_check_is_sound_for_who_has_a_token_of_the_same_secret(aiohttp_client) -> None:
    app = web.Application()
    SoundCheck(tokens=PlaybackTokens(secret="secret")).add_to(app)
    client = await aiohttp_client(app)
    for secret, status in (("secret", 200), ("another", 403)):
        minted = PlaybackTokens(secret=secret).mint(
            session_id=SOUND_CHECK_SESSION, user_id="a", document_id=""
        )
        address = f"/v1/tts-playback/sessions/{SOUND_CHECK_SESSION}/audio?token={minted.token}"
        async with client.get(address) as answer:
            assert answer.status == status
            assert (answer.content_type == "audio/mpeg") is (status == 200)
