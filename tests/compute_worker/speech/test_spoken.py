import pytest
from hypothesis import given
from hypothesis import strategies as st

from compute_worker.speech.spoken import to_spoken
from shared.pronunciation import Pronunciation, PronunciationRule


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("See https://www.example.com/a/b?x=1.", "See link to example.com."),
        ("(www.bar.net/z)!", "(link to bar.net)!"),
        ("ftp://user:secret@host.org:21/x y", "link to host.org y"),
        ("★★★ Great\u00adness   of\u00a0ﬁne\n\tthings", "Greatness of fine things"),
        ("Hi \U0001f600\U0001f469\u200d\U0001f467 there", "Hi there"),
        ("one • two ■ three → four", "one two three four"),
        ("* * *", ""),
        ("----------", ""),
        ("Contents ........ 12", "Contents 12"),
        ("wait -- what --- now", "wait -- what --- now"),
        ("C++ and 3*4 = 12 © 2024", "C++ and 3*4 = 12 © 2024"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("bell\x07bell\x00", "bell bell"),
        ("", ""),
    ],
)
def test_what_is_said(written: str, said: str) -> None:
    assert to_spoken(written, "en-GB").text == said


def test_a_link_is_named_in_the_language_of_the_text() -> None:
    assert to_spoken("https://example.org/", "de-AT").text == "Link zu example.org"
    assert to_spoken("https://example.org/", "fi").text == "example.org"


def test_ranges_point_back_into_the_written_text() -> None:
    written = "  ★ Great\u00adness: https://www.example.com/a?b=c, ﬁne."
    spoken = to_spoken(written, "en")

    def origin(part: str) -> str:
        start = spoken.text.index(part)
        begin, end = spoken.map.to_original(start, start + len(part))
        return written[begin:end]

    assert origin("Greatness") == "Great\u00adness"
    assert origin("example") == "https://www.example.com/a?b=c"
    assert origin("link to") == "https://www.example.com/a?b=c"
    assert origin("fine") == "ﬁne"


@given(st.text(alphabet=st.sampled_from("ab 1.*-#\u00ad\ufb01★\n\U0001f600:/wh\u200b"), max_size=60))
def test_whatever_is_written_the_ranges_stay_in_order_and_inside(written: str) -> None:
    spoken = to_spoken(written, "en")
    assert spoken.text == spoken.text.strip()
    assert "  " not in spoken.text
    previous = 0
    for index in range(len(spoken.text)):
        start, end = spoken.map.to_original(index, index + 1)
        assert previous <= start < end <= len(written)
        previous = start


@given(st.text(alphabet=st.characters(categories=("L", "N")), min_size=1, max_size=40))
def test_plain_words_are_left_as_they_are(written: str) -> None:
    spoken = to_spoken(written, "en")
    if spoken.text == written:
        assert spoken.map.to_original(0, len(written)) == (0, len(written))


def test_rules_change_what_is_said_and_ranges_still_point_to_what_is_written() -> None:
    written = "Dr. Nguyen (see note) ran 12km,  twice."
    rules = (
        PronunciationRule("word", "Dr.", "Doctor"),
        PronunciationRule("literal", "Nguyen", "Win"),
        PronunciationRule("regexp", r"(\d+)km", r"\1 kilometres"),
    )
    spoken = to_spoken(written, "en", ((11, 21),), Pronunciation(rules))
    assert spoken.text == "Doctor Win ran 12 kilometres, twice."

    def origin(part: str) -> str:
        start = spoken.text.index(part)
        begin, end = spoken.map.to_original(start, start + len(part))
        return written[begin:end]

    assert origin("Doctor") == "Dr."
    assert origin("Win") == "Nguyen"
    assert origin("ran") == "ran"
    assert origin("kilometres") == "12km"
    assert origin("twice") == "twice"


@given(
    st.text(alphabet="ab 1.()", max_size=40),
    st.lists(
        st.tuples(st.text(alphabet="ab 1", min_size=1, max_size=2), st.text(alphabet="ab1", max_size=3))
    ),
)
def test_whatever_the_rules_the_ranges_stay_in_order_and_inside(
    written: str, pairs: list[tuple[str, str]]
) -> None:
    rules = tuple(PronunciationRule("literal", pattern, said) for pattern, said in pairs)
    spoken = to_spoken(written, "en", (), Pronunciation(rules))
    previous = 0
    for index in range(len(spoken.text)):
        start, end = spoken.map.to_original(index, index + 1)
        assert previous <= start < end <= len(written)
        previous = start
