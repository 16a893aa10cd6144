import pytest

from compute_worker.documents.language import (
    declared_language,
    detect_language,
    differing_script,
    direction_of,
)
from compute_worker.documents.model import TextDirection


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat sat on the mat and it was not amused by what she had said to him.", "en"),
        ("Le chat est sur la table et il ne veut pas que les autres le dérangent.", "fr"),
        ("Der Hund ist nicht im Haus und die Katze schläft auf dem Sofa.", "de"),
        ("El perro no está en la casa, pero los gatos duermen con los niños.", "es"),
        ("吾輩は猫である。", "ja"),
        ("天地玄黄，宇宙洪荒。", "zh"),
        ("모든 인간은 태어날 때부터 자유롭다.", "ko"),
        ("Все люди рождаются свободными.", "ru"),
        ("Всі люди народжуються вільними і рівними у своїй гідності.", "uk"),
        ("يولد جميع الناس أحرارا", "ar"),
        ("تمام افراد بشر آزاد به دنیا می‌آیند و چیزی", "fa"),
        ("सभी मनुष्यों को गौरव", "hi"),
        ("12 345 – §§", ""),
        ("Lorem ipsum dolor sit amet", "la"),
        ("This is a small page about a dog and a cat.", "en"),
    ],
)
def test_a_language_is_known_by_its_script_and_its_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("declared", "language"),
    [
        ("en_US", "en-US"),
        (" EN ", "en"),
        ("zh-Hant-TW", "zh-Hant-TW"),
        ("English", ""),
        ("und", ""),
        (None, ""),
        ('x"y', ""),
    ],
)
def test_only_what_is_a_language_tag_counts_as_declared(declared: str | None, language: str) -> None:
    assert declared_language(declared) == language


@pytest.mark.parametrize(
    ("text", "document", "language"),
    [
        ("Hello — “world”, naïve…", "en", ""),
        ("Σίβυλλα τί θέλεις", "en", "el"),
        ("Hello", "ru", ""),
        ("漢字", "ja", ""),
        ("Він і вона", "uk", ""),
        ("Bonjour", "en", ""),
    ],
)
def test_a_block_in_a_script_that_the_document_does_not_use_has_its_own_language(
    text: str, document: str, language: str
) -> None:
    assert differing_script(text, document) == language


def test_direction_follows_the_language() -> None:
    assert [direction_of(tag) for tag in ("he", "ar-EG", "en", "")] == [
        TextDirection.RTL,
        TextDirection.RTL,
        TextDirection.LTR,
        TextDirection.LTR,
    ]
