"""Documents of the kinds people have, set from known text."""

import io
import random
from collections.abc import Callable
from dataclasses import dataclass

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from bench.pdf.typesetter import Setter, Sheet, Style, TrueBlock

WORDS = """
the of and to in that was his with for as had you not be her but at on by which have or from this
him they she all were are my me one their so an said them we who would been will no when there if
more out up into do any your what has man could other than our some very time upon about may its
only now like little then can should made did such great before must these two see know over much
down after first mister good men own never most old shall day where those came come himself way work
life without go make well through being long say might how am too against again morning garden
window question answer company quarter village history nature science reason measure machine
language information reading document understanding recognition development application
communication organization temperature experiment observation relationship independence considerable
remarkable particular interesting necessary possible different important general national economic
political evidence influence character structure mechanism performance distribution representation
generation collection direction production instruction connection expression impression paragraph
sentence column margin letter printer binding chapter volume edition library archive catalogue
""".split()


JAPANESE = """
山路を登りながらこう考えた 智に働けば角が立つ 情に棹させば流される 意地を通せば窮屈だ
とかくに人の世は住みにくい 安い所へ引き越したくなる
どこへ越しても住みにくいと悟った時詩が生れて画が出来る
人の世を作ったものは神でもなければ鬼でもない 向う三軒両隣りにちらちらするただの人である
越す国はあるまい あれば人でなしの国へ行くばかりだ
""".split()


@dataclass(frozen=True)
class Specimen:
    name: str
    pdf: bytes
    truth: list[TrueBlock]
    furniture: list[str]
    pages: int


