"""A whole worker in the test's process, on a real broker and object store; credentials are the test's own."""

import asyncio
import contextlib
import hashlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest

from compute_worker.wiring.worker import run_worker
from lectern.compute.v1 import documents_pb2, operations_pb2, playback_pb2
from lectern.compute.v1.documents_pb2_grpc import DocumentServiceStub
from lectern.compute.v1.operations_pb2_grpc import OperationServiceStub
from lectern.compute.v1.playback_pb2_grpc import PlaybackServiceStub
from lectern.credentials.v1 import credentials_pb2
from lectern.credentials.v1.credentials_pb2_grpc import CredentialBrokerServiceServicer
from lectern.metering.v1 import metering_pb2
from lectern.metering.v1.metering_pb2_grpc import SpeechMeterServiceServicer
from lectern.policies.v1 import policies_pb2
from lectern.policies.v1.policies_pb2_grpc import WorkPolicyServiceServicer
from servers.rpc import serving_rpc
from shared.configuration.declared.worker import CREDENTIALS_PATH
from shared.configuration.worker_settings import read_worker_settings
from shared.errors import Code, LecternError
from shared.objects.s3_store import S3Options, S3Store, open_s3_store
from shared.playback_token import PlaybackTokens
from shared.rpc.channel import open_channel

WORKER_TOKEN = "worker-token-for-tests"
BROKER_TOKEN = "broker-token-for-tests"
PLAYBACK_SECRET = "playback-secret-for-tests"


class CredentialBook(CredentialBrokerServiceServicer):
    """Answers with what a test put in; counts what was asked."""

    def __init__(self) -> None:
        self.providers = {
            "builtin": credentials_pb2.IssueTtsCredentialsResponse(
                provider_ref="builtin",
                provider_type=credentials_pb2.PROVIDER_TYPE_BUILTIN,
                request_policy=credentials_pb2.RequestPolicy(max_retries=0, timeout_ms=20_000),
            )
        }
        self.asked: list[str] = []

    async def IssueTtsCredentials(
        self, request: credentials_pb2.IssueTtsCredentialsRequest, context: Any
    ) -> credentials_pb2.IssueTtsCredentialsResponse:
        self.asked.append(request.provider_ref)
        if request.provider_ref not in self.providers:
            raise LecternError(Code.NOT_FOUND, "There is no such provider.", reason="PROVIDER_NOT_FOUND")
        return self.providers[request.provider_ref]

    def add_custom(self, ref: str, base_url: str, *, api_key: str = "", max_retries: int = 0) -> None:
        self.providers[ref] = credentials_pb2.IssueTtsCredentialsResponse(
            provider_ref=ref,
            provider_type=credentials_pb2.PROVIDER_TYPE_CUSTOM_OPENAI,
            base_url=base_url,
            api_key=api_key,
            default_model="kokoro",
            request_policy=credentials_pb2.RequestPolicy(
                max_retries=max_retries, timeout_ms=20_000, max_concurrent=3
            ),
        )


class MeterBook(SpeechMeterServiceServicer):
    """The app server's side of metering: who was charged for what, up to an allowance by account."""

    def __init__(self, credentials: CredentialBook) -> None:
        self._credentials = credentials
        self.allowance: dict[str, int] = {}
        self.charges: dict[str, tuple[str, str, int]] = {}  # by segment: account, attempt, characters
        self.asked = 0
        self.is_broken = False
        self.slow_charges = 0  # so many after the first take their time

    @property
    def is_on(self) -> bool:
        return self._credentials.providers["builtin"].speech_metering.is_on

    def turn_on(self) -> None:
        for answer in self._credentials.providers.values():
            answer.speech_metering.CopyFrom(metering_pb2.SpeechMetering(is_on=True, refresh_seconds=60))

    def charged_to(self, account: str) -> int:
        return sum(characters for charged, _, characters in self.charges.values() if charged == account)

    async def ChargeSpeech(
        self, request: metering_pb2.ChargeSpeechRequest, context: Any
    ) -> metering_pb2.ChargeSpeechResponse:
        self.asked += 1
        if 1 < self.asked <= 1 + self.slow_charges:
            await asyncio.sleep(0.3)
        if self.is_broken:
            raise LecternError(Code.UNAVAILABLE, "Not now.", reason="DATABASE_UNAVAILABLE")
        account, limit = request.usage_account, self.allowance.get(request.usage_account, 10**9)
        known = self.charges.get(request.segment_key)
        if known is None and self.charged_to(account) >= limit:
            raise LecternError(
                Code.RESOURCE_EXHAUSTED,
                "Your allowance for today is used up.",
                reason="USAGE_LIMIT_REACHED",
                details={"resets_at_ms": "1800057600000", "retry_after_seconds": "60"},
            )
        payer, characters = (known[0], known[2]) if known else (account, request.characters)
        self.charges[request.segment_key] = (payer, request.attempt_id, characters)
        return metering_pb2.ChargeSpeechResponse(
            speech_metering=metering_pb2.SpeechMetering(is_on=self.is_on, refresh_seconds=60)
        )

    async def RefundSpeech(
        self, request: metering_pb2.RefundSpeechRequest, context: Any
    ) -> metering_pb2.RefundSpeechResponse:
        known = self.charges.get(request.segment_key)
        if known and known[1] == request.attempt_id:
            del self.charges[request.segment_key]
        return metering_pb2.RefundSpeechResponse()


