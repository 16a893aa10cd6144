"""Ways to sign in, as the browser sees them."""

from app_server.http.json_bodies import AnswerBody


class BeganAnswer(AnswerBody):
    # Of the provider; the browser goes there.
    url: str


class ShownIdentity(AnswerBody):
    id: str
    # Empty for a provider that this instance doesn't have any more.
    provider_id: str
    provider_name: str
    email: str
    name: str
    linked_at: str


class WaysInAnswer(AnswerBody):
    has_password: bool
    identities: list[ShownIdentity]
