"""The promise itself: what is lit is what is heard."""

import urllib.request

import pytest
from e2e.listening import decoded, soundings
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

MOMENTS_INSIDE_WORDS = 24
MOMENTS_AT_MOST = 120
TOLERANCE_MS = 50


def word_list(text: str) -> list[str]:
    return [word.strip(" ,.") for word in text.split()]


def test_the_lit_word_is_the_word_in_the_sound(reader, spaced_words):
    """Every sampled moment is held against the decoded sound: inside a word that word is lit, and a lit word
    sounds now, or was the last to."""
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.play()
    moments = []
    while len(moments) < MOMENTS_AT_MOST:
        reader.page.wait_for_timeout(90)
        heard = reader.hear()
        assert heard.state == "playing"
        moments.append(heard)
        if heard.ms > 9_000:
            break
    reader.pause()
    with urllib.request.urlopen(moments[0].src) as stream:  # the same stream, from the same start
        samples = decoded(stream.read(int(moments[-1].ms * 8) + 40_000))
    words, places = word_list(spaced_words.read_text()), soundings(samples)
    inside = 0
    for heard in moments:
        for word, place in zip(words, places, strict=False):
            if place.start_ms + TOLERANCE_MS <= heard.ms <= place.end_ms - TOLERANCE_MS:
                assert heard.word == word, (heard, place)
                inside += 1
        if heard.word:
            sounding = [
                word
                for word, place, following in zip(words, places, places[1:], strict=False)
                if place.start_ms - TOLERANCE_MS <= heard.ms <= following.start_ms + TOLERANCE_MS
            ]
            assert heard.word in sounding, (heard, sounding)
    assert inside >= MOMENTS_INSIDE_WORDS, f"only {inside} moments fell inside a word"


def test_clicking_a_sentence_plays_from_it(reader, spaced_words):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.watch_words()
    reader.page.get_by_text("Quebec, romeo").nth(1).click(position={"x": 8, "y": 10})
    reader.until(lambda it: it.state == "playing" and it.word)
    assert reader.lit_words()[0] == "Quebec"


def test_clicking_a_word_plays_from_that_word(reader, spaced_words):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    place = reader.page.evaluate("""() => {
      const pieces = [...document.querySelectorAll("[data-sentence]")];
      const text = pieces.find((piece) => piece.textContent.includes("tango")).firstChild;
      const range = document.createRange();
      range.setStart(text, text.data.indexOf("tango"));
      range.setEnd(text, text.data.indexOf("tango") + 5);
      const { x, y, width, height } = range.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }""")
    reader.watch_words()
    reader.page.mouse.click(*place)
    reader.until(lambda it: it.state == "playing" and it.word)
    assert reader.lit_words()[0] == "tango"


def test_sentence_keys_step_forward_and_back(reader, spaced_words):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.play()
    reader.until(lambda it: "Alpha" in it.sentence)
    reader.page.keyboard.press("ArrowRight")
    reader.until(lambda it: it.state == "playing" and "Juliett" in it.sentence and it.word)
    reader.page.keyboard.press("ArrowLeft")
    reader.until(lambda it: it.state == "playing" and "Alpha" in it.sentence and it.word)


def test_a_reload_resumes_where_the_listener_was(reader, spaced_words):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.play()
    reader.until(lambda it: "Juliett" in it.sentence and it.word)
    reader.pause()
    left = reader.until(lambda it: it.state == "paused")
    assert left.sentence
    with reader.page.expect_navigation():
        reader.page.reload()
    expect(reader.page.locator("[data-sentence]").first).to_be_visible()
    reader.watch_words()
    reader.play()
    reader.until(lambda it: it.word)
    assert reader.lit_words()[0] in left.sentence


def test_speed_changes_while_the_right_word_stays_lit(reader, spaced_words):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.play()
    reader.page.evaluate("() => { document.querySelector('lectern-player').setSpeed(2); }")
    assert reader.page.evaluate("() => document.querySelector('audio').playbackRate") == 2
    heard = reader.until(lambda it: it.ms > 4000 and it.word)
    assert heard.word in word_list(spaced_words.read_text())


def test_playing_to_the_end_says_so_and_starts_over(reader, tmp_path):
    file = tmp_path / "Short.txt"
    file.write_text("Only this.")
    reader.upload(file)
    reader.open("Short")
    reader.play()
    reader.until(lambda it: it.state == "ended", seconds=20)
    reader.watch_words()
    reader.play()
    reader.until(lambda _: "Only" in reader.lit_words())
