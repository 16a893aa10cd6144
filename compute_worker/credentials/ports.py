"""Where a generation run gets its provider's credentials from."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from compute_worker.speech.model import Provider
from lectern.metering.v1.metering_pb2 import SpeechMetering
from shared.errors import Code, LecternError


class CredentialBrokerError(LecternError):
    """The app server can't be asked, or doesn't know what it is asked. A listener is told that much; found
    says to operators what is behind it, which is no matter between the app server's calls and this worker."""

    def __init__(self, found: LecternError) -> None:
        super().__init__(
            Code.UNAVAILABLE,
            "The voice can't be asked for just now. Try again in a moment."
            if found.retryable
            else "The part of Lectern that speaks isn't set up rightly. Please tell the administrator.",
            reason="CREDENTIALS_UNAVAILABLE",
            retryable=found.retryable,
        )
        self.found = found


class CredentialSource(Protocol):
    async def resolve(self, provider_ref: str) -> Provider:
        """Raises LecternError: INVALID_ARGUMENT for a malformed reference, NOT_FOUND for an unknown or
        disabled provider, FAILED_PRECONDITION when its stored key can't be decrypted; CredentialBrokerError
        when the broker can't be asked."""
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
