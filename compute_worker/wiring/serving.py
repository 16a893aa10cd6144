"""What the worker answers: HTTP with audio, gateway and health; and what it finds when it looks at itself."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from aiohttp import web

from compute_worker.credentials.ports import CredentialSource
from compute_worker.diagnostics.looks import (
    look_at_broker,
    look_at_credential_broker,
    look_at_object_store,
)
from compute_worker.diagnostics.servicer import DiagnosticsServicer
from compute_worker.operations.broker import check_broker
from compute_worker.playback.audio_route import AudioRoute
from compute_worker.playback.sound_check import SoundCheck
from compute_worker.whisper.aligner import ModelAligner
from compute_worker.whisper.progress import look_at_alignment_model, shown_progress
from compute_worker.wiring.foundations import Foundations
from shared.playback_token import PlaybackTokens, secret_fingerprint
from shared.rpc.gateway import add_gateway
from shared.rpc.health import add_health
from shared.rpc.tokens import bearer_check

_SHUTDOWN_SECONDS = 2.0  # how long open HTTP answers may take to end
_LISTEN_BACKLOG = 1024


def diagnostics(
    base: Foundations, credentials: CredentialSource, align_model: ModelAligner | None
) -> DiagnosticsServicer:
    return DiagnosticsServicer(
        worker_id=base.worker_id,
        version=version("lectern"),
        playback_secret_fingerprint=secret_fingerprint(base.settings.playback_token_secret),
        broker=lambda: look_at_broker(base.broker),
        object_store=lambda: look_at_object_store(base.store),
        credential_broker=lambda: look_at_credential_broker(credentials),
        alignment_model=lambda: look_at_alignment_model(align_model),
    )


@asynccontextmanager
async def serve_http(
    base: Foundations,
    servicers: Sequence[object],
    audio: AudioRoute,
    *,
    align_model: ModelAligner | None,
) -> AsyncIterator[None]:
    settings, broker, store = base.settings, base.broker, base.store
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
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, settings.port, backlog=_LISTEN_BACKLOG).start()
        yield
    finally:
        await runner.cleanup()
