"""API tokens: how programs of a user's own get in. No I/O."""

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Final

from app_server.accounts.access import TokenScope
from app_server.accounts.bearer import TOKEN_PREFIX

TOKENS_PER_USER: Final = 50
LONGEST_LIFE_DAYS: Final = 365
NAME_CHARACTERS: Final = 100


@dataclass(frozen=True)
class ApiToken:
    id: str
    user_id: str
    name: str
    scopes: tuple[TokenScope, ...]
    created_at_ms: int
    # None: until it is revoked.
    expires_at_ms: int | None
    # To the minute; None for one that was never used.
    last_used_at_ms: int | None = None


@dataclass(frozen=True)
class NewToken:
    """text is shown once and never stored."""

    token: ApiToken
    text: str = field(repr=False)


def new_token_text() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def token_hash(text: str) -> str:
    """256 random bits need no slow hash."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
