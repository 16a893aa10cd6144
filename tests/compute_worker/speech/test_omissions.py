"""What is left out of a text for listeners who don't want to hear citations or brackets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compute_worker.speech.omissions import omissions


def left(text: str, *, citations: bool = False, brackets: bool = False) -> str:
    for start, end in reversed(omissions(text, citations=citations, brackets=brackets)):
        text = text[:start] + text[end:]
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It works [3, 5–7].", "It works."),
        ("As shown (Smith, 2020), it is.", "As shown, it is."),
        ("So (see Smith & Jones 2019a, p. 4; Weber et al., 2001) it is.", "So it is."),
        ("So (van der Berg 1999: 12-14; Smith, Jones and Lee, 2001, 2003) too.", "So too."),
        ("In spring (in May 2020) it rained (a lot).", "In spring (in May 2020) it rained (a lot)."),
        ("An array a[i] of [words].", "An array a[i] of [words]."),
    ],
)
def test_citations_are_told_from_other_brackets(text: str, expected: str) -> None:
    assert left(text, citations=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He (Ann (his wife) too) left [sic].", "He left."),
        ("1) first (x) 2) second", "1) first 2) second"),
        ("An open (bracket is read.", "An open (bracket is read."),
        ("全角（かっこ）も。", "全角も。"),
        ("a (b [c) d] e", "a d] e"),
    ],
)
def test_whole_pairs_of_brackets_are_left_out(text: str, expected: str) -> None:
    assert left(text, brackets=True) == expected


@given(st.text(alphabet="(a [1)],;. 2020SmiB{}", max_size=80))
def test_ranges_are_in_order_and_apart_whatever_is_written(text: str) -> None:
    position = -1
    for start, end in omissions(text, citations=True, brackets=True):
        assert position <= start < end <= len(text)
        position = end


def test_hostile_brackets_take_no_time() -> None:
    """Each of these would take minutes with a pattern that goes back, and no pair of them is a citation."""
    for text in ("(" * 50_000, "(" + ("A" + " " * 300) * 200, "[1," * 9_000, "(Abcd Efgh " * 5_000):
        assert omissions(text, citations=True, brackets=True) == ()
