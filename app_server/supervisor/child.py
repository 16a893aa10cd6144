"""What the supervisor is told about one child, and how long it is patient with it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from shared.errors import Code, LecternError


@dataclass(frozen=True)
class OutputLine:
    """One line of a child's output, in our logs' terms."""

    level: str
    event: str
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Child:
    """probe answers whether the child serves; patience is what makes ready_seconds longer, for messages.

    waits answers whether it is well and only waits for what others have to start: as long as that may take.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    probe: Callable[[], Awaitable[bool]]
    parse_line: Callable[[str], OutputLine]
    ready_seconds: float
    patience: str = ""
    waits: Callable[[], Awaitable[bool]] | None = None
    stop_seconds: float = 5.0


@dataclass(frozen=True, kw_only=True)
class RestartPolicy:
    """Exponential back-off. A run of healthy_seconds ends a series of failures."""

    first_delay_seconds: float = 0.2
    longest_delay_seconds: float = 5.0
    failures: int = 6
    healthy_seconds: float = 30.0

    def delay_seconds(self, failures: int) -> float | None:
        """The wait after so many failures in a row; None when it is time to give up."""
        if failures >= self.failures:
            return None
        return min(self.longest_delay_seconds, self.first_delay_seconds * 2.0 ** (failures - 1))


class ChildFailedError(LecternError):
    """A child could not be kept running."""

    def __init__(self, message: str) -> None:
        super().__init__(Code.UNAVAILABLE, message, reason="CHILD_FAILED")
