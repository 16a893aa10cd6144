"""Documents printed by a browser, as people save pages of the web: with tags, drawn bullets and cells that
wrap."""

import html
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from playwright.sync_api import Page, sync_playwright
from pypdfium2 import PdfDocument

from bench.pdf.specimens import WORDS, Specimen, heading, prose, sentence
from bench.pdf.typesetter import TrueBlock

CHROMIUM = "/usr/bin/chromium"
RUNNING_HEAD = "The Printed Book of the Web"
_EDGE = '<div style="font-size:8px;width:100%;text-align:center">{}</div>'
_MARGIN = {"top": "25mm", "bottom": "25mm", "left": "20mm", "right": "20mm"}
_ARABIC = (
    "الكتاب على الطاولة في البيت الكبير الذي بناه جدي قبل سنوات كثيرة وكان الناس يأتون إليه من كل مكان "
    "ليسمعوا قصصه عن البحر والسفر والمدن البعيدة التي زارها في شبابه"
).split()


@contextmanager
def open_printer() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--no-first-run"]
        )
        try:
            yield browser.new_page()
        finally:
            browser.close()


@dataclass
class Writing:
    """HTML and the truth about it."""

    truth: list[TrueBlock] = field(default_factory=list)
    body: list[str] = field(default_factory=list)

    def add(self, role: str, tag: str, text: str, *, shown: str = "") -> None:
        """shown: what is written in the HTML where the printed text has more, such as a number."""
        self.truth.append(TrueBlock(role, text))
        self.body.append(f"<{tag}>{html.escape(shown or text)}</{tag.partition(' ')[0]}>")

    def open(self, tag: str) -> None:
        self.body.append(f"<{tag}>")

    def row(self, cells: list[str], *, tag: str = "td") -> None:
        self.truth.append(TrueBlock("table", " ".join(cells)))
        shown = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
        self.body.append(f"<tr>{shown}</tr>")

    def printed(
        self, printer: Page, name: str, style: str, *, root: str = 'lang="en"', is_tagged: bool = True
    ) -> Specimen:
        printer.set_content(f"<html {root}><style>{style}</style><body>{''.join(self.body)}</body></html>")
        pdf = printer.pdf(
            format="A4",
            margin=_MARGIN,
            tagged=is_tagged,
            display_header_footer=True,
            header_template=_EDGE.format(RUNNING_HEAD),
            footer_template=_EDGE.format('<span class="pageNumber"></span>'),
        )
        pages = len(PdfDocument(pdf))
        furniture = [RUNNING_HEAD] * pages + [str(number + 1) for number in range(pages)]
        return Specimen(name, pdf, self.truth, furniture, pages)


def _fill(writing: Writing, source: random.Random, sections: int) -> None:
    for section in range(1, sections + 1):
        writing.add("heading", "h2", heading(source))
        for _ in range(3):
            writing.add("paragraph", "p", prose(source, source.randint(2, 6)))
        writing.open("ul")
        for _ in range(3):
            writing.add("list_item", "li", prose(source, 1))
        writing.open("/ul")
        writing.add("heading", "h3", heading(source))
        writing.add("paragraph", "p", prose(source, source.randint(3, 5)))
        writing.open("ol")
        for number in range(1, 4):
            text = prose(source, 1 + number % 2)
            writing.add("list_item", "li", f"{number}. {text}", shown=text)
        writing.open("/ol")
        writing.add("caption", 'p class="caption"', f"Table {section}: {sentence(source)}")
        writing.open("table")
        writing.row(["Name", "Count", "What is said of it"], tag="th")
        for _ in range(4):
            cells = [source.choice(WORDS), str(source.randint(1, 999)), sentence(source)]
            writing.row(cells)
        writing.open("/table")
        for _ in range(2):
            writing.add("paragraph", "p", prose(source, source.randint(2, 5)))


_COMMON = ".caption { font-size: 0.85em } td { padding: 1px 8px; vertical-align: top } "


def page_of_the_web(printer: Page, source: random.Random, *, is_tagged: bool = True) -> Specimen:
    writing = Writing()
    writing.add("title", "h1", heading(source) + " and the " + heading(source))
    _fill(writing, source, 4)
    style = _COMMON + 'body { font: 11pt/1.4 "Liberation Serif", serif }'
    name = "printed page of the web" if is_tagged else "printed page of the web, no tags"
    return writing.printed(printer, name, style, is_tagged=is_tagged)


def columns_of_the_web(printer: Page, source: random.Random, *, is_tagged: bool = True) -> Specimen:
    writing = Writing()
    writing.add("title", "h1", heading(source))
    writing.open("main")
    _fill(writing, source, 4)
    writing.open("/main")
    style = (
        _COMMON + 'body { font: 9.5pt/1.25 "Liberation Serif", serif; text-align: justify } '
        "main { columns: 2; column-gap: 18pt }"
    )
    name = "printed, two columns" if is_tagged else "printed, two columns, no tags"
    return writing.printed(printer, name, style, is_tagged=is_tagged)


def arabic(printer: Page, source: random.Random) -> Specimen:
    writing = Writing()
    writing.add("title", "h1", " ".join(_ARABIC[:3]))
    for _ in range(12):
        words = [source.choice(_ARABIC) for _ in range(source.randint(30, 90))]
        words.insert(20, f"({source.randint(1900, 2030)})")
        writing.add("paragraph", "p", " ".join(words) + ".")
    style = 'body { font: 12pt/1.6 "DejaVu Sans", sans-serif }'
    return writing.printed(printer, "printed, Arabic", style, root='lang="ar" dir="rtl"')


PRINTED: dict[str, Callable[[Page, random.Random], Specimen]] = {
    "page": page_of_the_web,
    "columns": columns_of_the_web,
    "page without tags": partial(page_of_the_web, is_tagged=False),
    "columns without tags": partial(columns_of_the_web, is_tagged=False),
    "arabic": arabic,
}
