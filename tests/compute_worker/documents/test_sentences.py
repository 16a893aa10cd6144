import pytest

from compute_worker.documents.sentences import MAX_SENTENCE_CHARACTERS, cut_sentences


def cut(text: str, language: str = "en", breaks: tuple[int, ...] = ()) -> list[str]:
    return [text[start:end] for start, end in cut_sentences(text, language, breaks)]


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("en", "Dr. Smith paid $3.50 to the U.S. Treasury. Then he left.", 2),
        ("en", "“Why?” he asked. “No! Never.” She went on.", 3),
        ("de", "Das kostet z.B. 3,5 Mio. Euro. Gut so.", 2),
        ("ja", "吾輩は猫である。名前はまだ無い。", 2),
        ("hi", "यह एक वाक्य है। यह दूसरा है।", 2),
        ("ar", "مرحبا. كيف حالك؟", 2),
    ],
)
def test_sentences_end_where_their_language_ends_them(language: str, text: str, count: int) -> None:
    assert len(cut(text, language)) == count


def test_what_holds_no_word_joins_the_sentence_before_it() -> None:
    assert cut("He left. ” Then more.") == ["He left. ” ", "Then more."]
    assert cut("He left.\n\n* * *\n\nThen more.") == ["He left.\n\n* * *\n\n", "Then more."]
    assert cut("* * *") == ["* * *"]


def test_no_sentence_reaches_over_a_break() -> None:
    assert cut("Name\nAge", breaks=(5,)) == ["Name\n", "Age"]


def test_a_sentence_without_end_is_cut_at_a_pause_or_a_space() -> None:
    pieces = cut("one two three, four five six " * 200)
    assert all(len(piece) <= MAX_SENTENCE_CHARACTERS for piece in pieces)
    assert all(piece.endswith(", ") for piece in pieces[:-1])
    assert all(piece.endswith(" ") for piece in cut("word " * 500))
    assert max(map(len, cut("x" * 5000))) == MAX_SENTENCE_CHARACTERS
