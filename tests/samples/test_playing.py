"""Every real book opens, shows its text without gaps and plays to its end, to the frame.

Long books are played from their start for a while and then their last stretch; LECTERN_WHOLE_BOOKS=1
plays all of every book, which takes about half an hour.
"""

import os
import subprocess
from pathlib import Path

import imageio_ffmpeg
import pytest

from bench.reader import Reader

pytestmark = pytest.mark.samples

FRAME_BYTES = 192
FRAME_SAMPLES = 576
STRETCH = 24  # segments
WHOLE_BOOKS = bool(os.environ.get("LECTERN_WHOLE_BOOKS"))
BOOKS = (
    "epub/e2-smoketest.epub",
    "epub/e3-cjk-kusamakura-vertical.epub",
    "epub/e3-footnote-tiny.epub",
    "epub/e3-mrs-dalloway-one-chapter.epub",
    "epub/e3-obfuscated-fonts.epub",
    "epub/e3-rtl-arabic-cancer.epub",
    "epub/e3-sherlock-se.epub",
    "epub/e3-tts-mol-w3c.epub",
    "html/frankenstein-84-h.html",
    "html/readability-hukumusume.html",
    "html/readability-rtl-1.html",
    "html/readability-wikipedia.html",
    "html/sjis-no-declaration.html",
    "md/commonmark-spec.md",
    "md/docling-wiki.md",
    "md/eng-spa.md",
    "txt/enc-KOI8-R-ude_1.txt",
    "txt/enc-UTF-16LE-nobom-utf16le.txt",
    "txt/pride-1342-0.txt",
    "txt/udhr.txt",
)
DAMAGED = {
    "epub/bad-empty.epub",
    "epub/bad-image-as-epub.epub",
    "epub/bad-no-end-header.epub",
}


def decoded_samples(mp3: bytes) -> int:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", "pipe:0", "-f", "s16le", "-ac", "1"]
    run = subprocess.run([*command, "pipe:1"], input=mp3, capture_output=True, check=True)
    return len(run.stdout) // 2


@pytest.mark.parametrize("name", BOOKS)
@pytest.mark.timeout(3600 if WHOLE_BOOKS else 120)
async def test_a_book_opens_and_plays_to_its_end(lectern_instance, samples: Path, name: str):
    file = samples / name
    async with Reader.signed_up(lectern_instance.base_url) as reader:
        document_id = await reader.upload(file.name, file.read_bytes())
        await reader.until_ready(document_id)
        await text_has_no_gaps(reader, document_id)
        session = await reader.play(document_id)
        count = session["segmentCount"]
        if WHOLE_BOOKS or count <= 3 * STRETCH:
            await stretch_is_exact(reader, document_id, 0, count)
        else:
            await reader.generate(session, 0, STRETCH)
            await stretch_is_exact(reader, document_id, count - STRETCH, count)


async def text_has_no_gaps(reader: Reader, document_id: str) -> None:
    reading = await reader.get(f"/api/documents/{document_id}/reading")
    next_sentence = 0
    for summary in reading["sections"]:
        section = await reader.get(f"/api/documents/{document_id}/sections/{summary.get('index', 0)}")
        for block in section.get("blocks", []):
            for sentence in block.get("sentences", []):
                assert sentence.get("ordinal", 0) == next_sentence
                next_sentence += 1
    assert next_sentence == reading["sentenceCount"] > 0


async def stretch_is_exact(reader: Reader, document_id: str, start: int, end: int) -> None:
    """From the start to the document's end: the stream is what was announced, frame by frame."""
    session = await reader.play(document_id, start)
    announced = await reader.generate(session, start, end)
    audio = await reader.read_all(f"{session['audioUrl']}&from={start}&at=0")
    frames = sum(announced.values())
    assert len(audio) == frames * FRAME_BYTES
    assert decoded_samples(audio) == frames * FRAME_SAMPLES


@pytest.mark.parametrize("name", sorted(DAMAGED))
async def test_a_damaged_file_is_refused_with_its_own_message(lectern_instance, samples: Path, name: str):
    file = samples / name
    async with Reader.signed_up(lectern_instance.base_url) as reader:
        problem = await reader.upload_problem(file.name, file.read_bytes())
    assert problem["message"]
    assert problem["code"] not in {"INTERNAL", "UNKNOWN"}


@pytest.mark.parametrize("name", ["epub/bad-path-leaking.epub", "epub/bad-unclosed-tag.epub"])
async def test_a_crooked_file_is_read_as_far_as_it_goes(lectern_instance, samples: Path, name: str):
    file = samples / name
    async with Reader.signed_up(lectern_instance.base_url) as reader:
        document_id = await reader.upload(file.name, file.read_bytes())
        await reader.until_ready(document_id)
        await text_has_no_gaps(reader, document_id)
