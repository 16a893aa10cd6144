"""An audiobook that a person owns: from the file to lit words, in a real browser on the whole application."""

import bisect
from pathlib import Path

import pytest
from books.recordings import BookRecording, record_book
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

HEAR = """() => new Promise((resolve) => requestAnimationFrame(() => {  // as in e2e/browser.py
  const lit = (name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString()).join("");
  const audio = document.querySelector("lectern-recordings audio");
  const reader = document.querySelector("lectern-reader");
  resolve({ ms: audio.currentTime * 1000, word: lit("spoken-word"), state: reader.dataset.state });
}))"""
MOMENTS = 60
EDGE_MS = 60.0
SHARE_RIGHT = 0.9


@pytest.fixture(scope="module")
def book() -> BookRecording:
    return record_book()


def test_ones_own_audiobook_is_aligned_and_played_with_its_words_lit(reader, book, tmp_path: Path):
    text, audio, other = tmp_path / "Book.html", tmp_path / "Book.opus", tmp_path / "Notes.mp3"
    text.write_bytes(book.html())
    audio.write_bytes(book.audio)
    other.write_bytes(b"these are only words")
    reader.upload(text)
    reader.open("Book")
    page = reader.page
    page.get_by_role("button", name="Your own audiobook").click()
    dialog = page.get_by_role("dialog", name="Your own audiobook")
    expect(dialog.get_by_text("There is none yet.")).to_be_visible()
    dialog.locator("input[type=file]").set_input_files(str(other))
    expect(dialog.get_by_role("alert")).to_contain_text("This is no recording that can be read.")
    dialog.locator("input[type=file]").set_input_files(str(audio))
    expect(dialog.get_by_text("of the text is read in it")).to_be_visible(timeout=60_000)
    dialog.get_by_role("button", name="Listen to it").click()
    page.get_by_role("button", name="Play", exact=True).click()
    words = [
        (start + word.start_ms, start + word.end_ms, speech.text[word.char_start : word.char_end])
        for start, speech in book.speeches
        for word in speech.words
    ]
    heard = [until(page, lambda now: now["word"] and now["state"] == "playing")]
    assert heard[0]["ms"] > book.speeches[0][0] - 1000  # not what is read before the book begins
    while len(heard) < MOMENTS:
        page.wait_for_timeout(70)
        heard.append(page.evaluate(HEAR))
    right, judged = judge(heard, words)
    print(f"\n{right} of {judged} moments right")
    assert judged > MOMENTS // 2
    assert right >= SHARE_RIGHT * judged
    seek_to_second_chapter(page, book)
    page.get_by_role("button", name="Your own audiobook").click()
    dialog.get_by_role("button", name="Back to the voice").click()
    page.keyboard.press("Escape")
    reader.until(lambda now: now.state == "playing" and now.ms > 0)
    assert [line for line in reader.console if line.startswith("pageerror")] == []


def seek_to_second_chapter(page, book: BookRecording) -> None:
    first_sentence = book.chapters[1][1][0]
    page.get_by_text(first_sentence).first.click()
    start_ms = next(start for start, speech in book.speeches if speech.text == first_sentence)
    until(page, lambda now: start_ms - 500 < now["ms"] < start_ms + 5000 and now["state"] == "playing")


def until(page, condition) -> dict:
    now = page.evaluate(HEAR)
    for _ in range(300):
        if condition(now):
            return now
        page.wait_for_timeout(50)
        now = page.evaluate(HEAR)
    raise AssertionError(now)


def judge(heard: list[dict], words: list[tuple[float, float, str]]) -> tuple[int, int]:
    """Moments inside a word; so near to its edge its neighbour will do."""
    starts = [start for start, _, _ in words]
    right = judged = 0
    for now in heard:
        index = bisect.bisect_right(starts, now["ms"]) - 1
        if index < 0 or now["ms"] >= words[index][1]:
            continue
        judged += 1
        start, end, word = words[index]
        fine = {word}
        if now["ms"] - start < EDGE_MS and index:
            fine.add(words[index - 1][2])
        if end - now["ms"] < EDGE_MS and index + 1 < len(words):
            fine.add(words[index + 1][2])
        right += now["word"] in fine
    return right, judged
