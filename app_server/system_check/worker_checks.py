"""Whether a compute worker answers on both transports, and what it says of what it depends on."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from app_server.system_check.model import Finding, error, ok, warn
from lectern.compute.v1 import diagnostics_pb2 as pb
from shared.errors import Code, LecternError

# Asks one worker over one transport; raises LecternError.
Diagnose = Callable[[], Awaitable[pb.DiagnoseResponse]]

EMBEDDED_FIX: Final = (
    "The app starts this worker itself: look into the log for why it stopped or hangs (“worker” lines), "
    "check that EMBEDDED_COMPUTE_WORKER_PORT and COMPUTE_WORKER_GRPC_PORT are free, and restart Lectern."
)
EXTERNAL_FIX: Final = (
    "Start the worker (`lectern worker`), check that {variable} leads to it from this machine, and that no "
    "firewall lies between."
)
_TOKEN_FIX: Final = "Give COMPUTE_WORKER_TOKEN the same value here and on the worker, and restart both."  # noqa: S105
_BROKER_FIX: Final = (
    "Check that the broker runs, that BROKER_URL and its credentials on the worker are right, and that "
    "JetStream is on and has room."
)
_STORE_FULL_FIX: Final = {
    code: f"Raise {variable} on every worker and restart them, or wait until work that waits is done."
    for code, variable in (
        ("JOBS_STREAM_NEARLY_FULL", "COMPUTE_JOBS_STREAM_MAX_BYTES"),
        ("JOB_STATES_NEARLY_FULL", "COMPUTE_JOB_STATES_MAX_BYTES"),
    )
}
# Refuses nobody's work: only what happened is kept for a shorter time.
_EVENTS_FULL: Final = "EVENTS_STREAM_FULL"
_EVENTS_FULL_FIX: Final = "Raise COMPUTE_EVENTS_STREAM_MAX_BYTES on every worker and restart them."
_STORE_FIX: Final = "Give the worker the same S3 variables as the app, with an endpoint that it can reach."
_CREDENTIALS_FIX: Final = (
    "Check COMPUTE_CREDENTIAL_BROKER_URL on the worker: this app's address as the worker reaches it, "
    "followed by /api/internal/compute/tts-credentials."
)
_CREDENTIALS_TOKEN_FIX: Final = (
    "Give COMPUTE_CREDENTIAL_BROKER_TOKEN the same value here and on the worker, and restart both."  # noqa: S105
)
_MODEL_FIX: Final = (
    "Words are found without the model meanwhile. See that ALIGN_MODEL_BASE_URL on the worker leads to its "
    "manifest.json and that its disk has room. It is tried again when it is needed, and at the worker's "
    "start with COMPUTE_PREWARM_MODELS=true."
)
_FINGERPRINT_FIX: Final = (
    "Give TTS_PLAYBACK_TOKEN_SECRET exactly the same value here and on every worker, and restart them."
)


@dataclass(frozen=True)
class Seen:
    """What one transport brought: an answer, or why there is none."""

    answer: pb.DiagnoseResponse | None = None
    failure: LecternError | None = None


class WorkerView:
    """Asks both transports at once, and answers from whichever answered."""

    def __init__(
        self,
        *,
        grpc: Diagnose | None,
        gateway: Diagnose,
        version: str,
        fingerprint: str,
        is_embedded: bool,
        direct_broker: Callable[[], Awaitable[Finding]] | None,
    ) -> None:
        """grpc is None without COMPUTE_WORKER_GRPC_URL, direct_broker where the app doesn't know the broker's
        address."""
        self._grpc = grpc
        self._gateway = gateway
        self._version = version
        self._fingerprint = fingerprint
        self._is_embedded = is_embedded
        self._direct_broker = direct_broker
        self._seen: asyncio.Task[tuple[Seen | None, Seen]] | None = None

    async def look_over_grpc(self) -> Finding:
        seen, _ = await self._both()
        if seen is None:
            return ok("Not set up: calls go through the HTTP gateway (COMPUTE_WORKER_GRPC_URL is unset).")
        return self._transport(seen, "COMPUTE_WORKER_GRPC_URL")

    async def look_over_gateway(self) -> Finding:
        _, seen = await self._both()
        return self._transport(seen, "COMPUTE_WORKER_URL")

    async def look_at_broker(self) -> Finding:
        answer = await self._answer()
        if answer is not None and answer.broker.code == _EVENTS_FULL:
            return warn(answer.broker.message, _EVENTS_FULL_FIX)
        if answer is not None:
            return _part(answer.broker, _STORE_FULL_FIX.get(answer.broker.code, _BROKER_FIX))
        if self._direct_broker is not None:
            return await self._direct_broker()
        return _unknown()

    async def look_at_store(self) -> Finding:
        answer = await self._answer()
        return _unknown() if answer is None else _part(answer.object_store, _STORE_FIX)

    async def look_at_credentials(self) -> Finding:
        answer = await self._answer()
        if answer is None:
            return _unknown()
        is_token = answer.credential_broker.code == "TOKEN_REFUSED"
        return _part(answer.credential_broker, _CREDENTIALS_TOKEN_FIX if is_token else _CREDENTIALS_FIX)

    async def look_at_alignment_model(self) -> Finding:
        answer = await self._answer()
        if answer is None or not answer.HasField("alignment_model"):
            return _unknown()
        found = answer.alignment_model
        return ok(found.message) if found.ok else warn(found.message, _MODEL_FIX)

    async def look_at_secret(self) -> Finding:
        answer = await self._answer()
        if answer is None:
            return _unknown()
        theirs = answer.playback_secret_fingerprint
        if theirs != self._fingerprint:
            return error(
                f"Here {self._fingerprint}, on the worker {theirs}: listeners hear nothing.", _FINGERPRINT_FIX
            )
        return ok(f"The same on both sides (fingerprint {theirs}).")

    async def _both(self) -> tuple[Seen | None, Seen]:
        """Once for all the looks."""
        if self._seen is None:
            self._seen = asyncio.create_task(self._ask_both())
        return await asyncio.shield(self._seen)

    async def _ask_both(self) -> tuple[Seen | None, Seen]:
        if self._grpc is None:
            return None, await _ask(self._gateway)
        grpc, gateway = await asyncio.gather(_ask(self._grpc), _ask(self._gateway))
        return grpc, gateway

    async def _answer(self) -> pb.DiagnoseResponse | None:
        grpc, gateway = await self._both()
        return (grpc and grpc.answer) or gateway.answer

    def _transport(self, seen: Seen, variable: str) -> Finding:
        if seen.answer is None:
            return self._unreached(seen.failure, variable)
        if seen.answer.version != self._version:
            return warn(
                f"The worker has version {seen.answer.version}, this app {self._version}.",
                "Run the same version on both sides.",
            )
        return ok(f"{seen.answer.worker_id} answers, version {seen.answer.version}.")

    def _unreached(self, failure: LecternError | None, variable: str) -> Finding:
        if failure is None:
            return error("It gave no answer.", EXTERNAL_FIX.format(variable=variable))
        if failure.code is Code.UNAUTHENTICATED:
            return error("The worker refuses this app's token.", _TOKEN_FIX)
        if failure.code is Code.UNIMPLEMENTED:
            return warn("The worker is older than this app.", "Run the same version on both sides.")
        fix = EMBEDDED_FIX if self._is_embedded else EXTERNAL_FIX.format(variable=variable)
        return error(failure.message, fix)


async def _ask(diagnose: Diagnose) -> Seen:
    try:
        return Seen(answer=await diagnose())
    except LecternError as failure:
        return Seen(failure=failure)


def _part(found: pb.Finding, fix: str) -> Finding:
    return ok(f"{found.message} ({found.milliseconds} ms)") if found.ok else error(found.message, fix)


def _unknown() -> Finding:
    return warn("Not known while no worker answers.", "See to the worker first, then check again.")
