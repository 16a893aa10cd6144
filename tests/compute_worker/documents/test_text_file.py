import pytest
from books.reading import read

from compute_worker.documents.model import BlockRole
from compute_worker.documents.text_file import parse

PROSE = "It was a dark night and the rain fell in torrents on the roofs. "


def texts(text: str, encoding: str = "utf-8") -> list[str]:
    return read(parse, text.encode(encoding)).texts()


def test_blank_lines_part_paragraphs_whose_lines_were_broken_at_a_width() -> None:
    assert texts(
        "This paragraph was broken by hand at a\nwidth of forty characters or so, which\nis seen here.\n"
        "\n\nAnother one.\n"
    ) == [
        "This paragraph was broken by hand at a width of forty characters or so, which is seen here.",
        "Another one.",
    ]


def test_lines_are_paragraphs_where_they_were_not_broken_at_a_width() -> None:
    assert texts(f"{PROSE * 4}\nShort.\n{PROSE * 3}\n") == [
        (PROSE * 4).strip(),
        "Short.",
        (PROSE * 3).strip(),
    ]


def test_an_indented_line_begins_a_paragraph() -> None:
    assert texts(
        "  First paragraph of the old kind, set with\nindents only and not with any blank lines.\n"
        "  Second paragraph of the old kind, which is\nset in the same way as the first was set.\n"
    ) == [
        "First paragraph of the old kind, set with indents only and not with any blank lines.",
        "Second paragraph of the old kind, which is set in the same way as the first was set.",
    ]


def test_lines_of_chinese_are_joined_without_spaces() -> None:
    line = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰馀成岁律吕调阳"
    assert texts(f"{line}\n{line}\n{line[:5]}\n") == [line * 2 + line[:5]]


@pytest.mark.parametrize(
    "heading",
    [
        "Chapter 1",
        "CHAPTER XII. The End",
        "Kapitel 3",
        "Глава 2",
        "第十二章 出発",
        "Prologue",
        "IV.",
        "PART TWO",
    ],
)
def test_chapters_are_known_by_their_headings(heading: str) -> None:
    reading = read(parse, f"Front matter.\n\n{PROSE * 10}\n\n{heading}\n\n{PROSE * 10}".encode())
    assert reading.texts(BlockRole.HEADING) == [heading]
    assert [section.title for section in reading.sections][1] == heading
    assert [entry.title for entry in reading.document.toc] == [heading]


@pytest.mark.parametrize(
    "sentence",
    ["I went home.", "Chapter houses are old buildings that stand beside a church.", "Part of it."],
)
def test_a_sentence_is_no_heading(sentence: str) -> None:
    assert read(parse, f"{sentence}\n\n{PROSE}".encode()).texts(BlockRole.HEADING) == []


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "Ünïcödé wörks."),
        ("utf-16", "Ünïcödé wörks."),
        ("utf-16-le", "Wide letters without a mark."),
        ("utf-16-be", "Wide letters without a mark."),
        ("utf-16-le", "Широкие буквы без всякой метки, и это тоже работает."),
        ("koi8-r", "Широкие поля и леса лежали перед ним, и он долго смотрел на них молча. " * 3),
        ("cp1251", "Широкие поля и леса лежали перед ним, и он долго смотрел на них молча. " * 3),
        ("cp1252", "Très été déjà vu à Noël, où êtes-vous passés hier après-midi ?"),
        ("cp1253", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."),
        ("iso8859-2", "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw."),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy a všichni ho slyšeli."),
        ("euc-jp", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 3),
    ],
)
def test_any_encoding_is_read(encoding: str, text: str) -> None:
    assert texts(text, encoding) == [text.strip()]


def test_a_block_in_another_script_carries_its_language_and_direction() -> None:
    reading = read(parse, f"{PROSE * 3}\n\nيولد جميع الناس أحرارا متساوين في الكرامة والحقوق.\n".encode())
    assert [block.language for block in reading.blocks] == ["en", "ar"]
    assert '<p data-block="0-1" lang="ar" dir="rtl">' in reading.html


def test_one_line_of_ten_megabytes_becomes_blocks_and_sections_of_a_bearable_size() -> None:
    reading = read(parse, (PROSE * 160_000)[:10_000_000].encode())
    assert max(len(block.text) for block in reading.blocks) <= 3_100
    assert max(summary.character_count for summary in reading.document.sections) <= 110_000
    assert sum(len(block.text) for block in reading.blocks) > 9_900_000


def test_a_line_without_any_space_is_cut_too() -> None:
    assert max(len(block.text) for block in read(parse, b"x" * 100_000).blocks) <= 3_100
