"""What is wrong with a configuration, in words that say what to write instead. Never holds a secret."""

from collections.abc import Iterable
from dataclasses import dataclass

from shared.errors import Code, LecternError


@dataclass(frozen=True)
class Problem:
    name: str
    wrong: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.name} {self.wrong}. {self.remedy}"


@dataclass(frozen=True)
class Notice:
    """Something that does not stop the start: a retired, unknown or ignored name or value."""

    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name} {self.message}"


class ConfigurationError(LecternError):
    """Every problem of a configuration at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        lines = "\n".join(f"  {problem}" for problem in self.problems)
        super().__init__(
            Code.FAILED_PRECONDITION,
            f"The configuration is not valid:\n{lines}",
            reason="CONFIGURATION_INVALID",
        )
