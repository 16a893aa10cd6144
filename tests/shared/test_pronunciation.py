"""Rules of pronunciation: what they make of a text, which are refused, and that none takes long."""

from typing import Any

import pytest

from shared.pronunciation import MOST_SAID_CHARACTERS, Pronunciation, PronunciationRule, RuleError


def said(text: str, *rules: PronunciationRule) -> str:
    return Pronunciation(rules).applied(text).said


def rule(kind: Any, pattern: str, replacement: str = "", *, match_case: bool = False) -> PronunciationRule:
    return PronunciationRule(kind, pattern, replacement, match_case)


@pytest.mark.parametrize(
    ("one", "text", "expected"),
    [
        (rule("literal", "Nguyen", "Win"), "Nguyens met NGUYEN.", "Wins met Win."),
        (rule("literal", "a.b", "x"), "a.b acb", "x acb"),
        (rule("word", "St", "Saint"), "St Ives, st, Street; West", "Saint Ives, Saint, Street; West"),
        (rule("word", "C++", "see plus plus"), "C++, but C+++", "see plus plus, but see plus plus+"),
        (rule("word", "us", "U S", match_case=True), "us and US", "U S and US"),
        (rule("regexp", r"(\d+) ?km\b", r"\1 kilometres"), "5km, 7 KM", "5 kilometres, 7 kilometres"),
        (rule("regexp", r"x*", "y"), "axxb", "ayb"),
        (rule("literal", "um ", ""), "um yes um no", "yes no"),
    ],
)
def test_what_a_rule_makes_of_a_text(one: PronunciationRule, text: str, expected: str) -> None:
    one.check()
    assert said(text, one) == expected


def test_each_rule_meets_what_those_before_it_made() -> None:
    assert said("ab", rule("literal", "a", "b"), rule("literal", "bb", "c")) == "c"


@pytest.mark.parametrize(
    ("one", "field", "words"),
    [
        (rule("literal", ""), "pattern", "what is to be replaced"),
        (rule("regexp", "(a"), "pattern", "missing )"),
        (rule("regexp", "*"), "pattern", "nothing to repeat"),
        (rule("regexp", "(a)", r"\2"), "replacement", "no such group"),
        (rule("regexp", "a", "\\"), "replacement", "bad escape"),
        (rule("regexp", "(a+)+$"), "pattern", "too long"),
        (rule("regexp", "(x+x+)+y"), "pattern", "too long"),
    ],
)
def test_what_cannot_be_used_is_refused_by_the_name_of_its_field(
    one: PronunciationRule, field: str, words: str
) -> None:
    with pytest.raises(RuleError) as refused:
        one.check()
    assert refused.value.field == field
    assert words in refused.value.message


def test_a_rule_that_takes_too_long_is_left_out_and_the_others_are_not() -> None:
    slow = rule("regexp", r"([^\x00-\x7f]+)+[!?]", "never")
    slow.check()  # on none of the texts that it is tried on
    pronunciation = Pronunciation((slow, rule("word", "end", "finish")))
    text = "é" * 300 + " end"
    for _ in range(3):  # the second time it is not even tried
        applied = pronunciation.applied(text)
        assert (applied.said, applied.left_out) == ("é" * 300 + " finish", (slow,))
    assert pronunciation.applied("short").left_out == (slow,)


def test_rules_that_make_a_text_endless_are_left_out() -> None:
    longer = rule("literal", "e", "e" * 200)
    made = said("eeeee", longer, longer, longer)
    assert len(made) == 1000 <= MOST_SAID_CHARACTERS
