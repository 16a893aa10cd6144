"""What stands at the edge of a page and comes again on others."""

import pytest

from compute_worker.documents.model import BlockRole
from compute_worker.documents.pdf.furniture import edges_of, furniture_of
from compute_worker.documents.pdf.model import Font, Page, Word

FONT = Font(10.0)


def page(number: int, rows: dict[float, str]) -> Page:
    words = []
    for baseline, text in rows.items():
        left = 72.0
        for part in text.split():
            words.append(Word(part, left, baseline - 8, left + 5 * len(part), baseline + 2, baseline, FONT))
            left += 5 * len(part) + 3
    return Page(number, 612.0, 792.0, words)


def found(*pages: dict[float, str]) -> list[list[tuple[str, BlockRole]]]:
    edges = [edges_of(page(number, rows)) for number, rows in enumerate(pages)]
    return [
        [(row.text, role) for row, role in furniture_of(one, [other for other in edges if other is not one])]
        for one in edges
    ]


def body(start: float, text: str) -> dict[float, str]:
    return {start + 12 * number: f"{text} line {number} of the text" for number in range(50)}


def test_a_running_head_comes_again_and_the_text_does_not() -> None:
    pages = [body(100, word) | {50: "The Long Book"} for word in ("first", "second", "third")]
    assert found(*pages) == [[("The Long Book", BlockRole.HEADER)]] * 3


@pytest.mark.parametrize("numbers", [("7", "8", "9"), ("- 1 -", "- 2 -", "- 3 -"), ("xi", "xii", "xiii")])
def test_a_page_number_counts_with_the_pages(numbers: tuple[str, ...]) -> None:
    pages = [body(100, f"word{number}") | {760: number} for number in numbers]
    assert found(*pages) == [[(number, BlockRole.PAGE_NUMBER)] for number in numbers]


def test_a_year_alone_at_the_end_of_a_page_is_text_where_others_count() -> None:
    first = body(90, "one") | {760: "1"}
    second = body(90, "two") | {760: "2"}
    third = {40: "1984"} | body(90, "three") | {760: "3"}
    assert found(first, second, third)[2] == [("3", BlockRole.PAGE_NUMBER)]


def test_raised_digits_are_no_page_numbers() -> None:
    assert found(body(100, "one") | {760: "\u00b9"}, body(100, "two") | {760: "\u00b2"})
