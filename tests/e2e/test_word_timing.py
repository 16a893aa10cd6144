"""A provider that gives no word times: what is lit is what is heard, by the synthesizer's own account."""

import bisect
import re
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from itertools import count, groupby, pairwise, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soxr
from e2e.browser import Person
from e2e.listening import QUIET_SHARE, SAMPLE_RATE, decoded
from playwright.sync_api import Browser
from voices import festival
from voices.festival import FestivalVoice, say_with_festival
from voices.timed_speech import TimedSpeech

from bench.alignment.texts import ENGLISH
from compute_worker.speech.model import FRAME_MS
from servers.lectern import LecternInstance, lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started

pytestmark = pytest.mark.e2e

VOICE = festival.ENGLISH[0]  # the first in the server's list is what a newcomer hears
SEGMENTS = 8
SHARE_RIGHT = 0.95
LEAST_MOMENTS = 4_000
STEP_MS = 5
HALF_FRAME_MS = 8  # what a screen shows is seen for 17 ms: it is to be right in the middle of them
LATE_MS = 150  # a frame of a busy machine may show what was lit so long ago
LEAST_FRAMES = 100
PLACE = re.compile(r"from=\d+&at=\d+")

# Everything that the page is told of segments, as it is told.
KEEP_EVENTS = """() => {
  const plain = window.fetch;
  window.told = [];
  window.fetch = async (...request) => {
    const answer = await plain(...request);
    if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) return answer;
    const [own, page] = answer.body.tee();
    (async () => {
      const lines = own.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ; ) {
        const { done, value } = await lines.read().catch(() => ({ done: true }));
        if (done) return;
        const parts = (rest + value).split("\\n");
        rest = parts.pop();
        for (const line of parts) if (line.startsWith("data:")) window.told.push(JSON.parse(line.slice(5)));
      }
    })();
    return new Response(page, answer);
  };
}"""
# Every frame of the screen in which sound plays, after the page has lit what sounds.
WATCH = """() => {
  const audio = document.querySelector("audio");
  const reader = document.querySelector("lectern-reader");
  window.framesSeen = [];
  window.seeks = 0;
  audio.addEventListener("seeking", () => (window.seeks += 1));
  const look = () => {
    const word = [...(CSS.highlights.get("spoken-word") ?? [])].map((range) => range.toString()).join("");
    if (word && audio.currentTime > 0 && reader.dataset.state === "playing")
      window.framesSeen.push([audio.currentTime * 1000, word, audio.currentSrc]);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
# What the page lights at moments of the stream: the segment and the word's characters in it.
LIT_AT = """async ([events, moments]) => {
  const { SegmentTimes, StreamTimeline, wordIndexAt } = await import("/ui/model/timeline.js");
  const times = new SegmentTimes();
  for (const event of events) times.add(event);
  const timeline = new StreamTimeline(times, { ordinal: 0 });
  return moments.map((moment) => {
    const { ordinal, ms } = timeline.locate(moment);
    const words = times.get(ordinal)?.words ?? [];
    const word = words[wordIndexAt(words, ms)];
    return word ? [ordinal, word[2], word[3]] : null;
  });
}"""


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
    # Festival says what stands before and after these signs apart, which changes the times.
    sentences = [text for text in ENGLISH if not any(sign in text[:-1] for sign in ".?;:")]
    book = tmp_path / "Festival.txt"
    book.write_text("\n\n".join(sentences), encoding="utf-8")
    context = browser.new_context()
    context.add_init_script(f"({KEEP_EVENTS})()")
    person = Person(context, instance.base_url)
    person.sign_up()
    person.upload(book)
    person.open("Festival")
    person.play()
    person.page.evaluate(WATCH)
    person.until(lambda heard: heard.word)  # measured, not estimated: those are never lit
    heard = person.until(lambda _: len(exact_segments(person)) >= SEGMENTS, seconds=90)
    person.until(lambda _: person.page.evaluate("window.framesSeen.length") >= LEAST_FRAMES)
    events = exact_segments(person)[:SEGMENTS]
    length_ms = sum(event["frames"] + event["pauseFrames"] for event in events) * FRAME_MS
    # From the first word on, also when a slow connection was begun anew.
    with urllib.request.urlopen(PLACE.sub("from=0&at=0", heard.src)) as stream:
        samples = decoded(stream.read(length_ms * 8))
    spoken = spoken_words(samples, sentences[:SEGMENTS])
    assert spoken[-1][2] == sentences[SEGMENTS - 1].rpartition(" ")[2].strip(".")

    # The page's own arithmetic, however few frames the machine has time for.
    moments = np.arange(0, spoken[-1][1], STEP_MS).tolist()
    found = person.page.evaluate(LIT_AT, [events, moments])
    lit = [sentences[one[0]][one[1] : one[2]] if one else "" for one in found]
    right, judged = judge(moments, lit, spoken, is_quiet(samples, moments))
    print(f"\n{right / judged:.2%} of {judged} moments right")
    assert judged >= LEAST_MOMENTS
    assert right / judged >= SHARE_RIGHT
    # And that is what is seen.
    seen = person.page.evaluate("window.framesSeen")
    frames = [(ms, word) for ms, word, src in seen if is_whole(src) and ms + HALF_FRAME_MS < spoken[-1][1]]
    for ms, word in frames:
        first, last = (int((ms + HALF_FRAME_MS + apart) / STEP_MS) for apart in (-LATE_MS, STEP_MS))
        assert word in lit[max(0, first) : last + 1], ms
    # The times that were measured came after the sound, changed nothing of it, and it went on as it was.
    assert any(comes_twice(person, event) for event in events)
    assert person.page.evaluate("window.seeks") == 0
    for _, of_stream in groupby(seen, key=lambda frame: frame[2]):
        places = [ms for ms, _, _ in of_stream]
        assert all(later >= before - STEP_MS for before, later in pairwise(places))
    context.close()


def comes_twice(person: Person, measured: dict[str, Any]) -> bool:
    """Whether it was told with estimates first, of the same sound."""
    told = person.page.evaluate("window.told.filter((event) => event.frames)")
    own = [event for event in told if event["ordinal"] == measured["ordinal"]]
    lengths = {(event["frames"], event["pauseFrames"]) for event in own}
    assert lengths == {(measured["frames"], measured["pauseFrames"])}
    return not own[0].get("exact")


def is_whole(src: str) -> bool:
    """Whether its moments are counted from the first word on."""
    return "from=0&at=0" in src


def exact_segments(person: Person) -> list[dict[str, Any]]:
    """The first ones, without a gap, whose words were measured."""
    told = {event["ordinal"]: event for event in person.page.evaluate("window.told") if event.get("exact")}
    return [told[ordinal] for ordinal in takewhile(told.__contains__, count())]


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


def is_quiet(samples: np.ndarray, moments: Sequence[float]) -> list[bool]:
    """Whether nothing sounds in the step that begins with each moment."""
    loudest = float(np.abs(samples).max())
    starts = [round(moment * SAMPLE_RATE / 1000) for moment in moments]
    steps = (samples[start : start + STEP_MS * SAMPLE_RATE // 1000] for start in starts)
    return [float(np.sqrt(np.mean(step**2))) < QUIET_SHARE * loudest for step in steps]


def judge(
    moments: Sequence[float],
    lit: Sequence[str],
    spoken: Sequence[tuple[float, float, str]],
    quiet: Sequence[bool],
) -> tuple[int, int]:
    """How many moments are right, of how many. At a moment of sound the spoken word is the one in whose time
    it lies, to the millisecond. Where it is quiet from one word to the next, as in a pause and before the
    release of a "p" or "t", no word is spoken: moments that show either word or none are not counted at all,
    and those that show another one are wrong."""
    starts = [start for start, _, _ in spoken]
    inside = [max(0, bisect.bisect_right(starts, moment) - 1) for moment in moments]
    is_still = [
        is_quiet or not spoken[word][0] <= moment < spoken[word][1]
        for moment, word, is_quiet in zip(moments, inside, quiet, strict=True)
    ]
    right = judged = 0
    for still, group in groupby(range(len(moments)), key=is_still.__getitem__):
        run = list(group)
        begin, end = moments[run[0]] - STEP_MS, moments[run[-1]] + 2 * STEP_MS
        around = [word for start, stop, word in spoken if start < end and stop > begin]
        if still and (len(around) > 1 or end <= starts[0] + 2 * STEP_MS):
            judged += sum(lit[at] not in ("", *around) for at in run)
        else:
            judged += len(run)
            right += sum(lit[at] == spoken[inside[at]][2] for at in run)
    return right, judged
