"""What the system check looks at, and by what."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from app_server.system_check.broker_greeting import look_for_greeting
from app_server.system_check.browser_facts import BrowserFactSource
from app_server.system_check.model import Check, Finding
from app_server.system_check.provider_check import PROVIDERS_FIX, ProviderCheck
from app_server.system_check.routes import SystemCheckRoutes
from app_server.system_check.service import SystemCheck
from app_server.system_check.storage_checks import (
    DATABASE_FIX,
    OBJECTS_FIX,
    DatabaseCheck,
    ObjectStoreCheck,
)
from app_server.system_check.worker_checks import EMBEDDED_FIX, EXTERNAL_FIX, Diagnose, WorkerView
from app_server.version import program_version
from app_server.wiring.foundations import Foundations
from lectern.compute.v1 import diagnostics_pb2 as pb
from lectern.compute.v1.diagnostics_pb2_grpc import DiagnosticsServiceStub
from shared.configuration.app_settings import AppSettings
from shared.playback_token import PlaybackTokens, secret_fingerprint
from shared.rpc.channel import open_channel

if TYPE_CHECKING:
    from lectern.compute.v1.diagnostics_pb2_grpc import DiagnosticsServiceAsyncStub

_WORKER_SECONDS: Final = 3.5  # within a check's 4
_BROKER_PORT: Final = 4222


@asynccontextmanager
async def system_check(base: Foundations) -> AsyncIterator[SystemCheckRoutes]:
    """Both transports to the worker are open while this is, whichever the app itself calls it by."""
    settings = base.settings
    async with AsyncExitStack() as stack:

        async def diagnose_at(address: str) -> Diagnose:
            channel = await stack.enter_async_context(open_channel(address, settings.worker.token))
            stub: DiagnosticsServiceAsyncStub = DiagnosticsServiceStub(channel)
            return lambda: stub.Diagnose(pb.DiagnoseRequest(), timeout=_WORKER_SECONDS)

        grpc = await diagnose_at(settings.worker.grpc_url) if settings.worker.grpc_url else None
        gateway = await diagnose_at(settings.worker.url)
        yield SystemCheckRoutes(
            check=SystemCheck(checks=lambda: _checks(base, grpc=grpc, gateway=gateway)),
            browser=BrowserFactSource(
                base_url=settings.base_url,
                worker_public_url=settings.worker.public_url,
                tokens=PlaybackTokens(
                    secret=settings.worker.playback_token_secret, clock=lambda: base.clock() / 1000
                ),
                objects=base.objects,
                presigner=base.presigner,
            ),
        )


def _checks(base: Foundations, *, grpc: Diagnose | None, gateway: Diagnose) -> list[Check]:
    settings = base.settings
    is_embedded = settings.embedded.worker is not None
    worker = WorkerView(
        grpc=grpc,
        gateway=gateway,
        version=program_version(),
        fingerprint=secret_fingerprint(settings.worker.playback_token_secret),
        is_embedded=is_embedded,
        direct_broker=_direct_broker(settings),
    )
    worker_fix = EMBEDDED_FIX if is_embedded else EXTERNAL_FIX.format(variable="COMPUTE_WORKER_URL")
    database = DatabaseCheck(database=base.database)
    objects = ObjectStoreCheck(objects=base.objects)
    providers = ProviderCheck(providers=base.providers)
    return [
        Check("database", "Database", database.look, DATABASE_FIX),
        Check("object-storage", "Object storage", objects.look, OBJECTS_FIX),
        Check("broker", "Message broker", worker.look_at_broker, worker_fix),
        Check("worker-grpc", "Compute worker, gRPC", worker.look_over_grpc, worker_fix),
        Check("worker-gateway", "Compute worker, HTTP gateway", worker.look_over_gateway, worker_fix),
        Check("worker-storage", "Object storage from the worker", worker.look_at_store, worker_fix),
        Check("credential-broker", "Credential broker", worker.look_at_credentials, worker_fix),
        Check("alignment-model", "Alignment model", worker.look_at_alignment_model, worker_fix),
        Check("playback-secret", "Playback secret", worker.look_at_secret, worker_fix),
        Check("providers", "Voice providers", providers.look, PROVIDERS_FIX),
    ]


def _direct_broker(settings: AppSettings) -> Callable[[], Awaitable[Finding]] | None:
    """None where only the worker is told the broker's address."""
    embedded = settings.embedded
    if embedded.broker is not None:
        return partial(look_for_greeting, "127.0.0.1", embedded.broker.port)
    if embedded.worker is not None:
        first = urlsplit(embedded.worker.settings.broker.urls[0])
        return partial(look_for_greeting, first.hostname or "", first.port or _BROKER_PORT)
    return None
