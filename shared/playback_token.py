"""The token in a playback URL: allows one listener to start one session's audio for ten minutes.

Minted by the app server, checked by the worker, both from TTS_PLAYBACK_TOKEN_SECRET. The signing key is
derived for this use alone: the speech cache derives its own from the same secret.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import jwt
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

AUDIENCE = "lectern-playback"
ALGORITHM = "HS256"
LIFETIME_SECONDS = 600  # to start a stream; a running one is not cut
KEY_INFO = b"lectern playback url signing v1"


@dataclass(frozen=True)
class MintedToken:
    token: str
    expires_at: int  # seconds since the epoch


class PlaybackTokens:
    def __init__(self, *, secret: str, clock: Callable[[], float] = time.time) -> None:
        self._key = HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_INFO).derive(secret.encode())
        self._clock = clock

    def mint(self, *, session_id: str, user_id: str, document_id: str) -> MintedToken:
        expires_at = int(self._clock()) + LIFETIME_SECONDS
        claims = {
            "aud": AUDIENCE,
            "sub": user_id,
            "session": session_id,
            "document": document_id,
            "exp": expires_at,
        }
        return MintedToken(jwt.encode(claims, self._key, algorithm=ALGORITHM), expires_at)

    def allows(self, token: str, session_id: str) -> bool:
        """Whether the token is ours, still valid and for this session. Says no more, so nobody learns why."""
        try:
            claims = jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                options={"require": ["aud", "sub", "exp", "session", "document"], "verify_exp": False},
            )
        except jwt.InvalidTokenError:
            return False
        return bool(claims["session"] == session_id and claims["exp"] > self._clock())
