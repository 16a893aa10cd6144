"""Reading options as the browser sends and gets them."""

from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from app_server.http.json_bodies import AnswerBody, RequestBody, StoredText
from app_server.reading_options.model import BlockRole, ReadingOptions
from shared.pronunciation import MOST_RULES, Applied, PronunciationRule, RuleKind

_Roles = Annotated[list[BlockRole], Field(max_length=16)]


class RuleBody(RequestBody):
    """kind: "literal" wherever it stands, "word" only as a whole word, "regexp" a regular expression."""

    kind: RuleKind
    pattern: StoredText
    replacement: StoredText
    match_case: bool = False


class RulesBody(RequestBody):
    """Applied in their order."""

    rules: Annotated[list[RuleBody], Field(max_length=MOST_RULES)]


class OptionsBody(RequestBody):
    """What is left out is as by default."""

    # Read although not read by default.
    include_roles: _Roles = Field(default_factory=list)
    # Not read although read by default.
    skip_roles: _Roles = Field(default_factory=list)
    # Such as [3] and (Smith, 2020).
    skip_citations: bool = False
    skip_brackets: bool = False
    # For this document alone, before the user's own.
    rules: Annotated[list[RuleBody], Field(max_length=MOST_RULES)] = Field(default_factory=list)


class SampleBody(RulesBody):
    text: Annotated[StoredText, Field(min_length=1, max_length=400)]


class ShownRule(AnswerBody):
    kind: RuleKind
    pattern: str
    replacement: str
    match_case: bool


class RulesAnswer(AnswerBody):
    rules: list[ShownRule]


class OptionsAnswer(RulesAnswer):
    include_roles: list[BlockRole]
    skip_roles: list[BlockRole]
    skip_citations: bool
    skip_brackets: bool


class SampleAnswer(AnswerBody):
    # What a voice would be given to say.
    said: str
    # Places of the rules that were left out, as they take too long on this text.
    left_out: list[int]


def rules_from(bodies: list[RuleBody]) -> tuple[PronunciationRule, ...]:
    return tuple(PronunciationRule(**body.model_dump()) for body in bodies)


def options_from(body: OptionsBody) -> ReadingOptions:
    return ReadingOptions(
        include_roles=tuple(sorted(set(body.include_roles))),
        skip_roles=tuple(sorted(set(body.skip_roles))),
        skip_citations=body.skip_citations,
        skip_brackets=body.skip_brackets,
        rules=rules_from(body.rules),
    )


def shown_rules(rules: tuple[PronunciationRule, ...]) -> list[ShownRule]:
    return [ShownRule(**asdict(rule)) for rule in rules]


def shown_sample(rules: tuple[PronunciationRule, ...], applied: Applied) -> SampleAnswer:
    left_out = [place for place, rule in enumerate(rules) if rule in applied.left_out]
    return SampleAnswer(said=applied.said, left_out=left_out)


def shown_options(options: ReadingOptions) -> OptionsAnswer:
    return OptionsAnswer(
        include_roles=list(options.include_roles),
        skip_roles=list(options.skip_roles),
        skip_citations=options.skip_citations,
        skip_brackets=options.skip_brackets,
        rules=shown_rules(options.rules),
    )
