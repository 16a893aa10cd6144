"""Signing up and signing in by e-mail address and password."""

from collections.abc import Callable

from app_server.accounts.model import AccessStatus, User
from app_server.accounts.passwords import Passwords, password_fault
from app_server.accounts.ports import AccountStore, EmailTakenError, Inboxes
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
        inboxes: Inboxes,
        features: FeatureReader,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._passwords = passwords
        self._limits = limits
        self._inboxes = inboxes
        self._features = features
        self._clock = clock
        self._new_id = new_id

    async def sign_up(self, *, email: str, password: str, address: str) -> User | None:
        """address: where the request comes from. None when account e-mail is on: the inbox is told how to go
        on, and nobody else whether the address had an account. Otherwise it raises EmailTakenError; and in
        any case for a limit or a policy."""
        normalized = _checked(email, password)
        policy = (await self._features.current()).signup_policy
        if policy == "closed":
            raise signup_closed()
        # Counted only when it could succeed: a family may mistype as often as it likes.
        await self._limits.admit_sign_up(address=address)
        status = AccessStatus.PENDING if policy == "approval" else AccessStatus.ACTIVE
        user = User(id=self._new_id(), email=normalized, status=status)
        password_hash = await self._passwords.hash(password)
        if await self._inboxes.is_on():
            await self._add_or_tell(user, password_hash)
            return None
        await self._store.add(user, password_hash=password_hash, created_at_ms=self._clock())
        return user

    async def _add_or_tell(self, user: User, password_hash: str) -> None:
        try:
            await self._store.add(user, password_hash=password_hash, created_at_ms=self._clock())
        except EmailTakenError:
            self._inboxes.tell_registered(user.email)
        else:
            self._inboxes.send_verification(user)

    async def sign_in(self, *, email: str, password: str, address: str) -> User:
        """The answer and its timing are the same for a wrong password and for an unknown address."""
        normalized = normalized_email(email) or email.strip().lower()
        await self._limits.admit_sign_in(address=address, email=normalized)
        found = await self._store.credentials(normalized)
        known_hash = (found.password_hash or None) if found else None
        matches = await self._passwords.matches(password, known_hash)
        if found is None or not matches:
            raise _wrong_credentials()
        require_active(found.user)
        await self._inboxes.require_verified(found.user)
        await self._limits.forget_sign_ins(address=address, email=normalized)
        if self._passwords.is_outdated(found.password_hash):
            await self._store.replace_password_hash(found.user.id, await self._passwords.hash(password))
        return found.user

    async def change_password(self, user: User, *, current: str, new: str, address: str) -> None:
        """Ends all sessions of the user, and makes an administrator's rights begin."""
        await self._limits.admit_sign_in(address=address, email=user.email)
        found = await self._store.credentials(user.email)
        known_hash = (found.password_hash or None) if found else None
        if not await self._passwords.matches(current, known_hash):
            raise invalid_fields({"currentPassword": "This isn't your present password."})
        wrong = password_fault(new)
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
    wrong = password_fault(password)
    if wrong:
        errors["password"] = wrong
    if normalized is None or errors:
        raise invalid_fields(errors)
    return normalized


def _wrong_credentials() -> LecternError:
    return LecternError(
        Code.UNAUTHENTICATED, "The e-mail address or the password is wrong.", reason="CREDENTIALS_WRONG"
    )


def signup_closed() -> LecternError:
    return LecternError(
        Code.PERMISSION_DENIED, "This instance doesn't accept new accounts.", reason="SIGNUP_CLOSED"
    )
