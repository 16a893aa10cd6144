"""Accounts as NATS's own tools make them: an operator, an account with JetStream, and users' .creds files.

JWTs of NATS (https://docs.nats.io, "JWT in depth") are signed with ed25519 keys in NATS's spelling.
"""

import base64
import json
import os
import time
from dataclasses import dataclass

import nkeys

_UNLIMITED = {
    **dict.fromkeys(("subs", "data", "payload", "imports", "exports", "conn", "leaf"), -1),
    "wildcards": True,
}
_JETSTREAM = dict.fromkeys(("mem_storage", "disk_storage", "streams", "consumer"), -1)


@dataclass(frozen=True)
class Key:
    seed: bytes

    @property
    def pair(self) -> nkeys.KeyPair:
        return nkeys.from_seed(bytearray(self.seed))

    @property
    def public(self) -> str:
        return bytes(self.pair.public_key).decode()


class NatsAccounts:
    def __init__(self) -> None:
        self._operator, self._account, self._system = (
            new_key(kind)
            for kind in (nkeys.PREFIX_BYTE_OPERATOR, nkeys.PREFIX_BYTE_ACCOUNT, nkeys.PREFIX_BYTE_ACCOUNT)
        )

    @property
    def server_configuration(self) -> str:
        limits = {"limits": {**_UNLIMITED, **_JETSTREAM}}
        accounts = {
            self._account.public: token(self._operator, self._account, "account", limits),
            self._system.public: token(self._operator, self._system, "account", {"limits": _UNLIMITED}),
        }
        return json.dumps(
            {
                "operator": token(self._operator, self._operator, "operator", {}),
                "system_account": self._system.public,
                "resolver": "MEMORY",
                "resolver_preload": accounts,
            }
        )

    def new_creds(self) -> str:
        """The content of a .creds file for a new user of the account."""
        return creds_of(self._account)


def creds_of(account: Key) -> str:
    user = new_key(nkeys.PREFIX_BYTE_USER)
    jwt = token(account, user, "user", {"subs": -1, "data": -1, "payload": -1})
    return (
        f"-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{user.seed.decode()}\n------END USER NKEY SEED------\n"
    )


def new_key(kind: int) -> Key:
    return Key(bytes(nkeys.encode_seed(os.urandom(32), kind)))


def token(issuer: Key, subject: Key, kind: str, claims: dict[str, object]) -> str:
    now = int(time.time())
    payload = {
        "jti": base64.b32encode(os.urandom(16)).decode().rstrip("="),
        "iat": now,
        "iss": issuer.public,
        "name": kind,
        "sub": subject.public,
        "nats": {**claims, "type": kind, "version": 2},
    }
    parts = [{"typ": "JWT", "alg": "ed25519-nkey"}, payload]
    signed = ".".join(_encoded(json.dumps(part).encode()) for part in parts)
    return f"{signed}.{_encoded(bytes(issuer.pair.sign(signed.encode())))}"


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
