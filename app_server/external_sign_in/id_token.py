"""Verifies an ID token as OpenID Connect Core 1.0, section 3.1.3.7 says."""

from collections.abc import Sequence
from typing import Any, Final

import jwt

_LEEWAY_SECONDS: Final = 60  # between two clocks
# Signatures that only the provider can make: "none" is none, and HS256 takes a public key for a secret.
_ALGORITHMS: Final = frozenset(
    {f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)} | {"EdDSA"}
)
_REQUIRED: Final = ["iss", "sub", "aud", "exp", "iat"]


class UnknownKeyError(Exception):
    """Signed with none of these keys; the provider may have newer ones."""


class IdTokenError(Exception):
    """Its text says what is wrong and holds no part of the token."""


def verified_claims(
    token: str,
    *,
    keys: Sequence[dict[str, Any]],
    issuer: str,
    client_id: str,
    nonce: str,
    now_seconds: float,
) -> dict[str, Any]:
    """Raises UnknownKeyError, and IdTokenError."""
    key = _key(token, keys)
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            issuer=issuer,
            audience=client_id,
            # Times are checked below, by our own clock.
            options={"require": _REQUIRED, "verify_exp": False, "verify_iat": False, "verify_nbf": False},
        )
    except jwt.InvalidSignatureError as error:
        raise UnknownKeyError("signature") from error
    except jwt.InvalidTokenError as error:
        raise IdTokenError(type(error).__name__) from error
    _check_times(claims, now_seconds)
    _check_party(claims, client_id)
    if claims.get("nonce") != nonce:
        raise IdTokenError("the nonce is of another sign-in")
    return claims


def _key(token: str, keys: Sequence[dict[str, Any]]) -> jwt.PyJWK:
    try:
        header = jwt.get_unverified_header(token)
    except jwt.InvalidTokenError as error:
        raise IdTokenError("malformed") from error
    algorithm = header.get("alg")
    if algorithm not in _ALGORITHMS:
        raise IdTokenError(f"signed with {algorithm!r:.20}")
    fitting = [key for key in keys if key.get("use", "sig") == "sig" and _fits(key, algorithm)]
    if "kid" in header:
        fitting = [key for key in fitting if key.get("kid") == header["kid"]]
    if not fitting:
        raise UnknownKeyError("key")
    try:
        return jwt.PyJWK(fitting[0], algorithm)
    except (jwt.PyJWTError, ValueError) as error:
        raise IdTokenError("the provider's key can't be read") from error


def _fits(key: dict[str, Any], algorithm: str) -> bool:
    kind = {"R": "RSA", "P": "RSA"}.get(algorithm[0]) or ("OKP" if algorithm == "EdDSA" else "EC")
    return key.get("kty") == kind and key.get("alg", algorithm) == algorithm


def _check_times(claims: dict[str, Any], now_seconds: float) -> None:
    try:
        expires_at, issued_at = float(claims["exp"]), float(claims["iat"])
        valid_from = float(claims.get("nbf", issued_at))
    except (TypeError, ValueError) as error:
        raise IdTokenError("a time is no number") from error
    if expires_at <= now_seconds - _LEEWAY_SECONDS:
        raise IdTokenError("expired")
    if max(issued_at, valid_from) > now_seconds + _LEEWAY_SECONDS:
        raise IdTokenError("from the future")


def _check_party(claims: dict[str, Any], client_id: str) -> None:
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    party = claims.get("azp", client_id if len(audiences) == 1 else None)
    if party != client_id:
        raise IdTokenError("issued to another client")
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not subject.isprintable():
        raise IdTokenError("the subject is none")
