"""The whole worker, put together domain by domain, and served."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import structlog
from aiohttp import ClientSession

from compute_worker.credentials.work_policies import WorkPolicies
from compute_worker.operations.broker import open_broker
from compute_worker.operations.lanes import LANES
from compute_worker.operations.servicer import OperationServicer
from compute_worker.operations.sweeper import keep_swept
from compute_worker.recordings.servicer import RecordingServicer
from compute_worker.scratch_folder import scratch_folder
from compute_worker.whisper.engines import prewarm
from compute_worker.wiring.documents import document_runners, open_documents
from compute_worker.wiring.foundations import Foundations, broker_limits
from compute_worker.wiring.playback import Listening
from compute_worker.wiring.recordings import recording_runner
from compute_worker.wiring.runners import Runners
from compute_worker.wiring.serving import diagnostics, serve_http
from compute_worker.wiring.speech import open_speech
from compute_worker.wiring.start import there_before
from shared.configuration.worker_settings import WorkerSettings
from shared.objects.s3_store import S3Options, open_s3_store
from shared.rpc.channel import open_channel
from shared.rpc.server import serve_grpc
from shared.rpc.tokens import bearer_check

_log = structlog.get_logger(__name__)


async def run_worker(settings: WorkerSettings, stop: asyncio.Event) -> None:
    """Serves at once, and works when broker and store are there, until `stop` is set; then hands unfinished
    jobs back and ends."""
    async with AsyncExitStack() as stack:
        scratch = stack.enter_context(scratch_folder())
        base = await stack.enter_async_context(_open_foundations(settings, scratch))
        speech = await stack.enter_async_context(open_speech(base))
        documents = await stack.enter_async_context(open_documents(base))
        listening = Listening(base=base, speech=speech)
        runners = Runners(base=base, playback=listening.playback)
        servicers = [
            OperationServicer(queue=base.queue),
            *documents.servicers,
            listening.servicer(),
            speech.servicer,
            RecordingServicer(queue=base.queue, store=base.store),
            diagnostics(base, speech.credentials, speech.align_model),
        ]
        grpc_server = await stack.enter_async_context(
            serve_grpc(
                servicers,
                token_check=bearer_check(settings.token),
                host=settings.host,
                port=settings.grpc_port,
                is_serving=False,
            )
        )
        await stack.enter_async_context(
            serve_http(base, servicers, listening.audio(), align_model=speech.align_model)
        )
        policies = WorkPolicies(channel=base.app_channel, policy=base.policy, speech_meter=speech.meter)
        await stack.enter_async_context(_meanwhile(policies.keep_fresh()))
        if not await there_before(stop, base.broker, base.store, settings.storage):
            return
        swept = keep_swept(runners.backlog(), LANES, stale_seconds=settings.broker.stale_ms / 1000)
        await stack.enter_async_context(_meanwhile(swept))
        working = [
            *document_runners(
                documents,
                plans=listening.plans,
                pdf_attempts=settings.work.pdf_job_attempts,
                runners=runners,
            ),
            recording_runner(base, plans=listening.plans, runners=runners),
            listening.runner(runners),
        ]
        await stack.enter_async_context(_meanwhile(*(runner.run() for runner in working)))
        await grpc_server.set_serving(True)
        if speech.align_model is not None and settings.models.prewarm:
            await stack.enter_async_context(_meanwhile(prewarm(speech.align_model)))
        _log.info(
            "worker ready", worker_id=base.worker_id, http_port=settings.port, grpc_port=grpc_server.port
        )
        await stop.wait()


@asynccontextmanager
async def _open_foundations(settings: WorkerSettings, scratch: Path) -> AsyncIterator[Foundations]:
    worker_id = f"worker-{secrets.token_hex(6)}"
    credential_broker = settings.credential_broker
    async with (
        open_broker(
            settings.broker.connect_options, name=worker_id, limits=broker_limits(settings)
        ) as broker,
        open_s3_store(S3Options.of(settings.storage)) as store,
        ClientSession() as http,
        open_channel(credential_broker.app_url, credential_broker.token) as app_channel,
    ):
        yield Foundations(
            settings=settings,
            worker_id=worker_id,
            broker=broker,
            store=store,
            app_channel=app_channel,
            http=http,
            scratch=scratch,
        )


@asynccontextmanager
async def _meanwhile(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(one) for one in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
