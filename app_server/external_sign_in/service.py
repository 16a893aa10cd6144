"""Signing in with an identity from elsewhere: which account it opens, and when it makes one."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import structlog

from app_server.accounts.model import AccessStatus, User
from app_server.accounts.ports import AccountStore, EmailTakenError
from app_server.accounts.rate_limits import AuthRateLimits
from app_server.accounts.service import signup_closed
from app_server.clock import Clock
from app_server.external_sign_in.model import (
    FLOW_LIFETIME_MS,
    ExternalIdentity,
    Flow,
    FlowSecrets,
    hashed,
    new_secret,
)
from app_server.external_sign_in.ports import (
    IdentityProvider,
    IdentityStore,
    IdentityTakenError,
    ProviderAnswerError,
)
from app_server.site_features.ports import FeatureReader
from shared.email_addresses import normalized_email
from shared.errors import Code, LecternError

_Answer = TypeVar("_Answer")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Arrival:
    """user may have to wait for an approval. was_linked: they were signed in and have one more way now."""

    user: User
    was_linked: bool


class ExternalSignIn:
    def __init__(
        self,
        *,
        providers: Sequence[IdentityProvider],
        store: IdentityStore,
        accounts: AccountStore,
        limits: AuthRateLimits,
        features: FeatureReader,
        base_url: str,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._providers = {provider.id: provider for provider in providers}
        self._store = store
        self._accounts = accounts
        self._limits = limits
        self._features = features
        self._base_url = base_url
        self._clock = clock
        self._new_id = new_id

    async def begin(
        self,
        provider_id: str,
        *,
        browser_secret: str,
        next_address: str,
        address: str,
        linking: User | None = None,
    ) -> str:
        """Where the browser goes. linking: whose account gets another way to sign in."""
        provider = self._provider(provider_id)
        await self._limits.admit_departure(address=address)
        secrets = FlowSecrets(state=new_secret(), browser_secret=browser_secret)
        url = await _logged(provider.authorization_url(secrets, redirect_uri=self._redirect_uri(provider)))
        flow = Flow(
            provider_id=provider.id,
            browser_hash=hashed(browser_secret),
            user_id=linking.id if linking else None,
            next_address=next_address,
            expires_at_ms=self._clock() + FLOW_LIFETIME_MS,
        )
        await self._store.add_flow(hashed(secrets.state), flow, now_ms=self._clock())
        return url

    async def take(self, provider_id: str, *, browser_secret: str, state: str) -> Flow:
        """The flow that comes back with this state; it can't come back again."""
        flow = await self._store.take_flow(hashed(state), now_ms=self._clock()) if state else None
        is_ours = flow is not None and flow.browser_hash == hashed(browser_secret)
        if flow is None or not is_ours or flow.provider_id != provider_id:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This sign-in was begun somewhere else, used already, or took too long. Start again.",
                reason="SIGN_IN_EXPIRED",
            )
        return flow

    async def arrive(
        self,
        flow: Flow,
        *,
        browser_secret: str,
        answer: Mapping[str, str],
        current: User | None,
        address: str,
    ) -> Arrival:
        """answer is the callback's query; current is who is signed in now, from where address says."""
        provider = self._provider(flow.provider_id)
        _require_code(provider, answer)
        secrets = FlowSecrets(state=answer["state"], browser_secret=browser_secret)
        identity = await _logged(
            provider.identity(secrets, answer=answer, redirect_uri=self._redirect_uri(provider))
        )
        if flow.user_id is not None:
            if current is None or current.id != flow.user_id:
                raise LecternError(
                    Code.PERMISSION_DENIED,
                    "Another account is signed in now. Sign in again and add this way once more.",
                    reason="LINKED_TO_OTHER",
                )
            await self._store.link(current.id, identity, now_ms=self._clock())
            return Arrival(current, was_linked=True)
        user = await self._entering(provider, identity, address)
        return Arrival(user, was_linked=False)

    async def _entering(self, provider: IdentityProvider, identity: ExternalIdentity, address: str) -> User:
        known = await self._store.user_of(identity.issuer, identity.subject)
        if known is not None:
            return known
        email = normalized_email(identity.email)
        if email is None:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"{provider.name} didn't tell an e-mail address. Allow it to, or sign in another way.",
                reason="EMAIL_MISSING",
            )
        owner = await self._accounts.credentials(email)
        if owner is None:
            return await self._signed_up(provider, identity, email, address)
        # Else who claims somebody's address, at a careless provider or here, would share their account.
        if not (identity.is_email_verified and owner.user.email_verified):
            raise _link_first(provider)
        await self._store.link(owner.user.id, identity, now_ms=self._clock())
        return owner.user

    async def _signed_up(
        self, provider: IdentityProvider, identity: ExternalIdentity, email: str, address: str
    ) -> User:
        policy = (await self._features.current()).signup_policy
        if policy == "closed":
            raise signup_closed()
        await self._limits.admit_sign_up(address=address)
        user = User(
            id=self._new_id(),
            email=email,
            status=AccessStatus.PENDING if policy == "approval" else AccessStatus.ACTIVE,
            email_verified=identity.is_email_verified,
        )
        try:
            await self._store.add_account(user, identity, now_ms=self._clock())
        except EmailTakenError as error:
            raise _link_first(provider) from error
        except IdentityTakenError:
            # The same person in two tabs: the other one was first.
            return await self._store.user_of(identity.issuer, identity.subject) or user
        return user

    def _provider(self, provider_id: str) -> IdentityProvider:
        provider = self._providers.get(provider_id)
        if provider is None:
            raise LecternError(
                Code.NOT_FOUND, "There is no such way to sign in here.", reason="PROVIDER_NOT_FOUND"
            )
        return provider

    def _redirect_uri(self, provider: IdentityProvider) -> str:
        return f"{self._base_url}/api/auth/callback/{provider.id}"


async def _logged(asked: Awaitable[_Answer]) -> _Answer:
    """A person can't mend what a provider is configured for; the operator finds it in the log."""
    try:
        return await asked
    except ProviderAnswerError as error:
        _log.warning("a sign-in provider's answer was refused", fault=error.fault)
        raise


def _require_code(provider: IdentityProvider, answer: Mapping[str, str]) -> None:
    """RFC 6749, section 4.1.2.1."""
    if answer.get("error") == "access_denied":
        raise LecternError(
            Code.PERMISSION_DENIED,
            f"The sign-in at {provider.name} was cancelled.",
            reason="SIGN_IN_CANCELLED",
        )
    if "error" in answer or not answer.get("code"):
        _log.warning("a sign-in provider refused", error=answer.get("error", "")[:40])
        raise LecternError(
            Code.FAILED_PRECONDITION,
            f"{provider.name} refused the sign-in. If it stays so, tell the administrator of this instance.",
            reason="PROVIDER_REFUSED",
        )


def _link_first(provider: IdentityProvider) -> LecternError:
    return LecternError(
        Code.ALREADY_EXISTS,
        "There is an account with this e-mail address already. Sign in to it the way you always do, then add "
        f"{provider.name} under Settings → Ways to sign in.",
        reason="LINK_NEEDS_PASSWORD",
    )
