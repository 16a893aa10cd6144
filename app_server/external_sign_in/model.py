"""Signing in with an account somewhere else: identities, and the way to the provider and back. No I/O."""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Final

# From leaving for the provider to coming back; somebody may have to find a second factor first.
FLOW_LIFETIME_MS: Final = 10 * 60 * 1000


@dataclass(frozen=True)
class ExternalIdentity:
    """Who somebody is, as a provider says. issuer and subject together name one person for ever."""

    issuer: str
    subject: str
    # As the provider writes it.
    email: str
    is_email_verified: bool
    name: str


@dataclass(frozen=True)
class LinkedIdentity:
    id: str
    issuer: str
    email: str
    name: str
    linked_at_ms: int


@dataclass(frozen=True)
class Flow:
    """One way to a provider and back, which ends at most once.

    user_id is of the account that gets a further way to sign in, or None when somebody signs in.
    """

    provider_id: str
    browser_hash: str
    user_id: str | None
    next_address: str
    expires_at_ms: int


@dataclass(frozen=True)
class FlowSecrets:
    """What only this browser and we know of one flow; all of it follows from the browser's cookie and the
    state, so that the database holds nothing by which to end somebody else's flow."""

    state: str
    browser_secret: str = field(repr=False)

    @property
    def nonce(self) -> str:
        return self._derived("nonce")

    @property
    def code_verifier(self) -> str:
        """RFC 7636, section 4.1: 43 characters of base64url."""
        return self._derived("code verifier")

    @property
    def code_challenge(self) -> str:
        return base64url(hashlib.sha256(self.code_verifier.encode()).digest())

    def _derived(self, purpose: str) -> str:
        key = self.browser_secret.encode("utf-8", "surrogateescape")
        return base64url(hmac.digest(key, f"{purpose}\0{self.state}".encode(), "sha256"))


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
