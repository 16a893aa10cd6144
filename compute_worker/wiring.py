"""The worker's composition root: the only place that chooses implementations."""

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import structlog
from aiohttp import ClientSession, web

from compute_worker.alignment.process import AlignmentProcess
from compute_worker.audio.media_tool import MediaTool
from compute_worker.audio.normalizer import AudioNormalizer
from compute_worker.credentials.client import CredentialBrokerClient
from compute_worker.credentials.metering import SpeechMeterClient
from compute_worker.credentials.work_policies import WorkPolicies
from compute_worker.diagnostics.looks import (
    look_at_broker,
    look_at_credential_broker,
    look_at_object_store,
)
from compute_worker.diagnostics.servicer import DiagnosticsServicer
from compute_worker.documents.handler import DocumentHandler
from compute_worker.documents.layout_models import open_layout_models
from compute_worker.documents.page_images.drawings import PageDrawings
from compute_worker.documents.page_images.open_files import OpenFiles
from compute_worker.documents.page_images.servicer import PageImageServicer
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.passwords import DocumentPasswords
from compute_worker.documents.servicer import DocumentServicer
from compute_worker.operations.backlog import Backlog, Room
from compute_worker.operations.broker import Broker, BrokerLimits, check_broker, connect_broker
from compute_worker.operations.events import Events
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.lanes import (
    CONVERSIONS,
    LANES,
    LISTENING,
    PDFS,
    PREVIEWS,
    RECORDINGS,
    lane_of,
)
from compute_worker.operations.model import OperationKind, OperationRecord
from compute_worker.operations.policy import PolicyInForce
from compute_worker.operations.ports import Job, OperationHandler
from compute_worker.operations.queue import OperationQueue
from compute_worker.operations.runner import OperationRunner, RunnerOptions
from compute_worker.operations.servicer import OperationServicer
from compute_worker.operations.slots import Pool, Slots
from compute_worker.operations.sweeper import keep_swept
from compute_worker.playback.audio_route import AudioRoute
from compute_worker.playback.cache_key import CacheKeys
from compute_worker.playback.claims import Claims
from compute_worker.playback.feed import Feeds
from compute_worker.playback.handler import PlaybackHandler
from compute_worker.playback.planned_document import PlannedDocumentHandler
from compute_worker.playback.plans import Plans
from compute_worker.playback.service import Playback
from compute_worker.playback.servicer import PlaybackServicer
from compute_worker.playback.sessions import Sessions
from compute_worker.playback.sound_check import SoundCheck
from compute_worker.playback.speaker import SegmentSpeaker
from compute_worker.playback.speech_cache import SpeechCache
from compute_worker.playback.started_speech import StartedSpeech
from compute_worker.playback.use_marks import open_use_marks
from compute_worker.playback.word_refinement import WordRefinement
from compute_worker.recordings.handler import AlignHandler
from compute_worker.recordings.servicer import RecordingServicer
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.providers import SpeechProviderRegistry
from compute_worker.speech.servicer import SpeechServicer
from compute_worker.speech.synthesizer import SegmentSynthesizer
from compute_worker.speech.turns import SharedTurns
from compute_worker.whisper.aligner import ModelAligner
from compute_worker.whisper.engines import aligner_of, open_model_aligner, prewarm, shown_progress
from shared.configuration.worker_settings import WorkerSettings
from shared.objects.s3_store import S3Options, S3Store, open_s3_store
from shared.playback_token import PlaybackTokens, secret_fingerprint
from shared.rpc.channel import open_channel
from shared.rpc.gateway import add_gateway
from shared.rpc.health import add_health
from shared.rpc.server import serve_grpc
from shared.rpc.tokens import bearer_check

SHUTDOWN_SECONDS = 2.0  # how long open HTTP answers may take to end
LISTEN_BACKLOG = 1024

DOCUMENT_LANES = (PREVIEWS, PDFS, CONVERSIONS)
DOCUMENTS_AT_ONCE = 2  # in a parser each, whatever their format and the policy
POOLS = (Pool(frozenset(lane.action for lane in DOCUMENT_LANES), DOCUMENTS_AT_ONCE),)
DOCUMENT_RUNNER = RunnerOptions(
    lane=PREVIEWS,
    max_attempts=3,
    max_concurrent=DOCUMENTS_AT_ONCE,
    heartbeat_seconds=2.0,
    ack_wait_seconds=10.0,
)
# Each takes a core for minutes: how many at once is the policy's to say.
ALIGN_RUNNER = RunnerOptions(
    lane=RECORDINGS,
    max_attempts=3,
    max_concurrent=64,
    heartbeat_seconds=2.0,
    ack_wait_seconds=10.0,
)
ALIGN_LIMITS = ParserLimits(wall_seconds=6 * 3600, cpu_seconds=6 * 3600)
# A listener waits at most this long for another worker when one dies; runs only wait most of the time.
PLAYBACK_RUNNER = RunnerOptions(
    lane=LISTENING,
    max_attempts=20,
    max_concurrent=4096,
    heartbeat_seconds=1.0,
    ack_wait_seconds=4.0,
)

