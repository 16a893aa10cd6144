"""What happens by e-mail: addresses are confirmed and changed, forgotten passwords replaced.

Whether an address has an account is told to its inbox only: answers are the same, and messages are written
after the answer, so that their time tells nothing either.
"""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Final, Protocol

import structlog

from app_server.account_email import texts
from app_server.account_email.delivery import EmailDelivery
from app_server.account_email.model import (
    LINK_LIFETIME_MS,
    EmailLink,
    EmailText,
    LinkPurpose,
    new_token,
    token_hash,
)
from app_server.account_email.ports import EmailLinks
from app_server.account_email.settings import EmailSettings
from app_server.accounts.model import StoredSession, User
from app_server.accounts.owner_proof import OwnerProof
from app_server.accounts.passwords import Passwords, password_fault
from app_server.accounts.ports import AccountStore, EmailTakenError
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.clock import Clock
from app_server.http.problems import invalid_fields
from shared.email_addresses import normalized_email
from shared.errors import Code, LecternError

VERIFY_PAGE: Final = "/verify-email"
RESET_PAGE: Final = "/reset-password"
_log = structlog.get_logger(__name__)


class Background(Protocol):
    def start(self, work: Coroutine[Any, Any, Any]) -> object: ...


class AccountEmailService:
    def __init__(
        self,
        *,
        settings: EmailSettings,
        delivery: EmailDelivery,
        links: EmailLinks,
        accounts: AccountStore,
        passwords: Passwords,
        limits: AuthRateLimits,
        proof: OwnerProof,
        background: Background,
        base_url: str,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._delivery = delivery
        self._links = links
        self._accounts = accounts
        self._passwords = passwords
        self._limits = limits
        self._proof = proof
        self._background = background
        self._base_url = base_url.rstrip("/")
        self._clock = clock

    async def is_on(self) -> bool:
        return await self._settings.is_on()

    async def require_verified(self, user: User) -> None:
        """Raises PERMISSION_DENIED, and sends a link, when account e-mail is on and the address is nobody's
        for certain."""
        if user.email_verified or not await self.is_on():
            return
        self.send_verification(user)
        raise LecternError(
            Code.PERMISSION_DENIED,
            f"Confirm your e-mail address first: a message with a link is on its way to {user.email}.",
            reason="EMAIL_NOT_VERIFIED",
        )

    def send_verification(self, user: User) -> None:
        self._later(partial(self._verification, user), user.email)

    def tell_registered(self, email: str) -> None:
        """Somebody signed up with an address that has an account."""
        self._later(partial(self._reset_link, email, texts.already_registered), email)

    async def forgot_password(self, *, email: str, address: str) -> None:
        """The same for any address. Raises for one that is none, too many requests, or without e-mail."""
        normalized = normalized_email(email)
        if normalized is None:
            raise invalid_fields({"email": "Enter a valid e-mail address."})
        await self._require_on()
        await self._limits.admit_reset(address=address)
        self._later(partial(self._reset_link, normalized, texts.password_reset), normalized)

    async def reset_password(self, *, token: str, new_password: str) -> None:
        """Ends all sessions. A password that won't do leaves the link as it was."""
        link = await self._link(token, {LinkPurpose.RESET})
        wrong = password_fault(new_password)
        if wrong:
            raise invalid_fields({"newPassword": wrong})
        password_hash = await self._passwords.hash(new_password)
        if not await self._links.reset_password(token_hash(token), link, password_hash=password_hash):
            raise _link_used_up()

    async def change_address(
        self, session: StoredSession, *, new_email: str, password: str, address: str
    ) -> bool:
        """True when the new inbox has to confirm it; without account e-mail it is changed at once."""
        user = session.user
        normalized = normalized_email(new_email)
        if normalized is None:
            raise invalid_fields({"newEmail": "Enter a valid e-mail address."})
        if normalized == user.email:
            raise invalid_fields({"newEmail": "This is your present address."})
        await self._proof.require(session, password=password, address=address)
        if not await self.is_on():
            try:
                await self._links.set_address(user.id, normalized)
            except EmailTakenError as error:
                raise invalid_fields({"newEmail": "Another account has this address."}) from error
            return False
        await self._limits.admit_reset(address=address)
        self._later(partial(self._change_link, user, normalized), normalized)
        return True

    async def confirm(self, token: str) -> EmailLink:
        """The address of an account, or its new one. Returns the link that was used up."""
        link = await self._link(token, {LinkPurpose.VERIFY, LinkPurpose.CHANGE})
        before = await self._links.user(link.user_id)
        if link.purpose is LinkPurpose.VERIFY:
            done = await self._links.verify(token_hash(token), link)
        else:
            done = await self._links.change_address(token_hash(token), link)
        if not done or before is None:
            raise _link_used_up()
        if link.purpose is LinkPurpose.CHANGE and before.email_verified:
            self._later(partial(self._post, texts.address_changed(link.email), before.email), before.email)
        return link

    async def _require_on(self) -> None:
        if not await self.is_on():
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This Lectern sends no e-mail. Ask its administrator for a new password.",
                reason="EMAIL_OFF",
            )

    async def _link(self, token: str, purposes: set[LinkPurpose]) -> EmailLink:
        link = await self._links.find(token_hash(token), now_ms=self._clock())
        if link is None or link.purpose not in purposes:
            raise _link_used_up()
        return link

    async def _verification(self, user: User) -> None:
        address = await self._new_link(user, LinkPurpose.VERIFY, user.email)
        await self._post(texts.verification(address), user.email)

    async def _reset_link(self, email: str, text: texts.WithLink) -> None:
        found = await self._accounts.credentials(email)
        if found is not None:
            address = await self._new_link(found.user, LinkPurpose.RESET, email)
            await self._post(text(address), email)

    async def _change_link(self, user: User, new_email: str) -> None:
        if await self._accounts.credentials(new_email) is not None:
            await self._post(texts.address_in_use(), new_email)
            return
        address = await self._new_link(user, LinkPurpose.CHANGE, new_email)
        await self._post(texts.address_change(address), new_email)

    async def _new_link(self, user: User, purpose: LinkPurpose, email: str) -> str:
        token = new_token()
        expires_at_ms = self._clock() + LINK_LIFETIME_MS
        await self._links.add(token_hash(token), EmailLink(user.id, purpose, email, expires_at_ms))
        page = RESET_PAGE if purpose is LinkPurpose.RESET else VERIFY_PAGE
        # Behind the hash sign it reaches the page but no server's log and no Referer.
        return f"{self._base_url}{page}#{token}"

    async def _post(self, text: EmailText, recipient: str) -> None:
        expires_at_ms = self._clock() + LINK_LIFETIME_MS
        await self._delivery.post(text, recipient=recipient, expires_at_ms=expires_at_ms)

    def _later(self, work: Callable[[], Awaitable[None]], email: str) -> None:
        """So often for one inbox that nobody can fill it up. work may never begin: the app may stop first."""

        async def write() -> None:
            try:
                await self._limits.admit_message(email=email)
            except LecternError:
                _log.warning("an inbox has had enough account e-mail for an hour")
                return
            await work()

        self._background.start(write())


def _link_used_up() -> LecternError:
    return LecternError(
        Code.FAILED_PRECONDITION,
        "This link has expired or was used already. Ask for a new one.",
        reason="LINK_EXPIRED",
    )
