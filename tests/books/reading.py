"""Runs a format's parser in this process and holds every result against what all documents promise."""

import gzip
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from google.protobuf import json_format

from compute_worker.documents.artifact_json import read_document, read_section
from compute_worker.documents.model import Block, BlockRole, ReadingDocument, Section
from compute_worker.documents.output import ArtifactFolder
from lectern.reading.v1 import reading_pb2

_VOID = frozenset({"br", "hr", "img", "wbr"})


@dataclass(frozen=True)
class Reading:
    document: ReadingDocument
    sections: tuple[Section, ...]
    resources: dict[str, bytes]

    @property
    def html(self) -> str:
        return "".join(section.html for section in self.sections)

    @property
    def blocks(self) -> list[Block]:
        return [block for section in self.sections for block in section.blocks]

    def texts(self, *roles: BlockRole) -> list[str]:
        return [block.text for block in self.blocks if not roles or block.role in roles]

    def sentences(self) -> list[str]:
        return [block.text[part.start : part.end] for block in self.blocks for part in block.sentences]


def read(parse: Callable[..., None], content: bytes, *, file_name: str = "book") -> Reading:
    with tempfile.TemporaryDirectory() as name:
        source, folder = Path(name) / "source", Path(name) / "artifacts"
        source.write_bytes(content)
        folder.mkdir()
        parse(source, artifact_folder(folder), file_name=file_name)
        return load(folder)


def artifact_folder(folder: Path) -> ArtifactFolder:
    return ArtifactFolder(folder=folder, most_bytes=10**9, report=_ignore)


def _ignore(phase: str, done: int, total: int) -> None:
    pass


def load(folder: Path) -> Reading:
    document = read_document(_json(folder / "document.json.gz", reading_pb2.ReadingDocument()))
    sections = tuple(
        read_section(_json(folder / f"sections/{summary.index}.json.gz", reading_pb2.Section()))
        for summary in document.sections
    )
    resources = {path.name: path.read_bytes() for path in (folder / "resources").iterdir()}
    reading = Reading(document, sections, resources)
    check(reading)
    return reading


def check(reading: Reading) -> None:
    expected_ordinal = 0
    for summary, section in zip(reading.document.sections, reading.sections, strict=True):
        assert summary.first_sentence == expected_ordinal
        assert summary.block_count == len(section.blocks)
        shown = dict(shown_sentences(section.html))
        assert list(shown) == [block.id for block in section.blocks]
        for number, block in enumerate(section.blocks):
            assert block.id == f"{section.index}-{number}"
            assert block.text.strip()
            edge = 0
            for sentence in block.sentences:
                assert sentence.ordinal == expected_ordinal
                assert sentence.start == edge < sentence.end
                assert shown[block.id][sentence.ordinal] == block.text[sentence.start : sentence.end]
                edge = sentence.end
                expected_ordinal += 1
            assert edge == len(block.text)
            assert "".join(shown[block.id].values()) == block.text
        assert summary.sentence_count == expected_ordinal - summary.first_sentence
    assert reading.document.sentence_count == expected_ordinal


def shown_sentences(html: str) -> Iterator[tuple[str, dict[int, str]]]:
    """Of each block in the order of the page: its sentences' text as a browser sees it."""
    page = _Page()
    page.feed(html)
    page.close()
    assert not page.stack, f"unclosed: {page.stack}"
    yield from page.blocks.items()


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[tuple[str, dict[str, str | None]]] = []
        self.blocks: dict[str, dict[int, str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        for name in attributes:
            assert not name.startswith("on"), name
        if attributes.get("data-block"):
            assert not any("data-block" in outer for _, outer in self.stack), "a block in a block"
            assert attributes["data-block"] not in self.blocks
            self.blocks[str(attributes["data-block"])] = {}
        if tag not in _VOID:
            self.stack.append((tag, attributes))

    def handle_endtag(self, tag: str) -> None:
        opened, _ = self.stack.pop()
        assert opened == tag

    def handle_data(self, data: str) -> None:
        tag, attributes = self.stack[-1] if self.stack else ("", {})
        if "data-sentence" not in attributes:
            assert not data.strip() or "data-unread" in attributes, f"text outside of sentences: {data!r}"
            return
        assert tag == "span"
        block = next(str(outer["data-block"]) for _, outer in reversed(self.stack) if "data-block" in outer)
        ordinal = int(str(attributes["data-sentence"]))
        self.blocks[block][ordinal] = self.blocks[block].get(ordinal, "") + data


def _json(path: Path, message: object) -> dict[str, object]:
    text = gzip.decompress(path.read_bytes())
    json_format.Parse(text, message)
    content: dict[str, object] = json.loads(text)
    return content
