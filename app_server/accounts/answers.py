"""Accounts as the browser sees them."""

from typing import Literal

from app_server.accounts.model import User
from app_server.http.json_bodies import AnswerBody


class ShownUser(AnswerBody):
    id: str
    email: str
    is_admin: bool
    must_change_password: bool


class EnteredAnswer(AnswerBody):
    user: ShownUser


class ShownFeatures(AnswerBody):
    max_upload_mb: int
    # Suffixes of file names, with their dot.
    formats: list[str]
    upload_transport: Literal["proxy", "presigned"]


class SessionAnswer(AnswerBody):
    user: ShownUser | None
    version: str
    features: ShownFeatures


def shown_user(user: User) -> ShownUser:
    return ShownUser(
        id=user.id,
        email=user.email,
        is_admin=user.is_admin,
        must_change_password=user.must_change_password,
    )
