"""Passwords of locked files on their way through the queue.

Any worker may take the job, so it carries the password; and the queue is on disk, so it carries it sealed,
under a key that only the workers of one site have. Nothing else of a password is ever written.
"""

import base64
import hashlib
import hmac
import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from compute_worker.documents.failures import password_required

MOST_BYTES: Final = 1_000  # PDF uses 127 at most (ISO 32000-2, 7.6.4.3.3)
SEALED_ARGUMENT: Final = "sealed_password"
EARLIER_ARGUMENT: Final = "earlier_ref"
_KEYS_INFO: Final = b"lectern document password v1"  # apart from what else is derived from the secret
_NONCE_BYTES: Final = 12
_NAME_DIGITS: Final = 32


class DocumentPasswords:
    def __init__(self, *, secret: str) -> None:
        """secret: TTS_PLAYBACK_TOKEN_SECRET, which all workers share."""
        keys = HKDF(algorithm=SHA256(), length=64, salt=None, info=_KEYS_INFO).derive(secret.encode())
        self._cipher = AESGCM(keys[:32])
        self._naming_key = keys[32:]

    def name(self, password: str, sha256: str) -> str:
        """What tells one password of a file from another; without the key nobody can try passwords on it."""
        told = f"{sha256}:{password}".encode()
        return hmac.new(self._naming_key, told, hashlib.sha256).hexdigest()[:_NAME_DIGITS]

    def seal(self, password: str, sha256: str) -> str:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, password.encode(), sha256.encode())
        return base64.b64encode(nonce + sealed).decode()

    def unseal(self, sealed: str, sha256: str) -> str:
        """Raises PASSWORD_REQUIRED where it was sealed under another secret: it is asked for anew."""
        try:
            raw = base64.b64decode(sealed, validate=True)
            return self._cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], sha256.encode()).decode()
        except (InvalidTag, ValueError) as error:
            raise password_required() from error
