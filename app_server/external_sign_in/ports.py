"""What signing in from elsewhere asks of providers and of the database, and how it can fail."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Protocol

from app_server.accounts.model import User
from app_server.external_sign_in.model import ExternalIdentity, Flow, FlowSecrets, LinkedIdentity
from shared.errors import Code, LecternError


class ProviderUnreachableError(LecternError):
    def __init__(self, name: str) -> None:
        super().__init__(
            Code.UNAVAILABLE,
            f"{name} can't be reached just now. Try again in a moment, or sign in another way.",
            reason="PROVIDER_UNREACHABLE",
        )


class ProviderAnswerError(LecternError):
    """The provider's answer can't be trusted or understood. Why is for the log: fault never holds secrets."""

    def __init__(self, name: str, fault: str) -> None:
        super().__init__(
            Code.FAILED_PRECONDITION,
            f"{name} gave an answer that can't be accepted. Try again; if it stays so, tell the "
            "administrator of this instance.",
            reason="PROVIDER_ANSWER_INVALID",
        )
        self.fault = fault


class IdentityTakenError(LecternError):
    def __init__(self) -> None:
        super().__init__(
            Code.ALREADY_EXISTS,
            "This sign-in belongs to another account here already.",
            reason="IDENTITY_TAKEN",
        )


class AlreadyLinkedError(LecternError):
    def __init__(self) -> None:
        super().__init__(
            Code.ALREADY_EXISTS,
            "Your account has a sign-in of this provider already. Remove that one first.",
            reason="IDENTITY_LINKED",
        )


class LastWayInError(LecternError):
    def __init__(self) -> None:
        super().__init__(
            Code.FAILED_PRECONDITION,
            "This is your only way to sign in. Add another one first, or set a password.",
            reason="LAST_SIGN_IN",
        )


class IdentityProvider(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str:
        """As people know it."""
        ...

    @property
    def issuer(self) -> str:
        """Names the provider for ever, whatever id and name it has here."""
        ...

    async def authorization_url(self, flow: FlowSecrets, *, redirect_uri: str) -> str:
        """Where the browser goes. Raises ProviderUnreachableError and ProviderAnswerError."""
        ...

    async def identity(
        self, flow: FlowSecrets, *, answer: Mapping[str, str], redirect_uri: str
    ) -> ExternalIdentity:
        """Whom the browser came back as. answer is the callback's query, with a code. Raises like
        authorization_url."""
        ...


class IdentityStore(Protocol):
    async def add_flow(self, state_hash: str, flow: Flow, *, now_ms: int) -> None: ...

    async def take_flow(self, state_hash: str, *, now_ms: int) -> Flow | None:
        """At most once for each, over all processes. None also for one that is over."""
        ...

    async def user_of(self, issuer: str, subject: str) -> User | None: ...

    async def add_account(self, user: User, identity: ExternalIdentity, *, now_ms: int) -> None:
        """An account without a password. Raises EmailTakenError, and IdentityTakenError."""
        ...

    async def link(self, user_id: str, identity: ExternalIdentity, *, now_ms: int) -> None:
        """Once more the same is no change. Raises IdentityTakenError, and AlreadyLinkedError for another one
        of the same provider."""
        ...

    async def of_user(self, user_id: str) -> list[LinkedIdentity]: ...

    async def has_password(self, user_id: str) -> bool: ...

    async def unlink(self, user_id: str, identity_id: str, *, usable_issuers: AbstractSet[str]) -> None:
        """Raises NOT_FOUND, and LastWayInError when neither a password nor an identity of a usable issuer
        would remain."""
        ...
