"""How words are said that a voice would say otherwise: rules that people write, applied to what is spoken.

Patterns are other people's programs: their time is limited, and what takes too long is left as it stands.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import regex
import structlog

RuleKind = Literal["literal", "word", "regexp"]

MOST_RULES: Final = 200  # of a person, and of a document
MOST_PATTERN_CHARACTERS: Final = 200
MOST_REPLACEMENT_CHARACTERS: Final = 200
MOST_SAID_CHARACTERS: Final = 4000  # rules that make a text longer are left out: a voice's time costs money
TEXT_SECONDS: Final = 0.05  # of the processor, for all the rules of one text
_TRIAL_SECONDS: Final = 0.1
_TRIAL_CHARACTERS: Final = 1200  # as long as a segment can be
_TRIED_LETTERS: Final = 12

_log = structlog.get_logger(__name__)


class RuleError(ValueError):
    """field: of the rule, as its author knows it."""

    def __init__(self, field: Literal["pattern", "replacement"], message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True)
class PronunciationRule:
    """kind: "literal" finds the pattern wherever it stands, "word" only as a whole word; "regexp" is a
    regular expression, whose groups the replacement may name as in \\1."""

    kind: RuleKind
    pattern: str
    replacement: str
    match_case: bool = False

    def compiled(self) -> "regex.Pattern[str]":
        """Raises RuleError."""
        if not self.pattern:
            raise RuleError("pattern", "Say what is to be replaced.")
        written = self.pattern if self.kind == "regexp" else regex.escape(self.pattern)
        if self.kind == "word":
            written = rf"(?<!\w){written}(?!\w)"
        try:
            return regex.compile(written, 0 if self.match_case else regex.IGNORECASE)
        except (regex.error, RecursionError, OverflowError) as error:
            raise RuleError("pattern", f"This is no regular expression: {_cause(error)}.") from error

    def check(self) -> None:
        """Raises RuleError for what can't be used, or would take too long."""
        if len(self.pattern) > MOST_PATTERN_CHARACTERS:
            raise RuleError("pattern", f"Use at most {MOST_PATTERN_CHARACTERS} characters.")
        if len(self.replacement) > MOST_REPLACEMENT_CHARACTERS:
            raise RuleError("replacement", f"Use at most {MOST_REPLACEMENT_CHARACTERS} characters.")
        pattern = self.compiled()
        if self.kind != "regexp":
            return
        try:
            anything = regex.compile(f"(?:{self.pattern})|").match("")  # with the groups, whatever the text
            anything.expand(self.replacement)
        except (regex.error, IndexError) as error:
            raise RuleError("replacement", f"This can't be put in: {_cause(error)}.") from error
        for text in self._trials():
            try:
                for _ in pattern.finditer(text, timeout=_TRIAL_SECONDS):
                    pass
            except TimeoutError as error:
                raise RuleError("pattern", "This takes too long on some texts. Make it simpler.") from error

    def _trials(self) -> Iterator[str]:
        """Texts on which careless patterns lose their way: one letter over and over, and no end to it."""
        letters = dict.fromkeys(character for character in self.pattern if character.isalnum())
        for letter in ["a", "1", " ", *list(letters)[:_TRIED_LETTERS]]:
            yield letter * _TRIAL_CHARACTERS + "\x01"
        yield "Aa1 bb, c. " * (_TRIAL_CHARACTERS // 11)


@dataclass(frozen=True, slots=True)
class Replacement:
    """[start, end) of the text becomes said."""

    start: int
    end: int
    said: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What rules made of a text: the replacements of each one that found anything, in the text as those
    before it left it, and the text after all. left_out: rules for which there was no time."""

    passes: tuple[tuple[Replacement, ...], ...]
    left_out: tuple[PronunciationRule, ...]
    said: str


@dataclass(frozen=True)
class Pronunciation:
    """Rules in the order in which they are applied; each meets what those before it have made."""

    rules: tuple[PronunciationRule, ...] = ()

    def __hash__(self) -> int:
        return self._hash  # asked for with every segment, and there may be hundreds of rules

    def applied(self, text: str) -> "Applied":
        passes: list[tuple[Replacement, ...]] = []
        left_out: list[PronunciationRule] = []
        left_seconds = TEXT_SECONDS
        for rule, pattern in self._patterns:
            if rule in self._too_slow or (rule.kind == "regexp" and left_seconds <= 0):
                left_out.append(rule)
                continue
            began = time.process_time()
            try:
                found = tuple(_replacements(rule, pattern, text, max(left_seconds, 0.001)))
            except TimeoutError:
                self._too_slow.add(rule)
                left_out.append(rule)
                _log.info("a pronunciation rule takes too long and is left out")
                continue
            finally:
                left_seconds -= time.process_time() - began
            said = apply(found, text)
            if found and len(said) <= max(MOST_SAID_CHARACTERS, len(text)):
                passes.append(found)
                text = said
        return Applied(tuple(passes), tuple(left_out), text)

    @cached_property
    def _hash(self) -> int:
        return hash(self.rules)

    @cached_property
    def _patterns(self) -> tuple[tuple[PronunciationRule, "regex.Pattern[str]"], ...]:
        return tuple((rule, rule.compiled()) for rule in self.rules)

    @cached_property
    def _too_slow(self) -> set[PronunciationRule]:
        return set()


AS_WRITTEN: Final = Pronunciation()


def apply(replacements: Sequence[Replacement], text: str) -> str:
    parts, position = [], 0
    for one in replacements:
        parts += [text[position : one.start], one.said]
        position = one.end
    return "".join(parts) + text[position:]


def rules_of(values: Sequence[dict[str, Any]]) -> tuple[PronunciationRule, ...]:
    """From what dataclasses.asdict made of them."""
    return tuple(PronunciationRule(**value) for value in values)


def _replacements(
    rule: PronunciationRule, pattern: "regex.Pattern[str]", text: str, seconds: float
) -> Iterator[Replacement]:
    for match in pattern.finditer(text, timeout=seconds):
        if match.end() > match.start():
            said = match.expand(rule.replacement) if rule.kind == "regexp" else rule.replacement
            yield Replacement(match.start(), match.end(), said)


def _cause(error: Exception) -> str:
    return str(error).partition(" at position")[0].removesuffix(".") or "it is too complicated"
