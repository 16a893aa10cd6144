"""The token in a playback address: who may start which session's audio, for ten minutes.

The app mints it, the worker verifies it; both derive the key from TTS_PLAYBACK_TOKEN_SECRET. A JWT
(RFC 7519) under HS256. What is wrong with a refused token is nobody's business.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import jwt
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

LIFETIME_SECONDS: Final = 600
# Of no listener: by its address a browser finds out whether it reaches a worker.
SOUND_CHECK_SESSION: Final = "soundcheck"
_AUDIENCE: Final = "lectern-playback"
_ALGORITHM: Final = "HS256"
# Domain separation: the same secret also keys the speech cache.
_KEY_INFO: Final = b"lectern playback url signing v1"
_FINGERPRINT_INFO: Final = b"lectern playback secret fingerprint v1"
_FINGERPRINT_BYTES: Final = 8
_REQUIRED: Final = ["aud", "session", "sub", "document", "exp"]


@dataclass(frozen=True)
class PlaybackClaims:
    session_id: str
    user_id: str
    document_id: str
    # Seconds since 1970, as JWTs have it.
    expires_at_seconds: int


@dataclass(frozen=True)
class MintedToken:
    token: str
    expires_at_seconds: int


class PlaybackTokens:
    def __init__(self, *, secret: str, clock: Callable[[], float] = time.time) -> None:
        """clock tells seconds since 1970."""
        self._key = HKDF(algorithm=SHA256(), length=32, salt=None, info=_KEY_INFO).derive(secret.encode())
        self._clock = clock

    def mint(self, *, session_id: str, user_id: str, document_id: str) -> MintedToken:
        expires_at = int(self._clock()) + LIFETIME_SECONDS
        payload = {
            "aud": _AUDIENCE,
            "session": session_id,
            "sub": user_id,
            "document": document_id,
            "exp": expires_at,
        }
        return MintedToken(jwt.encode(payload, self._key, algorithm=_ALGORITHM), expires_at)

    def claims_of(self, token: str) -> PlaybackClaims | None:
        """None for a token that is malformed, forged, for another purpose or too old."""
        try:
            payload = jwt.decode(
                token,
                self._key,
                algorithms=[_ALGORITHM],
                audience=_AUDIENCE,
                options={"require": _REQUIRED, "verify_exp": False},  # by our own clock, below
            )
            claims = PlaybackClaims(
                session_id=str(payload["session"]),
                user_id=str(payload["sub"]),
                document_id=str(payload["document"]),
                expires_at_seconds=int(payload["exp"]),
            )
        except (jwt.InvalidTokenError, ValueError, TypeError):
            return None
        return claims if claims.expires_at_seconds > self._clock() else None

    def allows(self, token: str, session_id: str) -> bool:
        claims = self.claims_of(token)
        return claims is not None and claims.session_id == session_id


def secret_fingerprint(secret: str) -> str:
    """Equal for equal secrets, and good for nothing else: it may be shown to administrators."""
    derivation = HKDF(algorithm=SHA256(), length=_FINGERPRINT_BYTES, salt=None, info=_FINGERPRINT_INFO)
    return derivation.derive(secret.encode()).hex()
