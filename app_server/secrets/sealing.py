"""Secrets at rest: AES-256-GCM under a key derived from AUTH_SECRET, bound to the place they lie in."""

import base64
import os
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from shared.errors import Code, LecternError

_FORMAT = "v1"
_NONCE_BYTES = 12


class SealBrokenError(LecternError):
    """The stored secret can't be opened: AUTH_SECRET changed, or the row was tampered with."""

    def __init__(self) -> None:
        super().__init__(
            Code.FAILED_PRECONDITION,
            "A stored key can't be decrypted, most likely because AUTH_SECRET has changed. "
            "Enter the key again.",
            reason="STORED_SECRET_UNREADABLE",
        )


@dataclass(frozen=True)
class Place:
    """Where a secret lies; one moved to another place doesn't open there."""

    table: str
    column: str
    row: str

    @property
    def associated_data(self) -> bytes:
        return "\0".join(("lectern", self.table, self.column, self.row)).encode()


class SecretSealer:
    def __init__(self, *, auth_secret: str) -> None:
        derivation = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lectern secrets at rest v1")
        self._cipher = AESGCM(derivation.derive(auth_secret.encode()))

    def seal(self, secret: str, place: Place) -> str:
        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + self._cipher.encrypt(nonce, secret.encode(), place.associated_data)
        return f"{_FORMAT}:{base64.b64encode(sealed).decode()}"

    def open(self, sealed: str, place: Place) -> str:
        """Raises SealBrokenError."""
        form, _, encoded = sealed.partition(":")
        try:
            if form != _FORMAT:
                raise SealBrokenError
            raw = base64.b64decode(encoded, validate=True)
            secret = self._cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], place.associated_data)
        except (InvalidTag, ValueError) as error:
            raise SealBrokenError from error
        return secret.decode()
