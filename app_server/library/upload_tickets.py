"""What is known of an upload that goes straight to the store: the browser holds it, signed by us."""

from dataclasses import dataclass
from typing import Final

import jwt
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app_server.clock import Clock
from shared.errors import Code, LecternError

LIFETIME_SECONDS: Final = 3600
_ALGORITHM: Final = "HS256"
_AUDIENCE: Final = "lectern-upload"


@dataclass(frozen=True)
class UploadTicket:
    key: str
    owner_id: str
    file_name: str
    size_bytes: int


class UploadTickets:
    def __init__(self, *, auth_secret: str, clock: Clock) -> None:
        derivation = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lectern upload tickets v1")
        self._key = derivation.derive(auth_secret.encode())
        self._clock = clock

    def issue(self, ticket: UploadTicket) -> str:
        claims = {
            "aud": _AUDIENCE,
            "exp": self._clock() // 1000 + LIFETIME_SECONDS,
            "key": ticket.key,
            "sub": ticket.owner_id,
            "name": ticket.file_name,
            "size": ticket.size_bytes,
        }
        return jwt.encode(claims, self._key, algorithm=_ALGORITHM)

    def read(self, text: str, *, owner_id: str) -> UploadTicket:
        """Raises NOT_FOUND for one that is forged, too old or somebody else's."""
        try:
            claims = jwt.decode(
                text,
                self._key,
                algorithms=[_ALGORITHM],
                audience=_AUDIENCE,
                options={"require": ["exp", "sub"], "verify_exp": False},  # by our own clock, below
            )
            ticket = UploadTicket(claims["key"], claims["sub"], claims["name"], claims["size"])
        except (jwt.InvalidTokenError, KeyError) as error:
            raise _unknown() from error
        if ticket.owner_id != owner_id or claims["exp"] <= self._clock() // 1000:
            raise _unknown()
        return ticket


def _unknown() -> LecternError:
    return LecternError(
        Code.NOT_FOUND,
        "This upload is over or was never begun. Send the file again.",
        reason="UPLOAD_NOT_FOUND",
    )