class PolicyBook(WorkPolicyServiceServicer):
    """The app server's side of the compute limits."""

    def __init__(self) -> None:
        self.answer = policies_pb2.GetWorkPolicyResponse(max_executing_per_worker=3, refresh_seconds=1)
        self._asked = 0
        self._again = asyncio.Event()  # who asks again has learned the answer

    async def is_known(self) -> None:
        await asyncio.wait_for(self._again.wait(), 30)

    def limit(self, name: str, *, at_once: int, seconds: int = 3600) -> None:
        self.answer.actions.append(
            policies_pb2.ActionPolicy(
                name=name,
                is_limited=True,
                priority=policies_pb2.PRIORITY_INTERACTIVE,
                max_queued=10,
                max_concurrent_per_worker=at_once,
                max_queue_age_seconds=seconds,
            )
        )

    async def GetWorkPolicy(
        self, request: policies_pb2.GetWorkPolicyRequest, context: Any
    ) -> policies_pb2.GetWorkPolicyResponse:
        self._asked += 1
        if self._asked > 1:
            self._again.set()
        return self.answer


@dataclass
class Listener:
    """One listener's session: its events so far, and its audio."""

    worker: "Worker"
    session_id: str
    start_ordinal: int
    segment_count: int
    segments: dict[int, playback_pb2.SegmentEvent] = field(default_factory=dict)
    states: list[str] = field(default_factory=list)
    problems: list[playback_pb2.ProblemEvent] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, **query: int) -> str:
        token = self.worker.tokens.mint(
            session_id=self.session_id, user_id="user", document_id="document"
        ).token
        parameters = "&".join(f"{name}={value}" for name, value in {"token": token, **query}.items())
        return f"{self.worker.http_url}/v1/tts-playback/sessions/{self.session_id}/audio?{parameters}"

    async def cursor(self, ordinal: int, *, playing: bool = True) -> None:
        await self.worker.playback.UpdateCursor(
            playback_pb2.UpdateCursorRequest(session_id=self.session_id, ordinal=ordinal, playing=playing)
        )

    async def until(self, condition: Callable[["Listener"], bool], seconds: float = 20) -> None:
        async with asyncio.timeout(seconds):
            while not condition(self):
                self.changed.clear()
                await self.changed.wait()

    async def follow(self) -> None:
        request = playback_pb2.WatchSessionRequest(session_id=self.session_id)
        async for event in self.worker.playback.WatchSession(request):
            kind = event.WhichOneof("event")
            if kind == "segment":
                self.segments[event.segment.ordinal] = event.segment
            elif kind == "state":
                name = playback_pb2.GenerationState.Name(event.state.state)
                self.states.append(name.removeprefix("GENERATION_STATE_").lower())
            else:
                self.problems.append(event.problem)
            self.changed.set()


@dataclass
class Worker:
    documents: DocumentServiceStub
    operations: OperationServiceStub
    playback: PlaybackServiceStub
    http_url: str
    grpc_address: str
    store: S3Store
    http: aiohttp.ClientSession
    credentials: CredentialBook
    tokens: PlaybackTokens
    document_id: str  # another in every test, so that no session is one of an earlier test
    followers: list["asyncio.Task[None]"] = field(default_factory=list)

    async def read(self, text: str) -> str:
        """A reading document's reference, made from plain text."""
        body = text.encode()
        sha256 = hashlib.sha256(body).hexdigest()
        await self.store.put(f"documents/{sha256}", body)
        answer = await self.documents.ParseDocument(
            documents_pb2.ParseDocumentRequest(
                document_sha256=sha256, format=documents_pb2.DOCUMENT_FORMAT_TEXT, file_name="test.txt"
            )
        )
        last = answer.operation
        watch = operations_pb2.WatchOperationRequest(operation_id=answer.operation.operation_id)
        async for change in self.operations.WatchOperation(watch):
            last = change.operation
        assert last.state == operations_pb2.OPERATION_STATE_SUCCEEDED, last
        return last.result_ref

    async def listen(
        self,
        reading_ref: str,
        *,
        owner_id: str = "user",
        start: int = 0,
        provider_ref: str = "builtin",
        voice: str = "",
        extent: "playback_pb2.Extent.ValueType" = playback_pb2.EXTENT_SECTION,
        usage_account: str = "",
        options: playback_pb2.PlanOptions | None = None,
        pronunciation: Sequence[playback_pb2.PronunciationRule] = (),
    ) -> Listener:
        answer = await self.playback.CreateSession(
            playback_pb2.CreateSessionRequest(
                owner_id=owner_id,
                document_id=self.document_id,
                reading_ref=reading_ref,
                start=playback_pb2.StartPosition(ordinal=start),
                settings=playback_pb2.VoiceSettings(provider_ref=provider_ref, voice=voice),
                background_extent=extent,
                usage_account=usage_account,
                options=options,
                pronunciation=pronunciation,
            )
        )
        listener = Listener(self, answer.session_id, answer.start_ordinal, answer.segment_count)
        self.followers.append(asyncio.create_task(listener.follow()))
        return listener