log = structlog.get_logger(__name__)


async def run_worker(settings: WorkerSettings, stop: asyncio.Event) -> None:
    """Serves and works until `stop` is set, then hands unfinished jobs back and ends."""
    worker_id = f"worker-{secrets.token_hex(6)}"
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(
            connect_broker(settings.broker.connect_options, name=worker_id, limits=_broker_limits(settings))
        )
        store = await stack.enter_async_context(open_s3_store(S3Options.of(settings.storage)))
        await store.ensure_bucket(create=settings.storage.auto_create_bucket)
        pool = await stack.enter_async_context(EspeakPool())
        http = await stack.enter_async_context(ClientSession())
        channel = await stack.enter_async_context(
            open_channel(settings.credential_broker.app_url, settings.credential_broker.token)
        )
        cache = SpeechCache(store=store, marks=await stack.enter_async_context(open_use_marks(store)))
        meter = SpeechMeterClient(
            channel=channel, timeout_seconds=settings.credential_broker.timeout_ms / 1000
        )
        credentials = CredentialBrokerClient(
            channel=channel,
            timeout_seconds=settings.credential_broker.timeout_ms / 1000,
            speech_cache=cache,
            speech_meter=meter,
        )
        policy = PolicyInForce()
        slots = Slots(policy=policy, pools=POOLS)
        media_tool = MediaTool(media_bin=str(settings.media_bin))
        normalizer = AudioNormalizer(media_tool=media_tool)
        alignment = await stack.enter_async_context(
            AlignmentProcess(timeout_seconds=settings.work.align_timeout_ms / 1000)
        )
        align_model = await stack.enter_async_context(
            open_model_aligner(
                base_url=settings.models.align_base_url,
                folder=settings.models.folder,
                session=http,
                timeout_seconds=settings.work.align_timeout_ms / 1000,
            )
        )
        synthesizer = SegmentSynthesizer(normalizer=normalizer)
        states = JobStates(broker=broker)
        claims = Claims(states=states, worker_id=worker_id)
        providers = SpeechProviderRegistry(
            session=http,
            espeak=pool,
            turns=SharedTurns(states=states, leases=claims, chance=random.Random()),  # noqa: S311 - no secret
        )
        events = Events(broker=broker)
        queue = OperationQueue(
            broker=broker,
            states=states,
            events=events,
            stale_seconds=settings.broker.stale_ms / 1000,
            lane_of=lane_of,
            check_room=Room(broker=broker, policy=policy).check,
        )
        sessions = Sessions(states=states)
        plans = Plans(store=store)
        feeds = Feeds(events=events)
        speaker = SegmentSpeaker(
            cache=cache,
            keys=CacheKeys(playback_secret=settings.playback_token_secret),
            claims=claims,
            synthesizer=synthesizer,
            refinement=WordRefinement(
                aligner=aligner_of(
                    settings.models.align_engine, pool=pool, process=alignment, model=align_model
                ),
                cache=cache,
                media_tool=media_tool,
            ),
            meter=meter,
            segment_timeout_seconds=settings.work.segment_timeout_ms / 1000,
        )
        playback = Playback(
            sessions=sessions,
            plans=plans,
            queue=queue,
            events=events,
            credentials=credentials,
            providers=providers,
        )
        passwords = DocumentPasswords(secret=settings.playback_token_secret)
        drawings = await stack.enter_async_context(
            PageDrawings(store=store, files=await stack.enter_async_context(OpenFiles(store=store)))
        )
        servicers = [
            OperationServicer(queue=queue),
            DocumentServicer(queue=queue, store=store, passwords=passwords),
            PageImageServicer(drawings=drawings),
            PlaybackServicer(
                playback=playback, sessions=sessions, plans=plans, events=events, speaker=speaker
            ),
            SpeechServicer(credentials=credentials, providers=providers, synthesizer=synthesizer),
            RecordingServicer(queue=queue, store=store),
            DiagnosticsServicer(
                worker_id=worker_id,
                version=version("lectern"),
                playback_secret_fingerprint=secret_fingerprint(settings.playback_token_secret),
                broker=lambda: look_at_broker(broker),
                object_store=lambda: look_at_object_store(store),
                credential_broker=lambda: look_at_credential_broker(credentials),
            ),
        ]
        audio = AudioRoute(
            tokens=PlaybackTokens(secret=settings.playback_token_secret),
            sessions=sessions,
            plans=plans,
            feeds=feeds,
            speaker=speaker,
            playback=playback,
        )
        documents = DocumentHandler(
            store=store,
            passwords=passwords,
            layout_models=await stack.enter_async_context(
                open_layout_models(
                    base_url=settings.models.pdf_layout_base_url,
                    folder=settings.models.folder,
                    session=http,
                    parser_seconds=settings.work.document_timeout_ms / 1000,
                    prewarm=settings.models.prewarm,
                )
            ),
            parser=ParserProcess(limits=ParserLimits(wall_seconds=settings.work.document_timeout_ms / 1000)),
        )
        planned = PlannedDocumentHandler(documents=documents, plans=plans)
        work = _Work(broker, queue, policy, slots, worker_id, playback)
        document_runner = _document_runner(settings.work.pdf_job_attempts)
        runners = [
            *(work.runner(replace(document_runner, lane=lane), planned) for lane in DOCUMENT_LANES),
            work.runner(
                ALIGN_RUNNER,
                AlignHandler(
                    store=store,
                    plans=plans,
                    process=ParserProcess(limits=ALIGN_LIMITS, module="compute_worker.recordings.child"),
                    media_bin=str(settings.media_bin),
                ),
            ),
            work.runner(
                PLAYBACK_RUNNER,
                PlaybackHandler(
                    sessions=sessions,
                    plans=plans,
                    feeds=feeds,
                    events=events,
                    speaker=speaker,
                    credentials=credentials,
                    providers=providers,
                    started=await stack.enter_async_context(StartedSpeech()),
                ),
                on_success=lambda job: playback.look_again(str(job.arguments["session_id"])),
            ),
        ]
        backlog = Backlog(broker=broker, queue=queue, states=states, policy=policy, on_lost=work.tell_lost)
        grpc_server = await stack.enter_async_context(
            serve_grpc(
                servicers,
                token_check=bearer_check(settings.token),
                host=settings.host,
                port=settings.grpc_port,
            )
        )
        await stack.enter_async_context(
            _serve_http(settings, servicers, audio, broker, store, align_model=align_model)
        )
        policies = WorkPolicies(channel=channel, policy=policy, speech_meter=meter)
        await stack.enter_async_context(_meanwhile(policies.keep_fresh()))
        await stack.enter_async_context(
            _meanwhile(keep_swept(backlog, LANES, stale_seconds=settings.broker.stale_ms / 1000))
        )
        await stack.enter_async_context(_working(runners))
        await grpc_server.set_serving(True)
        if align_model is not None and settings.models.prewarm:
            await stack.enter_async_context(_meanwhile(prewarm(align_model)))
        log.info("worker ready", worker_id=worker_id, http_port=settings.port, grpc_port=grpc_server.port)
        await stop.wait()


