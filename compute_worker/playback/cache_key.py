"""The name of a piece of speech in the cache."""

import hashlib
import hmac
import json

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from compute_worker.playback.model import VoiceSettings

ENCODER_VERSION = "mp3-24k-64-1"  # change it whenever the same speech would give other frames
KEY_INFO = b"lectern speech cache key v1"  # apart from the key that signs playback URLs


class CacheKeys:
    """HMAC-SHA256 over everything that decides how a text sounds. The provider's credentials don't."""

    def __init__(self, *, playback_secret: str) -> None:
        self._key = HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_INFO).derive(
            playback_secret.encode()
        )

    def key(self, settings: VoiceSettings, language: str, spoken_text: str) -> str:
        """64 hex digits."""
        parts = [
            ENCODER_VERSION,
            settings.provider_ref,
            settings.model,
            settings.voice,
            settings.instructions,
            f"{settings.native_speed:.3f}",
            language,
            spoken_text,
        ]
        return hmac.new(self._key, json.dumps(parts).encode(), hashlib.sha256).hexdigest()
