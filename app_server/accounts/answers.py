"""Accounts as the browser sees them."""

from typing import Literal

from app_server.accounts.model import User, UserKind
from app_server.http.json_bodies import AnswerBody


class ShownUser(AnswerBody):
    id: str
    # Empty for a guest, and for the one user of an instance without sign-in.
    email: str
    kind: UserKind
    is_admin: bool
    must_change_password: bool


class EnteredAnswer(AnswerBody):
    user: ShownUser


class ShownFeatures(AnswerBody):
    max_upload_mb: int
    # Suffixes of file names, with their dot.
    formats: list[str]
    upload_transport: Literal["proxy", "presigned"]
    # The site names a feed of what is new.
    has_changelog: bool


class ShownProvider(AnswerBody):
    id: str
    name: str


class ShownSignIn(AnswerBody):
    """The ways in: none at all where there is only the local user."""

    mode: Literal["accounts", "single-user"]
    policy: Literal["open", "approval", "closed"]
    guests: bool
    # Account e-mail is on: a forgotten password can be replaced.
    sends_email: bool
    providers: list[ShownProvider]


class SessionAnswer(AnswerBody):
    user: ShownUser | None
    version: str
    sign_in: ShownSignIn
    features: ShownFeatures


def shown_user(user: User) -> ShownUser:
    return ShownUser(
        id=user.id,
        email=user.email,
        kind=user.kind,
        is_admin=user.is_admin,
        must_change_password=user.must_change_password,
    )
