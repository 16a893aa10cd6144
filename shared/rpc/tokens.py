"""Bearer tokens between the processes: how they are sent and how they are compared."""

import hashlib
import hmac
from collections.abc import Callable
from typing import Final

from shared.errors import Code, LecternError

# Takes an Authorization header's value (None when absent) and says whether it is the right one.
TokenCheck = Callable[[str | None], bool]

_SCHEME: Final = "bearer"


def bearer_check(token: str) -> TokenCheck:
    """A check against one token that takes the same time whatever is presented."""
    if not token:
        raise ValueError("A bearer token must not be empty.")
    expected = _digest(token)

    def accepts(authorization: str | None) -> bool:
        scheme, _, presented = (authorization or "").partition(" ")
        same = hmac.compare_digest(_digest(presented.strip()), expected)
        return same and scheme.lower() == _SCHEME

    return accepts


def authorization_value(token: str) -> str:
    return f"Bearer {token}"


def refused_token() -> LecternError:
    return LecternError(
        Code.UNAUTHENTICATED,
        "The bearer token is missing or wrong. Both processes need the same token in their configuration.",
        reason="TOKEN_REFUSED",
    )


def _digest(token: str) -> bytes:
    # Equal lengths for compare_digest, which would tell lengths apart.
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
