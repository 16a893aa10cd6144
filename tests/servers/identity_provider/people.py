"""Who is at the provider, what is wrong with it just now, and the codes and tokens that it has given out."""

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any

CLIENT_ID, CLIENT_SECRET = "lectern-client", "a-secret:of+the/client"


@dataclass
class Grant:
    """A code, until it is spent."""

    redirect_uri: str
    nonce: str
    code_challenge: str
    person: dict[str, Any]


@dataclass
class ProviderState:
    """person is who signs in there next: claims of OpenID Connect.

    faults: claims and seconds from now (put over those of the ID token), drop (what it leaves out), header
    (of its JWS), nonce_of_first (replay it), status (by path), discovery (put over its document), error (what
    the authorization endpoint answers), iss (in its answer).
    """

    person: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, Any] = field(default_factory=dict)
    grants: dict[str, Grant] = field(default_factory=dict)
    tokens: dict[str, dict[str, Any]] = field(default_factory=dict)
    first_nonce: str = ""

    def grant(self, query: dict[str, str]) -> str:
        code = secrets.token_urlsafe(16)
        self.grants[code] = Grant(
            redirect_uri=query["redirect_uri"],
            nonce=query.get("nonce", ""),
            code_challenge=query["code_challenge"],
            person=dict(self.person),
        )
        return code

    def spend(self, form: dict[str, str]) -> Grant | None:
        """None for a code that isn't good: unknown, spent, for another address, or without its verifier."""
        grant = self.grants.pop(form.get("code", ""), None)
        if grant is None or form.get("redirect_uri") != grant.redirect_uri:
            return None
        return grant if challenge_of(form.get("code_verifier", "")) == grant.code_challenge else None

    def token_for(self, grant: Grant) -> str:
        token = secrets.token_urlsafe(16)
        self.tokens[token] = grant.person
        return token


def challenge_of(verifier: str) -> str:
    """RFC 7636, by hand: what the client computes must not be what checks it."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
