"""Books to measure with: written here, never the same twice, so that no cache can help."""

import io
import random
import zipfile

WORDS = """
    the river ran under an old stone bridge while people walked slowly home and children played with paper
    boats near its bank where tall grass moved in a warm wind that smelled of rain before summer evenings came
""".split()

CONTAINER = (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def sentence(source: random.Random, characters: int = 100) -> str:
    words: list[str] = []
    while sum(map(len, words)) + len(words) < characters:
        words.append(source.choice(WORDS))
    return " ".join(words).capitalize() + "."


def text_book(source: random.Random, paragraphs: int) -> bytes:
    return "\n\n".join(sentence(source) for _ in range(paragraphs)).encode()


def epub_book(source: random.Random, *, chapters: int, characters: int) -> bytes:
    per_chapter = characters // chapters // 500
    names = [f"c{n}.xhtml" for n in range(chapters)]
    manifest = "".join(f'<item id="{n}" href="{n}" media-type="application/xhtml+xml"/>' for n in names)
    spine = "".join(f'<itemref idref="{n}"/>' for n in names)
    opf = (
        '<package version="3.0" xmlns="http://www.idpf.org/2007/opf" unique-identifier="i"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier>'
        "<dc:title>Bench</dc:title><dc:language>en</dc:language></metadata>"
        f"<manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    )
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("book.opf", opf)
        for number, name in enumerate(names):
            paragraphs = "".join(
                "<p>" + " ".join(sentence(source) for _ in range(5)) + "</p>" for _ in range(per_chapter)
            )
            book.writestr(
                name,
                f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Chapter {number}</title></head>'
                f"<body><h1>Chapter {number}</h1>{paragraphs}</body></html>",
            )
    return body.getvalue()
