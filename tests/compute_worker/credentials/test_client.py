"""How the worker asks for credentials: how often, what it makes of each answer, what it keeps to itself."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs

from compute_worker.credentials.client import ATTEMPTS, BACKOFF_SECONDS, CredentialBrokerClient
from compute_worker.credentials.ports import CredentialBrokerError
from compute_worker.diagnostics.looks import look_at_credential_broker
from compute_worker.speech.model import ProviderType
from lectern.credentials.v1 import credentials_pb2 as pb
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceServicer
from lectern.metering.v1.metering_pb2 import SpeechMetering
from lectern.metering.v1.metering_pb2_grpc import SpeechMeterServiceServicer
from servers.rpc import serving_rpc
from shared.configuration.declared.worker import CREDENTIALS_PATH
from shared.errors import Code, LecternError
from shared.rpc.channel import open_channel

TOKEN = "broker-token-sentinel-5b1f0c"
SENTINEL = "sk-sentinel-0123456789abcdef"
TRANSPORTS = pytest.mark.parametrize("transport", ["grpc", "http"])
AWAY = LecternError(Code.UNAVAILABLE, "The database does not answer.", reason="DATABASE_UNAVAILABLE")


class AppServer(CredentialBrokerServiceServicer):
    """Fails as often as it is told, then answers."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.hangs = False
        self.asked = 0
        self.answer = pb.IssueTtsCredentialsResponse(
            provider_ref="mine",
            provider_type=pb.PROVIDER_TYPE_CUSTOM_OPENAI,
            base_url="https://speech.example/v1",
            api_key=SENTINEL,
        )

    async def IssueTtsCredentials(
        self, request: pb.IssueTtsCredentialsRequest, context: Any
    ) -> pb.IssueTtsCredentialsResponse:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        if self.hangs:
            await asyncio.Event().wait()
        return self.answer


class Cache:
    def limit(self, *, max_bytes: int, ttl_seconds: float) -> None:
        raise AssertionError("nothing was said of the cache")


class Meter:
    def learn(self, metering: SpeechMetering) -> None:
        raise AssertionError("nothing was said of metering")


class Asking:
    """A client whose pauses are noted and not waited for."""

    def __init__(self, channel: Any, timeout_seconds: float) -> None:
        self.pauses: list[float] = []
        self.client = CredentialBrokerClient(
            channel=channel,
            timeout_seconds=timeout_seconds,
            speech_cache=Cache(),
            speech_meter=Meter(),
            pause=self._pause,
        )

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def refused(self) -> LecternError:
        with pytest.raises(LecternError) as caught:
            await self.client.resolve("mine")
        return caught.value


@asynccontextmanager
async def asking(
    transport: str, servicer: object, *, token: str = TOKEN, seconds: float = 20
) -> AsyncIterator[Asking]:
    path = CREDENTIALS_PATH if transport == "http" else ""
    async with (
        serving_rpc(transport, [servicer], token=TOKEN) as address,
        open_channel(address + path, token) as channel,
    ):
        yield Asking(channel, seconds)


@TRANSPORTS
async def test_trouble_that_passes_is_asked_through_with_growing_pauses(transport):
    app = AppServer(AWAY, AWAY)
    async with asking(transport, app) as asked:
        provider = await asked.client.resolve("mine")
    assert (provider.type, provider.api_key) == (ProviderType.CUSTOM_OPENAI, SENTINEL)
    assert app.asked == 3
    first, second = asked.pauses
    assert BACKOFF_SECONDS <= first <= 2 * BACKOFF_SECONDS <= second <= 4 * BACKOFF_SECONDS


@TRANSPORTS
async def test_it_is_asked_a_bounded_number_of_times_and_then_both_sides_are_told(transport):
    app = AppServer(*[AWAY] * 99)
    async with asking(transport, app) as asked:
        with capture_logs() as logs:
            error = await asked.refused()
        assert (app.asked, len(asked.pauses)) == (ATTEMPTS, ATTEMPTS - 1)
        assert isinstance(error, CredentialBrokerError)
        assert (error.code, error.reason, error.retryable) == (
            Code.UNAVAILABLE,
            "CREDENTIALS_UNAVAILABLE",
            True,
        )
        assert "Try again in a moment" in error.message
        assert logs[-1]["reason"] == "DATABASE_UNAVAILABLE"
        assert "COMPUTE_CREDENTIAL_BROKER_URL" in logs[-1]["fix"]
        with pytest.raises(LecternError) as caught:  # the system check names what was found
            await look_at_credential_broker(asked.client)
    assert caught.value.reason == "DATABASE_UNAVAILABLE"


@TRANSPORTS
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (Code.INVALID_ARGUMENT, "PROVIDER_REF_INVALID"),
        (Code.NOT_FOUND, "PROVIDER_NOT_FOUND"),
        (Code.FAILED_PRECONDITION, "STORED_SECRET_UNREADABLE"),
    ],
)
async def test_what_the_app_says_of_a_provider_is_told_in_its_words_and_asked_once(transport, code, reason):
    app = AppServer(LecternError(code, "Choose another one.", reason=reason))
    async with asking(transport, app) as asked:
        error = await asked.refused()
    assert (error.code, error.reason, error.message) == (code, reason, "Choose another one.")
    assert (app.asked, asked.pauses) == (1, [])


