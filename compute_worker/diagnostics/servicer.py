"""DiagnosticsService: what this worker finds when it looks at what it depends on."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog

from lectern.compute.v1 import diagnostics_pb2 as pb
from lectern.compute.v1.diagnostics_pb2_grpc import DiagnosticsServiceServicer
from shared.errors import LecternError

_LIMIT_SECONDS: Final = 3.0  # the app server waits for 4
# Looks at one part and returns what it found; raises when the part fails.
Look = Callable[[], Awaitable[str]]
_log = structlog.get_logger(__name__)


class DiagnosticsServicer(DiagnosticsServiceServicer):
    def __init__(
        self,
        *,
        worker_id: str,
        version: str,
        playback_secret_fingerprint: str,
        broker: Look,
        object_store: Look,
        credential_broker: Look,
        alignment_model: Look,
        limit_seconds: float = _LIMIT_SECONDS,
    ) -> None:
        self._worker_id = worker_id
        self._version = version
        self._fingerprint = playback_secret_fingerprint
        self._looks = (broker, object_store, credential_broker, alignment_model)
        self._limit_seconds = limit_seconds

    async def Diagnose(self, request: pb.DiagnoseRequest, context: Any) -> pb.DiagnoseResponse:
        broker, object_store, credential_broker, alignment_model = await asyncio.gather(
            *map(self._finding, self._looks)
        )
        return pb.DiagnoseResponse(
            worker_id=self._worker_id,
            version=self._version,
            playback_secret_fingerprint=self._fingerprint,
            broker=broker,
            object_store=object_store,
            credential_broker=credential_broker,
            alignment_model=alignment_model,
        )

    async def _finding(self, look: Look) -> pb.Finding:
        began = time.perf_counter()
        finding = await self._found(look)
        finding.milliseconds = round((time.perf_counter() - began) * 1000)
        return finding

    async def _found(self, look: Look) -> pb.Finding:
        try:
            async with asyncio.timeout(self._limit_seconds):
                return pb.Finding(ok=True, message=await look())
        except TimeoutError:
            return pb.Finding(code="NO_ANSWER", message=f"No answer within {self._limit_seconds:g} s.")
        except LecternError as error:
            return pb.Finding(code=error.reason, message=error.message)
        except Exception:  # noqa: BLE001  # a part may fail in any way; its text may hold a password
            _log.warning("a part could not be looked at", exc_info=True)
            return pb.Finding(code="UNKNOWN", message="The look failed; the worker's log has the details.")