@dataclass(frozen=True)
class _Work:
    """What all runners of a worker share."""

    broker: Broker
    queue: OperationQueue
    policy: PolicyInForce
    slots: Slots
    worker_id: str
    playback: Playback

    def runner(
        self,
        options: RunnerOptions,
        handler: OperationHandler,
        *,
        on_success: Callable[[Job], Awaitable[None]] | None = None,
    ) -> OperationRunner:
        return OperationRunner(
            broker=self.broker,
            queue=self.queue,
            handler=handler,
            worker_id=self.worker_id,
            options=options,
            policy=self.policy,
            slots=self.slots,
            on_success=on_success,
            on_lost=self.tell_lost,
        )

    async def tell_lost(self, record: OperationRecord) -> None:
        """Who waits for a document watches its operation; listeners watch their session."""
        if record.kind is OperationKind.PLAYBACK and record.failure is not None:
            await self.playback.tell_lost(str(record.arguments["session_id"]), record.failure)


def _document_runner(pdf_attempts: int) -> RunnerOptions:
    return replace(
        DOCUMENT_RUNNER,
        max_attempts=max(DOCUMENT_RUNNER.max_attempts, pdf_attempts),
        own_attempts=lambda arguments: (
            pdf_attempts if arguments.get("format") == "pdf" else DOCUMENT_RUNNER.max_attempts
        ),
    )


@asynccontextmanager
async def _meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def _working(runners: list[OperationRunner]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(runner.run()) for runner in runners]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def _serve_http(
    settings: WorkerSettings,
    servicers: list[object],
    audio: AudioRoute,
    broker: Broker,
    store: S3Store,
    *,
    align_model: ModelAligner | None,
) -> AsyncIterator[None]:
    app = web.Application()
    SoundCheck(tokens=PlaybackTokens(secret=settings.playback_token_secret)).add_to(app)
    audio.add_to(app)
    add_gateway(app, servicers, token_check=bearer_check(settings.token))
    add_health(
        app,
        version=version("lectern"),
        checks={"broker": lambda: check_broker(broker), "object_store": lambda: store.info("health")},
        shown={"alignmentModel": lambda: shown_progress(align_model)},
    )
    # A listener that goes away cancels its handler, so nothing waits for nobody.
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, settings.port, backlog=LISTEN_BACKLOG).start()
        yield
    finally:
        await runner.cleanup()


def _broker_limits(settings: WorkerSettings) -> BrokerLimits:
    return BrokerLimits(
        jobs_max_bytes=settings.broker.jobs_max_bytes,
        events_max_bytes=settings.broker.events_max_bytes,
        job_states_max_bytes=settings.broker.state_max_bytes,
        replicas=settings.broker.replicas,
    )
