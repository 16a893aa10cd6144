"""Secrets that need not be written down: generated for one run, or derived from AUTH_SECRET."""

import base64
import secrets

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def generate_secret() -> str:
    return secrets.token_urlsafe(32)


def derive_playback_secret(auth_secret: str) -> str:
    """HKDF-SHA256 (RFC 5869): the same for the same AUTH_SECRET, which it doesn't reveal."""
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lectern/tts-playback-token/v1")
    return base64.urlsafe_b64encode(key.derive(auth_secret.encode())).decode().rstrip("=")
