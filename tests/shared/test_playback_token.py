import base64
import json

import jwt
import pytest

from shared.playback_token import LIFETIME_SECONDS, PlaybackTokens, secret_fingerprint

SECRET = "a secret of some length, as it should be"


class TurnableClock:
    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
def tokens(clock: TurnableClock) -> PlaybackTokens:
    return PlaybackTokens(secret=SECRET, clock=clock)


def minted(tokens: PlaybackTokens) -> str:
    return tokens.mint(session_id="s1", user_id="u1", document_id="d1").token


def test_a_minted_token_opens_its_own_session_only(tokens: PlaybackTokens) -> None:
    token = minted(tokens)
    assert tokens.allows(token, "s1")
    assert not tokens.allows(token, "s2")


def test_a_token_tells_user_document_and_expiry(tokens: PlaybackTokens, clock: TurnableClock) -> None:
    claims = tokens.claims_of(minted(tokens))
    assert claims is not None
    assert (claims.user_id, claims.document_id) == ("u1", "d1")
    assert claims.expires_at_seconds == clock.seconds + LIFETIME_SECONDS


def test_a_token_ends_after_ten_minutes(tokens: PlaybackTokens, clock: TurnableClock) -> None:
    token = minted(tokens)
    clock.seconds += 599
    assert tokens.allows(token, "s1")
    clock.seconds += 1
    assert not tokens.allows(token, "s1")


def test_another_secret_opens_nothing(tokens: PlaybackTokens, clock: TurnableClock) -> None:
    assert not PlaybackTokens(secret=SECRET + "!", clock=clock).allows(minted(tokens), "s1")


def test_the_secret_itself_is_not_the_signing_key(tokens: PlaybackTokens, clock: TurnableClock) -> None:
    payload = {
        "aud": "lectern-playback",
        "session": "s1",
        "sub": "u1",
        "document": "d1",
        "exp": int(clock.seconds) + 60,
    }
    assert not tokens.allows(jwt.encode(payload, SECRET, algorithm="HS256"), "s1")


def test_an_unsigned_token_is_refused(tokens: PlaybackTokens) -> None:
    def encoded(part: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")

    body = minted(tokens).split(".")[1]
    assert not tokens.allows(f"{encoded({'alg': 'none', 'typ': 'JWT'})}.{body}.", "s1")


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "é.é.é", "\0", "." * 5])
def test_rubbish_is_refused(tokens: PlaybackTokens, token: str) -> None:
    assert not tokens.allows(token, "s1")


@pytest.mark.parametrize("missing", ["aud", "session", "sub", "document", "exp"])
def test_every_claim_is_needed(tokens: PlaybackTokens, missing: str) -> None:
    payload = jwt.decode(minted(tokens), options={"verify_signature": False})
    del payload[missing]
    forged = jwt.encode(payload, tokens._key, algorithm="HS256")
    assert not tokens.allows(forged, "s1")


def test_a_fingerprint_tells_whether_two_secrets_are_one_and_nothing_else() -> None:
    secret = "a playback secret"
    assert secret_fingerprint(secret) == secret_fingerprint(secret)
    assert secret_fingerprint(secret) != secret_fingerprint(secret + " ")
    assert len(secret_fingerprint(secret)) == 16
