"""Words broken at line ends, against the text's own vocabulary."""

import pytest

from compute_worker.documents.pdf.joining import Vocabulary, join_lines
from compute_worker.documents.pdf.model import Font, Line

FONT = Font(10.0)


def joined(*texts: str, known: str = "") -> tuple[str, list[int]]:
    vocabulary = Vocabulary()
    for text in (*texts, known):
        vocabulary.learn(text)
    return join_lines([Line(text, 0, 0, 0, 1, 1, 1, FONT) for text in texts], vocabulary)


@pytest.mark.parametrize(
    ("texts", "known", "expected"),
    [
        (("an infor-", "mation desk"), "", "an information desk"),
        (("an infor\u00ad", "mation desk"), "", "an information desk"),
        (("a well-", "known fact"), "", "a well-known fact"),
        (("a time-", "honoured way"), "this time-honoured way", "a time-honoured way"),
        (("the re-", "sign it"), "we resign", "the resign it"),
        (("the Anglo-", "Saxon age"), "", "the Anglo-Saxon age"),
        (("his mother-in-", "law came"), "", "his mother-in-law came"),
        (("pages 10–", "12 only"), "", "pages 10–12 only"),
        (("it was –", "he said"), "", "it was – he said"),
        (("two", "words"), "", "two words"),
        (("第七章", "企业"), "", "第七章企业"),
        (("soft\u00adly said", "so"), "", "softly said so"),
    ],
)
def test_lines_are_joined_as_they_were_meant(texts: tuple[str, ...], known: str, expected: str) -> None:
    assert joined(*texts, known=known)[0] == expected


def test_where_each_line_begins_is_known() -> None:
    text, starts = joined("an infor-", "mation desk", "stands")
    assert [text[start:] for start in starts] == [text, "mation desk stands", "stands"]
