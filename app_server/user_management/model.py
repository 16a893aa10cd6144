"""Users as administrators see them, and what may be done to them. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app_server.accounts.model import AccessStatus, Role, User, UserKind
from shared.errors import Code, LecternError

PAGE_SIZE: Final = 25


@dataclass(frozen=True)
class UserQuery:
    """None and an empty text don't filter."""

    # Part of an e-mail address, or a whole id.
    text: str = ""
    kind: UserKind | None = None
    status: AccessStatus | None = None
    page: int = 1


@dataclass(frozen=True)
class ManagedUser:
    user: User
    created_at_ms: int
    # None when no session is open.
    last_seen_at_ms: int | None
    document_count: int
    # Of the files; equal files of several users count for each.
    stored_bytes: int
    # Of new speech since midnight UTC; counted only while there is an allowance of speech.
    spoken_characters: int


@dataclass(frozen=True)
class UserPage:
    users: list[ManagedUser]
    # Over all pages.
    total: int
    # Accounts that wait for approval, whatever was asked for.
    pending: int


@dataclass(frozen=True)
class UserChange:
    """None leaves it."""

    role: Role | None = None
    status: AccessStatus | None = None


def verbs_of(before: User, change: UserChange) -> Mapping[str, list[str]]:
    """What the change does, by the audit log's words, each with the values before and after."""
    done: dict[str, list[str]] = {}
    if change.status is not None and change.status is not before.status:
        is_approval = before.status is AccessStatus.PENDING and change.status is AccessStatus.ACTIVE
        verb = (
            "approve" if is_approval else {AccessStatus.SUSPENDED: "suspend"}.get(change.status, "reactivate")
        )
        done[verb] = [before.status.value, change.status.value]
    if change.role is not None and change.role is not before.role:
        done["role"] = [before.role.value, change.role.value]
    return done


def check_change(before: User, change: UserChange) -> None:
    """Raises FAILED_PRECONDITION for what makes no sense of this user."""
    if change.role is Role.ADMIN and before.kind is not UserKind.ACCOUNT:
        raise _not_possible("Only somebody with an account can be an administrator.")
    if change.status is AccessStatus.PENDING and before.status is not AccessStatus.PENDING:
        raise _not_possible("An account that was approved can be suspended, but not made to wait again.")


def name_of(user: User) -> str:
    """For the audit log."""
    return user.email or f"{user.kind.value} {user.id}"


def user_not_found() -> LecternError:
    return LecternError(
        Code.NOT_FOUND, "There is no such user (any more). Load the list again.", reason="USER_NOT_FOUND"
    )


def own_account() -> LecternError:
    return LecternError(
        Code.FAILED_PRECONDITION,
        "You can't change or delete your own account here. Ask another administrator.",
        reason="OWN_ACCOUNT",
    )


def _not_possible(message: str) -> LecternError:
    return LecternError(Code.FAILED_PRECONDITION, message, reason="USER_CHANGE_NOT_POSSIBLE")
