"""Which ways in this instance has, as its variables say."""

from dataclasses import dataclass

from shared.errors import Code, LecternError


@dataclass(frozen=True)
class ProviderButton:
    id: str
    name: str


@dataclass(frozen=True)
class WaysIn:
    """is_single_user: there is one local user, and nobody signs in."""

    is_single_user: bool
    has_guests: bool
    providers: tuple[ProviderButton, ...]

    def require_sign_in(self) -> None:
        """Raises FAILED_PRECONDITION where there is none."""
        if self.is_single_user:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This instance has one user and no sign-in (AUTH_MODE=single-user).",
                reason="NO_SIGN_IN_HERE",
            )
