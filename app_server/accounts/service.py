"""Signing up and signing in by e-mail address and password."""

from collections.abc import Callable

from app_server.accounts.model import (
    PASSWORD_MAX_CHARACTERS,
    PASSWORD_MIN_CHARACTERS,
    AccessStatus,
    User,
)
from app_server.accounts.passwords import Passwords
from app_server.accounts.ports import AccountStore
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.clock import Clock
from app_server.http.problems import invalid_fields
from app_server.site_features.ports import FeatureReader
from shared.email_addresses import normalized_email
from shared.errors import Code, LecternError


class AccountService:
    def __init__(
        self,
        *,
        store: AccountStore,
        passwords: Passwords,
        limits: AuthRateLimits,
        features: FeatureReader,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._passwords = passwords
        self._limits = limits
        self._features = features
        self._clock = clock
        self._new_id = new_id

    async def sign_up(self, *, email: str, password: str, address: str) -> User:
        """address: where the request comes from. Raises EmailTakenError, and for a limit or a policy."""
        normalized = _checked(email, password)
        policy = (await self._features.current()).signup_policy
        if policy == "closed":
            raise signup_closed()
        # Counted only when it could succeed: a family may mistype as often as it likes.
        await self._limits.admit_sign_up(address=address)
        status = AccessStatus.PENDING if policy == "approval" else AccessStatus.ACTIVE
        user = User(id=self._new_id(), email=normalized, status=status)
        password_hash = await self._passwords.hash(password)
        await self._store.add(user, password_hash=password_hash, created_at_ms=self._clock())
        return user

    async def sign_in(self, *, email: str, password: str, address: str) -> User:
        """The answer and its timing are the same for a wrong password and for an unknown address."""
        normalized = normalized_email(email) or email.strip().lower()
        await self._limits.admit_sign_in(address=address, email=normalized)
        found = await self._store.credentials(normalized)
        known_hash = (found.password_hash or None) if found else None
        matches = await self._passwords.matches(password[: PASSWORD_MAX_CHARACTERS + 1], known_hash)
        if found is None or not matches:
            raise _wrong_credentials()
        require_active(found.user)
        await self._limits.forget_sign_ins(address=address, email=normalized)
        if self._passwords.is_outdated(found.password_hash):
            await self._store.replace_password_hash(found.user.id, await self._passwords.hash(password))
        return found.user

    async def change_password(self, user: User, *, current: str, new: str, address: str) -> None:
        """Ends all sessions of the user, and makes an administrator's rights begin."""
        await self._limits.admit_sign_in(address=address, email=user.email)
        found = await self._store.credentials(user.email)
        known_hash = (found.password_hash or None) if found else None
        if not await self._passwords.matches(current[: PASSWORD_MAX_CHARACTERS + 1], known_hash):
            raise invalid_fields({"currentPassword": "This isn't your present password."})
        wrong = _password_fault(new)
        if wrong is None and new == current:
            wrong = "Choose a password that you haven't used here just now."
        if wrong:
            raise invalid_fields({"newPassword": wrong})
        await self._store.change_password(user.id, await self._passwords.hash(new))
        await self._limits.forget_sign_ins(address=address, email=user.email)


def require_active(user: User) -> None:
    if user.status is AccessStatus.PENDING:
        raise LecternError(
            Code.PERMISSION_DENIED,
            "Your account is waiting for an administrator's approval.",
            reason="ACCOUNT_PENDING",
        )
    if user.status is AccessStatus.SUSPENDED:
        raise LecternError(
            Code.PERMISSION_DENIED, "Your account has been suspended.", reason="ACCOUNT_SUSPENDED"
        )


def _checked(email: str, password: str) -> str:
    errors = {}
    normalized = normalized_email(email)
    if normalized is None:
        errors["email"] = "Enter a valid e-mail address."
    wrong = _password_fault(password)
    if wrong:
        errors["password"] = wrong
    if normalized is None or errors:
        raise invalid_fields(errors)
    return normalized


def _password_fault(password: str) -> str | None:
    if len(password) < PASSWORD_MIN_CHARACTERS:
        return f"The password needs at least {PASSWORD_MIN_CHARACTERS} characters."
    if len(password) > PASSWORD_MAX_CHARACTERS:
        return f"The password can have at most {PASSWORD_MAX_CHARACTERS} characters."
    return None


def _wrong_credentials() -> LecternError:
    return LecternError(
        Code.UNAUTHENTICATED, "The e-mail address or the password is wrong.", reason="CREDENTIALS_WRONG"
    )


def signup_closed() -> LecternError:
    return LecternError(
        Code.PERMISSION_DENIED, "This instance doesn't accept new accounts.", reason="SIGNUP_CLOSED"
    )
