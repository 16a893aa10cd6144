"""What one configuration variable is, and the values read for a set of them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Scope(Enum):
    """The process that reads a variable. The app's includes what it hands to its embedded worker."""

    APP = "app"
    WORKER = "worker"


APP = frozenset({Scope.APP})
WORKER = frozenset({Scope.WORKER})
BOTH = APP | WORKER


class Origin(Enum):
    SPEC = "spec"
    LECTERN = "lectern"


@dataclass(frozen=True, kw_only=True)
class Variable(Generic[T_co]):
    """parse raises ValueError, whose text says what to write instead.

    default is used when the variable is unset or empty; compute, when there is one, comes first and may
    look at other values. required gives the reason why a value must be there, or nothing. remark tells of a
    valid text that does less than its writer may think. A verbatim text keeps the white space around it.
    """

    name: str
    scopes: frozenset[Scope]
    parse: Callable[[str], T_co]
    meaning: str
    rule: str
    example: str = ""
    default: T_co | None = None
    compute: Callable[["Values"], T_co | None] | None = None
    shown_default: str = ""
    required: Callable[["Values"], str | None] | None = None
    secret: bool = False
    verbatim: bool = False
    remark: Callable[[str], str | None] | None = None
    origin: Origin = Origin.SPEC


class Values:
    """Parsed values of one scope. A computed default is computed once, so that what it generates stays.

    platform is the variable by which request-duration hosting was recognized, or None.
    """

    def __init__(
        self,
        *,
        scope: Scope,
        parsed: Mapping[str, object],
        variables: Iterable[Variable[Any]],
        faulty: Collection[str] = (),
        platform: str | None = None,
    ) -> None:
        self.scope = scope
        self.platform = platform
        self._parsed = dict(parsed)
        self._faulty = frozenset(faulty)
        self._computed: dict[str, object] = {}
        self._names = {variable.name for variable in variables}

    def is_set(self, variable: Variable[Any]) -> bool:
        """With a valid text."""
        return variable.name in self._parsed

    def is_written(self, variable: Variable[Any]) -> bool:
        """Whether or not its text is valid."""
        return variable.name in self._parsed or variable.name in self._faulty

    def get(self, variable: Variable[T]) -> T | None:
        name = variable.name
        if name not in self._names:
            raise KeyError(f"{name} is not a variable of the {self.scope.value}")
        if name in self._parsed:
            return self._parsed[name]  # type: ignore[return-value]  # parsed by this variable's own parser
        if name not in self._computed:
            computed = variable.compute(self) if variable.compute else None
            self._computed[name] = variable.default if computed is None else computed
        return self._computed[name]  # type: ignore[return-value]

    def need(self, variable: Variable[T]) -> T:
        value = self.get(variable)
        if value is None:
            raise KeyError(f"{variable.name} has no value")
        return value
