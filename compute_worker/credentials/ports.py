"""Where a generation run gets its provider's credentials from."""

from typing import Protocol

from compute_worker.speech.model import Provider


class CredentialSource(Protocol):
    async def resolve(self, provider_ref: str) -> Provider:
        """Raises LecternError: NOT_FOUND for an unknown or disabled provider, FAILED_PRECONDITION when its
        stored key can't be decrypted, UNAVAILABLE when the broker can't be asked."""
        ...


class LimitedCache(Protocol):
    def limit(self, *, max_bytes: int, ttl_seconds: float) -> None: ...
