"""A provider that gives no word times: what is lit is what is heard, by the synthesizer's own account."""

import bisect
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soxr
from e2e.browser import Heard, Person
from e2e.listening import SAMPLE_RATE, decoded
from playwright.sync_api import Browser
from voices import festival
from voices.festival import FestivalVoice, say_with_festival
from voices.timed_speech import TimedSpeech

from bench.alignment.texts import ENGLISH
from servers.lectern import LecternInstance, lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started

pytestmark = pytest.mark.e2e

VOICE = festival.ENGLISH[0]  # the first in the server's list is what a newcomer hears
LISTEN_MS = 24_000
EDGE_MS = 40.0  # so near to where two words meet either may be lit: a screen shows a frame every 17 ms
SHARE_RIGHT = 0.95


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LecternInstance]:
    folder = tmp_path_factory.mktemp("festival")
    port = free_port()
    environment = lectern_environment(API_BASE=f"http://127.0.0.1:{port}/v1", API_MODEL_NAME="festival")
    tests = str(Path(__file__).parents[1])
    with (
        started(
            [sys.executable, "-m", "servers.festival_speech", str(port)],
            environment={**environment, "PYTHONPATH": f"{environment['PYTHONPATH']}:{tests}"},
            directory=folder,
            output=folder / "festival.log",
            is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health") == 200,
        ),
        running_lectern(folder / "workspace", environment=environment) as running,
    ):
        yield running


def test_the_lit_word_is_the_spoken_one_by_the_synthesizers_own_times(
    browser: Browser, instance, tmp_path: Path
):
    # text2wave says what stands before and after these signs apart, which changes the times.
    sentences = [text for text in ENGLISH if not any(sign in text[:-1] for sign in ".?;:")]
    book = tmp_path / "Festival.txt"
    book.write_text("\n\n".join(sentences), encoding="utf-8")
    context = browser.new_context()
    person = Person(context, instance.base_url)
    person.sign_up()
    person.upload(book)
    person.open("Festival")
    person.play()
    person.until(lambda heard: heard.word)  # measured, not estimated: those are never lit
    moments = listen(person)
    with urllib.request.urlopen(moments[0].src) as stream:
        samples = decoded(stream.read(int(LISTEN_MS * 8) + 40_000))
    context.close()
    spoken = spoken_words(samples, sentences)
    right, edge, judged = judge(moments, spoken)
    print(f"\n{right} of {judged} moments right, {edge} more within {EDGE_MS:g} ms of a word's edge")
    assert judged >= 80
    assert (right + edge) / judged >= SHARE_RIGHT


def listen(person: Person) -> list[Heard]:
    moments = []
    while not moments or moments[-1].ms < LISTEN_MS:
        person.page.wait_for_timeout(61)
        moments.append(person.hear())
        assert moments[-1].state == "playing"
    return moments


def spoken_words(samples: np.ndarray, sentences: list[str]) -> list[tuple[float, float, str]]:
    """Festival's words on the stream's time line: its own sound is looked for in the stream."""
    spoken = []
    for speech in say_with_festival(FestivalVoice(VOICE.name, VOICE.language), sentences):
        place = find(samples, speech)
        if place is None:
            break  # not in the part that was listened to
        for word in speech.words:
            text = speech.text[word.char_start : word.char_end]
            spoken.append((place + word.start_ms, place + word.end_ms, text))
    return spoken


def find(samples: np.ndarray, speech: TimedSpeech) -> float | None:
    """Where in the stream the first sample of this sound lies; None when it is not all there."""
    sound = soxr.resample(speech.samples, speech.sample_rate, SAMPLE_RATE)
    loud = np.flatnonzero(np.abs(sound) > 0.01)
    sound, lead = sound[loud[0] : loud[-1]], float(loud[0])
    if len(sound) > len(samples):
        return None
    size = 1 << (len(samples) + len(sound)).bit_length()
    match = np.fft.irfft(np.fft.rfft(samples, size) * np.conj(np.fft.rfft(sound, size)), size)
    offset = int(np.argmax(match[: len(samples) - len(sound)])) if len(samples) > len(sound) else 0
    piece = samples[offset : offset + len(sound)]
    likeness = float(np.dot(piece, sound) / np.sqrt(np.dot(piece, piece) * np.dot(sound, sound) + 1e-9))
    return (offset - lead) * 1000 / SAMPLE_RATE if likeness > 0.95 else None


def judge(moments: list[Heard], spoken: list[tuple[float, float, str]]) -> tuple[int, int, int]:
    right = edge = judged = 0
    starts = [start for start, _, _ in spoken]
    for heard in moments:
        index = bisect.bisect_right(starts, heard.ms) - 1
        if index < 0 or heard.ms >= spoken[index][1] or heard.ms > spoken[-1][1]:
            continue  # between words, where either or none may be lit
        judged += 1
        start, end, word = spoken[index]
        near = [spoken[index - 1][2]] if index and heard.ms - start < EDGE_MS else []
        near += [spoken[index + 1][2]] if index + 1 < len(spoken) and end - heard.ms < EDGE_MS else []
        if heard.word == word:
            right += 1
        elif heard.word in near:
            edge += 1
    return right, edge, judged