OpenWorker = Callable[[], Awaitable[Worker]]


@pytest.fixture
async def credential_book() -> CredentialBook:
    return CredentialBook()


@pytest.fixture
async def meter_book(credential_book) -> MeterBook:
    return MeterBook(credential_book)


@pytest.fixture
def app_transport() -> str:
    """How workers reach the app server; a test may be parametrized with both."""
    return "grpc"


@asynccontextmanager
async def _app_server(transport: str, servicers: list[object], port: int) -> AsyncIterator[str]:
    """Its services for workers; yields what COMPUTE_CREDENTIAL_BROKER_URL has to be."""
    path = CREDENTIALS_PATH if transport == "http" else ""
    async with serving_rpc(transport, servicers, token=BROKER_TOKEN, port=port) as address:
        yield address + path


@pytest.fixture
async def policy_book() -> PolicyBook:
    return PolicyBook()


@pytest.fixture
async def open_worker(
    nats_server, object_store, credential_book, meter_book, policy_book, free_port, app_transport
) -> AsyncIterator[OpenWorker]:
    """Starts a worker; called twice it starts two that share broker, store and provider."""
    prefix = f"test-{secrets.token_hex(6)}"
    async with contextlib.AsyncExitStack() as stack:
        credential_url = await stack.enter_async_context(
            _app_server(app_transport, [credential_book, meter_book, policy_book], free_port())
        )

        async def start() -> Worker:
            return await stack.enter_async_context(
                _worker(nats_server, object_store, credential_book, prefix, free_port, credential_url)
            )

        yield start


@pytest.fixture
async def worker(open_worker) -> Worker:
    return await open_worker()


@asynccontextmanager
async def _worker(
    nats_server, object_store, book, prefix, free_port, credential_url
) -> AsyncIterator[Worker]:
    http_port, grpc_port = free_port(), free_port()
    settings = read_worker_settings(
        {
            "COMPUTE_WORKER_HOST": "127.0.0.1",
            "PORT": str(http_port),
            "COMPUTE_WORKER_GRPC_PORT": str(grpc_port),
            "COMPUTE_WORKER_TOKEN": WORKER_TOKEN,
            "COMPUTE_CREDENTIAL_BROKER_URL": credential_url,
            "COMPUTE_CREDENTIAL_BROKER_TOKEN": BROKER_TOKEN,
            "TTS_PLAYBACK_TOKEN_SECRET": PLAYBACK_SECRET,
            "BROKER_URL": nats_server.url,
            "S3_INTERNAL_ENDPOINT": object_store.endpoint,
            "S3_ACCESS_KEY_ID": object_store.access_key,
            "S3_SECRET_ACCESS_KEY": object_store.secret_key,
            "S3_BUCKET": object_store.bucket,
            "S3_REGION": "us-east-1",
            "S3_FORCE_PATH_STYLE": "true",
            "S3_PREFIX": prefix,
        }
    )
    stop = asyncio.Event()
    running = asyncio.create_task(run_worker(settings, stop))
    options = S3Options(
        endpoint_url=object_store.endpoint,
        region="us-east-1",
        bucket=object_store.bucket,
        access_key_id=object_store.access_key,
        secret_access_key=object_store.secret_key,
        prefix=prefix,
    )
    async with (
        aiohttp.ClientSession() as http,
        open_s3_store(options) as store,
        open_channel(f"grpc://127.0.0.1:{grpc_port}", WORKER_TOKEN) as channel,
    ):
        worker = Worker(
            documents=DocumentServiceStub(channel),
            operations=OperationServiceStub(channel),
            playback=PlaybackServiceStub(channel),
            http_url=f"http://127.0.0.1:{http_port}",
            grpc_address=f"127.0.0.1:{grpc_port}",
            store=store,
            http=http,
            credentials=book,
            tokens=PlaybackTokens(secret=PLAYBACK_SECRET),
            document_id=prefix,
        )
        try:
            await _until_ready(worker, running)
            yield worker
        finally:
            for task in worker.followers:
                task.cancel()
            await asyncio.gather(*worker.followers, return_exceptions=True)
            stop.set()
            await running


async def _until_ready(worker: Worker, running: "asyncio.Task[None]") -> None:
    async with asyncio.timeout(20):
        while True:
            if running.done():
                running.result()
            with contextlib.suppress(aiohttp.ClientConnectionError):
                async with worker.http.get(f"{worker.http_url}/health/ready") as answer:
                    if answer.status == 200:
                        return
            await asyncio.sleep(0.05)
