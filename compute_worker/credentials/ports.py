"""Where a generation run gets its provider's credentials from."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from compute_worker.speech.model import Provider
from lectern.metering.v1.metering_pb2 import SpeechMetering


class CredentialSource(Protocol):
    async def resolve(self, provider_ref: str) -> Provider:
        """Raises LecternError: NOT_FOUND for an unknown or disabled provider, FAILED_PRECONDITION when its
        stored key can't be decrypted, UNAVAILABLE when the broker can't be asked."""
        ...


class LimitedCache(Protocol):
    def limit(self, *, max_bytes: int, ttl_seconds: float) -> None: ...


class MeteredSpeech(Protocol):
    def learn(self, metering: SpeechMetering) -> None: ...


class SpeechMeter(Protocol):
    def asks(self, account: str) -> bool:
        """Whether the next charge of this account would be asked for at all."""
        ...

    def charged(
        self, account: str, *, segment_key: str, characters: int
    ) -> AbstractAsyncContextManager[None]:
        """For speech that is made within the block. Raises SpeechLimitError."""
        ...
