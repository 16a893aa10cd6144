"""Users as administrators see and change them."""

from typing import Annotated, Literal

from pydantic import Field

from app_server.accounts.model import AccessStatus, Role, UserKind
from app_server.clock import iso_time
from app_server.http.json_bodies import AnswerBody, RequestBody, RequestQuery, StoredText
from app_server.user_management.model import PAGE_SIZE, ManagedUser, UserChange, UserPage, UserQuery

Page = Annotated[int, Field(ge=1, le=1_000_000)]


class UsersQuery(RequestQuery):
    search: Annotated[StoredText, Field(max_length=320)] = ""
    kind: UserKind | None = None
    status: AccessStatus | None = None
    page: Page = 1

    def query(self) -> UserQuery:
        return UserQuery(text=self.search.strip(), kind=self.kind, status=self.status, page=self.page)


class UserChangeBody(RequestBody):
    """What is left out stays."""

    role: Role | None = None
    status: AccessStatus | None = None

    def change(self) -> UserChange:
        return UserChange(role=self.role, status=self.status)


class ShownManagedUser(AnswerBody):
    id: str
    # Empty for who has no account.
    email: str
    kind: Literal["account", "anonymous", "local"]
    status: Literal["active", "pending", "suspended"]
    role: Literal["member", "admin"]
    must_change_password: bool
    created_at: str
    last_seen_at: str | None
    document_count: int
    stored_bytes: int
    # Of new speech since midnight UTC; counted only while there is an allowance of speech.
    spoken_characters: int


class UsersAnswer(AnswerBody):
    users: list[ShownManagedUser]
    total: int
    page_size: int
    # Accounts that wait for approval.
    pending: int


def shown_page(page: UserPage) -> UsersAnswer:
    return UsersAnswer(
        users=[_shown(managed) for managed in page.users],
        total=page.total,
        page_size=PAGE_SIZE,
        pending=page.pending,
    )


def _shown(managed: ManagedUser) -> ShownManagedUser:
    user, seen_at_ms = managed.user, managed.last_seen_at_ms
    return ShownManagedUser(
        id=user.id,
        email=user.email,
        kind=user.kind.value,
        status=user.status.value,
        role=user.role.value,
        must_change_password=user.must_change_password,
        created_at=iso_time(managed.created_at_ms),
        last_seen_at=None if seen_at_ms is None else iso_time(seen_at_ms),
        document_count=managed.document_count,
        stored_bytes=managed.stored_bytes,
        spoken_characters=managed.spoken_characters,
    )
