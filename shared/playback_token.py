"""The token in a playback address: who may start which session's audio, for ten minutes.

The app mints it, the worker verifies it; both derive the key from TTS_PLAYBACK_TOKEN_SECRET. A JWT
(RFC 7519) under HS256. What is wrong with a refused token is nobody's business.
"""

from dataclasses import dataclass
from typing import Final

import jwt
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from shared.errors import Code, LecternError

LIFETIME_SECONDS: Final = 600
_AUDIENCE: Final = "lectern-playback"
_ALGORITHM: Final = "HS256"
# Domain separation: the same secret also keys the speech cache.
_KEY_INFO: Final = b"lectern playback url signing v1"


@dataclass(frozen=True)
class PlaybackClaims:
    session_id: str
    user_id: str
    document_id: str
    expires_at_seconds: int


def derive_signing_key(secret: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_KEY_INFO).derive(secret.encode())


def mint_playback_token(
    *, key: bytes, session_id: str, user_id: str, document_id: str, now_seconds: float
) -> tuple[str, PlaybackClaims]:
    claims = PlaybackClaims(session_id, user_id, document_id, int(now_seconds) + LIFETIME_SECONDS)
    payload = {
        "aud": _AUDIENCE,
        "session": session_id,
        "sub": user_id,
        "document": document_id,
        "exp": claims.expires_at_seconds,
    }
    return jwt.encode(payload, key, algorithm=_ALGORITHM), claims


def verify_playback_token(*, key: bytes, token: str, session_id: str, now_seconds: float) -> PlaybackClaims:
    """Raises PERMISSION_DENIED, reason PLAYBACK_TOKEN_REFUSED, for anything wrong."""
    options = {"require": ["aud", "session", "sub", "document", "exp"], "verify_exp": False}
    try:
        payload = jwt.decode(token, key, algorithms=[_ALGORITHM], audience=_AUDIENCE, options=options)  # type: ignore[arg-type]
        claims = PlaybackClaims(payload["session"], payload["sub"], payload["document"], int(payload["exp"]))
    except (jwt.InvalidTokenError, ValueError, TypeError) as error:
        raise _refused() from error
    # The clock is the caller's, so that it can be turned.
    if claims.session_id != session_id or claims.expires_at_seconds <= now_seconds:
        raise _refused()
    return claims


def _refused() -> LecternError:
    return LecternError(
        Code.PERMISSION_DENIED,
        "This playback address has expired or isn't valid. Press play again.",
        reason="PLAYBACK_TOKEN_REFUSED",
    )