@TRANSPORTS
async def test_each_try_ends_in_its_time(transport):
    app = AppServer()
    app.hangs = True
    async with asking(transport, app, seconds=0.1) as asked:
        with capture_logs() as logs:
            error = await asked.refused()
    assert (error.reason, app.asked) == ("CREDENTIALS_UNAVAILABLE", ATTEMPTS)
    assert logs[-1]["reason"] == "NO_ANSWER"
    assert "COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS" in logs[-1]["fix"]


@TRANSPORTS
async def test_a_wrong_token_is_said_once_to_the_operator_and_not_to_listeners(transport):
    app = AppServer()
    async with asking(transport, app, token="another") as asked:
        with capture_logs() as logs:
            error = await asked.refused()
        assert (error.code, error.retryable) == (Code.UNAVAILABLE, False)
        assert "tell the administrator" in error.message
        assert [(entry["reason"], entry["log_level"]) for entry in logs] == [("TOKEN_REFUSED", "warning")]
        assert "COMPUTE_CREDENTIAL_BROKER_TOKEN" in logs[0]["fix"]
        with pytest.raises(LecternError) as caught:
            await look_at_credential_broker(asked.client)
    assert caught.value.reason == "TOKEN_REFUSED"
    assert (app.asked, asked.pauses) == (0, [])


@TRANSPORTS
async def test_an_app_that_is_away_is_asked_a_few_times(transport, free_port):
    async with open_channel(f"{transport}://127.0.0.1:{free_port()}", TOKEN) as channel:
        asked = Asking(channel, 5)
        with capture_logs() as logs:
            error = await asked.refused()
    assert (error.reason, error.retryable, len(asked.pauses)) == ("CREDENTIALS_UNAVAILABLE", True, 2)
    assert [entry["reason"] for entry in logs] == ["SERVICE_UNREACHABLE"] * ATTEMPTS


@TRANSPORTS
async def test_an_address_where_nobody_gives_credentials_is_named(transport):
    """As a worker's own public address, or an app server of another version."""
    async with asking(transport, SpeechMeterServiceServicer()) as asked:
        with capture_logs() as logs:
            error = await asked.refused()
    assert (error.retryable, asked.pauses) == (False, [])
    assert logs[-1]["reason"] == "UNIMPLEMENTED"
    assert "never to the worker's own public address" in logs[-1]["fix"]


@TRANSPORTS
@pytest.mark.parametrize("number", [0, 99])
async def test_a_type_of_provider_that_only_a_newer_app_knows(transport, number):
    app = AppServer()
    app.answer.provider_type = number
    async with asking(transport, app) as asked:
        with capture_logs() as logs:
            error = await asked.refused()
    assert isinstance(error, CredentialBrokerError)
    assert not error.retryable
    assert "this worker's version" in logs[-1]["fix"]


@TRANSPORTS
async def test_nothing_is_kept_for_the_next_who_asks(transport):
    app = AppServer()
    async with asking(transport, app) as asked:
        await asked.client.resolve("mine")
        app.answer.api_key, app.answer.base_url = "edited", "https://elsewhere.example/v1"
        edited = await asked.client.resolve("mine")
    assert (app.asked, edited.api_key, edited.base_url) == (2, "edited", "https://elsewhere.example/v1")


@TRANSPORTS
async def test_key_and_token_show_in_no_log_and_no_error(transport, caplog):
    """At debug level, with everything that can go wrong, and in what is behind the errors."""
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    failures = (
        LecternError(Code.NOT_FOUND, "No such provider.", reason="PROVIDER_NOT_FOUND"),
        LecternError(Code.INTERNAL, "Its log has the details."),
        *[AWAY] * ATTEMPTS,
        RuntimeError(f"INSERT INTO providers VALUES ('{SENTINEL}')"),
    )
    with capture_logs() as logs:
        async with asking(transport, AppServer(*failures)) as asked:
            for _ in range(4):
                said += traced(await asked.refused())
            said.append(repr(await asked.client.resolve("mine")))
        newer = AppServer()
        newer.answer.provider_type = 99
        async with asking(transport, newer) as asked:
            said += traced(await asked.refused())
        async with asking(transport, AppServer(), token=f"{TOKEN}x") as asked:
            said += traced(await asked.refused())
    assert {"debug", "warning", "error"} <= {entry["log_level"] for entry in logs}
    assert transport == "grpc" or "aiohttp" in {record.name.partition(".")[0] for record in caplog.records}
    for text in (*said, *map(str, logs), caplog.text):
        assert SENTINEL not in text
        assert TOKEN not in text


def traced(error: BaseException | None) -> list[str]:
    """What could be printed of it and of all that is behind it."""
    texts = []
    while error is not None:
        texts.append(f"{error!r} {error} {vars(error)}")
        error = error.__cause__ or error.__context__
    return texts