def sentence(source: random.Random) -> str:
    words = [source.choice(WORDS) for _ in range(source.randint(6, 22))]
    if len(words) > 10 and source.random() < 0.5:
        words[len(words) // 2] += ","
    return " ".join(words).capitalize() + source.choice("....?")


def prose(source: random.Random, sentences: int) -> str:
    return " ".join(sentence(source) for _ in range(sentences))


def heading(source: random.Random) -> str:
    return " ".join(source.choice(WORDS) for _ in range(source.randint(2, 5))).title()


def specimen(name: str, setter: Setter) -> Specimen:
    return Specimen(name, setter.finish(), setter.truth, setter.furniture, len(setter._pages))


def article(source: random.Random, *, is_scrambled: bool = False, sections: int = 6) -> Specimen:
    sheet = Sheet(columns=2, margin=54, header="Journal of Documents, Volume 12", footer="{page}")
    setter = Setter(sheet, source, is_scrambled=is_scrambled)
    body, indented = Style(size=10, leading=11.5), Style(size=10, leading=11.5, indent=12)
    setter.put(
        "title",
        heading(source) + " and the " + heading(source),
        Style("Helvetica-Bold", 17, 20, is_centered=True),
        is_spanning=True,
    )
    for section in range(1, sections + 1):
        setter.put(
            "heading",
            f"{section}. {heading(source)}",
            Style("Times-Bold", 12, 15, before=8, is_justified=False),
        )
        for number in range(4):
            note = f"{section} {prose(source, 2)}" if number == 1 and section % 2 else ""
            setter.put(
                "paragraph", prose(source, source.randint(3, 8)), indented if number else body, note=note
            )
        if section in {2, 4}:
            setter.space(90)
            setter.put("caption", f"Figure {section // 2}: {prose(source, 2)}", Style(size=9, leading=10.5))
            setter.space(10)
    return specimen("article, two columns", setter)


def novel(source: random.Random, *, chapters: int = 3) -> Specimen:
    sheet = Sheet(
        width=420,
        height=595,
        margin=58,
        header="THE LONG READING",
        alternate_header="A. N. AUTHOR",
        footer="{page}",
    )
    setter = Setter(sheet, source)
    for chapter in range(1, chapters + 1):
        if chapter > 1:
            setter.next_page()
        setter.put("heading", f"Chapter {chapter}", Style("Times-Roman", 16, 30, is_centered=True))
        for number in range(22):
            style = Style(size=11, leading=14, indent=0 if number == 0 else 16)
            setter.put("paragraph", prose(source, source.randint(1, 9)), style)
    return specimen("novel", setter)


def report(source: random.Random) -> Specimen:
    sheet = Sheet(header="Annual Report of the Reading Department", footer="Page {page}")
    setter = Setter(sheet, source)
    body = Style("Helvetica", 10.5, 13.5, before=8, is_justified=False, is_hyphenated=False)
    item = Style(
        "Helvetica", 10.5, 13.5, before=3, indent=14, hang=26, is_justified=False, is_hyphenated=False
    )
    setter.put(
        "title", "Report on the " + heading(source), Style("Helvetica-Bold", 22, 28, is_justified=False)
    )
    for section in range(1, 6):
        setter.put("heading", heading(source), Style("Helvetica-Bold", 15, 19, before=16, is_justified=False))
        setter.put("paragraph", prose(source, 5), body)
        setter.put("heading", heading(source), Style("Helvetica-Bold", 12, 15, before=12, is_justified=False))
        note = f"{section} {prose(source, 2)}" if section % 2 else ""
        setter.put("paragraph", prose(source, 6), body, note=note)
        for number in range(1, 6):
            mark = "•" if section % 2 else f"{number}."
            setter.put("list_item", f"{mark} {prose(source, 1 + number % 2)}", item)
        setter.put("paragraph", prose(source, 4), body)
        setter.put(
            "caption",
            f"Table {section}. {sentence(source)}",
            Style("Helvetica", 9, 11, before=10, is_justified=False),
        )
        setter.space(6)
        for row in range(6):
            cells = [
                source.choice(WORDS).title(),
                str(source.randint(10, 999)),
                f"{source.random():.3f}",
                source.choice(WORDS),
            ]
            setter.put_row(
                cells if row else ["Name", "Count", "Share", "Kind"],
                [130, 100, 100, 100],
                Style("Helvetica", 9.5, 13),
            )
        setter.space(8)
    return specimen("report with lists, tables, notes", setter)


def slides(source: random.Random) -> Specimen:
    sheet = Sheet(width=720, height=405, margin=48, header="", footer="Reading Conference   {page}")
    setter = Setter(sheet, source)
    for number in range(10):
        if number:
            setter.next_page()
        setter.put("heading", heading(source), Style("Helvetica-Bold", 28, 40, is_justified=False))
        setter.space(12)
        for _ in range(source.randint(3, 6)):
            text = " ".join(source.choice(WORDS) for _ in range(source.randint(4, 20)))
            setter.put(
                "list_item",
                f"• {text}",
                Style("Helvetica", 18, 24, before=4, hang=14, is_justified=False, is_hyphenated=False),
            )
    return specimen("slides", setter)


def magazine(source: random.Random) -> Specimen:
    sheet = Sheet(columns=3, margin=42, gutter=16, header="", footer="READER MAGAZINE {page}")
    setter = Setter(sheet, source, is_scrambled=True)
    setter.put(
        "title", heading(source), Style("Helvetica-Bold", 30, 36, is_justified=False), is_spanning=True
    )
    for section in range(6):
        if section:
            setter.put(
                "heading", heading(source), Style("Helvetica-Bold", 12, 16, before=10, is_justified=False)
            )
        for number in range(7):
            style = Style(size=9.5, leading=11.5, indent=10 if number else 0, is_justified=section % 2 == 0)
            setter.put("paragraph", prose(source, source.randint(2, 6)), style)
    return specimen("magazine, three columns, scrambled", setter)


def vertical(source: random.Random) -> Specimen:
    """Lines from top to bottom, the first at the right."""
    font = "HeiseiMin-W3"
    pdfmetrics.registerFont(UnicodeCIDFont(font, isVertical=True))
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(420, 595))
    truth: list[TrueBlock] = []
    x, page = 360, 1
    for _ in range(14):
        text = "".join(source.choice(JAPANESE) + "。" for _ in range(source.randint(2, 6)))
        truth.append(TrueBlock("paragraph", text))
        shown = "　" + text
        for start in range(0, len(shown), 38):
            if x < 60:
                _end_vertical_page(canvas, page)
                x, page = 360, page + 1
            canvas.setFont(font, 12)
            canvas.drawString(x, 540, shown[start : start + 38])
            x -= 20
    _end_vertical_page(canvas, page)
    canvas.save()
    furniture = [str(number + 1) for number in range(page)]
    return Specimen("novel, vertical Japanese", target.getvalue(), truth, furniture, page)


def _end_vertical_page(canvas: Canvas, number: int) -> None:
    canvas.setFont("Helvetica", 9)
    canvas.drawString(205, 30, str(number))
    canvas.showPage()


SPECIMENS: list[Callable[[random.Random], Specimen]] = [article, novel, report, slides, magazine, vertical]
