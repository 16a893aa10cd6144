"""Password hashing with argon2id (RFC 9106), off the event loop and a few at a time."""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app_server.accounts.model import PASSWORD_MAX_CHARACTERS, PASSWORD_MIN_CHARACTERS

_CONCURRENT_HASHES = 2  # 19 MiB each; more at once would only make each slower


class Passwords:
    def __init__(self) -> None:
        # OWASP's second recommendation: 19 MiB, two passes, one lane.
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._turns = asyncio.Semaphore(_CONCURRENT_HASHES)
        self._nobodys_hash: str | None = None

    async def hash(self, password: str) -> str:
        async with self._turns:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def matches(self, password: str, password_hash: str | None) -> bool:
        """Takes as long for an account that doesn't exist (None) as for one that does."""
        password = password[: PASSWORD_MAX_CHARACTERS + 1]
        if password_hash is None:
            if self._nobodys_hash is None:
                self._nobodys_hash = await self.hash("nobody has this one")
            await self._verify(password, self._nobodys_hash)
            return False
        return await self._verify(password, password_hash)

    def is_outdated(self, password_hash: str) -> bool:
        return self._hasher.check_needs_rehash(password_hash)

    async def _verify(self, password: str, password_hash: str) -> bool:
        async with self._turns:
            try:
                return await asyncio.to_thread(self._hasher.verify, password_hash, password)
            except (VerificationError, InvalidHashError):
                return False


def password_fault(password: str) -> str | None:
    """What is wrong with a new one, for its owner."""
    if len(password) < PASSWORD_MIN_CHARACTERS:
        return f"The password needs at least {PASSWORD_MIN_CHARACTERS} characters."
    if len(password) > PASSWORD_MAX_CHARACTERS:
        return f"The password can have at most {PASSWORD_MAX_CHARACTERS} characters."
    return None
