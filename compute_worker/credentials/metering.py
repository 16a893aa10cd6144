"""Has new speech charged by the app server, before it is made. Nobody is asked while speech isn't metered."""

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import structlog

from lectern.metering.v1 import metering_pb2 as pb
from lectern.metering.v1.metering_pb2_grpc import SpeechMeterServiceStub
from shared.errors import Code, LecternError

ATTEMPTS: Final = 3
BACKOFF_SECONDS: Final = 0.1  # doubled each time, with jitter
RESETS_AT_MS: Final = "resets_at_ms"
_Answer = TypeVar("_Answer")

log = structlog.get_logger(__name__)


class SpeechLimitError(LecternError):
    """The listener's allowance of new speech is used up; what is in the cache may still be played."""

    def __init__(self, error: LecternError) -> None:
        super().__init__(
            error.code, error.message, reason=error.reason, details=error.details, retryable=False
        )
        self.resets_at_ms = int(error.details[RESETS_AT_MS])


class SpeechMeterClient:
    def __init__(
        self,
        *,
        channel: Any,  # a grpc or gateway channel to the app server
        timeout_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stub = SpeechMeterServiceStub(channel)
        self._timeout_seconds = timeout_seconds
        self._clock = clock
        self._is_on = False
        self._ask_again_at: float | None = None

    def learn(self, metering: pb.SpeechMetering) -> None:
        """What the app server says with credentials and charges, good for as long as it says."""
        self._is_on = metering.is_on
        self._ask_again_at = self._clock() + metering.refresh_seconds

    def asks(self, account: str) -> bool:
        is_due = self._ask_again_at is not None and self._clock() >= self._ask_again_at
        return bool(account) and (self._is_on or is_due)

    @asynccontextmanager
    async def charged(self, account: str, *, segment_key: str, characters: int) -> AsyncIterator[None]:
        """For speech that is made within the block. Taken back when it fails, but not when it is called off:
        then it may have been made, and made again it is free.

        Raises SpeechLimitError, and UNAVAILABLE (reason METER_UNAVAILABLE) when the app can't be asked.
        """
        if not self.asks(account):
            yield
            return
        attempt_id = secrets.token_hex(16)
        refund = pb.RefundSpeechRequest(segment_key=segment_key, attempt_id=attempt_id)
        try:
            await self._charge(
                pb.ChargeSpeechRequest(
                    usage_account=account,
                    segment_key=segment_key,
                    attempt_id=attempt_id,
                    characters=max(characters, 1),
                )
            )
        except asyncio.CancelledError:
            # Nothing was asked of the provider yet, but the charge may have arrived.
            await asyncio.shield(self._refund(refund))
            raise
        try:
            yield
        except LecternError:
            await self._refund(refund)
            raise

    async def _charge(self, request: pb.ChargeSpeechRequest) -> None:
        try:
            answer = await _patiently(lambda: self._stub.ChargeSpeech(request, timeout=self._timeout_seconds))
        except LecternError as error:
            if RESETS_AT_MS in error.details:
                raise SpeechLimitError(error) from error
            if not error.retryable:
                raise
            raise LecternError(
                Code.UNAVAILABLE,
                "New speech can't be accounted for just now. Press play to try again.",
                reason="METER_UNAVAILABLE",
            ) from error
        self.learn(answer.speech_metering)

    async def _refund(self, request: pb.RefundSpeechRequest) -> None:
        try:
            await _patiently(lambda: self._stub.RefundSpeech(request, timeout=self._timeout_seconds))
        except LecternError as error:
            log.warning("speech that was not made stays charged", reason=error.reason)


async def _patiently(call: Callable[[], Awaitable[_Answer]]) -> _Answer:
    """Both calls may be repeated: what has been done is not done twice."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return await call()
        except LecternError as error:
            if not error.retryable or RESETS_AT_MS in error.details or attempt == ATTEMPTS:
                raise
            log.info("the app server is asked again about a charge", reason=error.reason)
            await asyncio.sleep(BACKOFF_SECONDS * 2**attempt * random.uniform(0.5, 1))  # noqa: S311
    raise AssertionError("unreachable")
