import subprocess

import numpy as np
import pytest

from compute_worker.audio.activity import find_activity
from compute_worker.audio.encoder import DELAY_SAMPLES
from compute_worker.audio.loudness import integrated_loudness
from compute_worker.audio.media_tool import bundled_media_bin
from compute_worker.audio.pcm import Samples
from compute_worker.speech.builtin import BuiltinProvider
from compute_worker.speech.model import FRAME_BYTES, FRAME_MS, SpeechRequest, SynthesizedAudio
from compute_worker.speech.synthesizer import SegmentSynthesizer
from compute_worker.speech.words import spoken_words
from shared.errors import LecternError

PAUSED = "Two. Ten. Bad. Go. Top. Kick. Dog. Book."


def decode(frames: bytes) -> Samples:
    command = [bundled_media_bin(), "-v", "error", "-f", "mp3", "-i", "pipe:0", "-f", "f32le", "pipe:1"]
    return np.frombuffer(subprocess.run(command, input=frames, capture_output=True, check=True).stdout, "<f4")


class Wordless:
    """A provider without word times, as nearly all are: the built-in voice, its times withheld."""

    def __init__(self, *, inner: BuiltinProvider, bodies: list[bytes] | None = None) -> None:
        self._inner = inner
        self._bodies = bodies or []
        self.calls = 0

    async def synthesize(self, request: SpeechRequest) -> SynthesizedAudio:
        self.calls += 1
        if self._bodies:
            return SynthesizedAudio(self._bodies.pop(0))
        return SynthesizedAudio((await self._inner.synthesize(request)).body)


async def test_a_word_is_heard_when_its_time_says_so(
    builtin: BuiltinProvider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    segment = await synthesizer.speak(builtin, request_for(PAUSED))
    assert segment.exact
    activity = find_activity(decode(segment.frames))
    for word in segment.words[1:]:
        # Silence before each word: the first sound after it is the word's onset.
        heard, _ = activity.tighten(word.start_ms - 60, word.end_ms)
        assert word.start_ms == pytest.approx(heard, abs=30)


async def test_speech_begins_at_the_fixed_margin_and_at_the_streams_loudness(
    builtin: BuiltinProvider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    segment = await synthesizer.speak(builtin, request_for("The quick brown fox jumps over the lazy dog."))
    assert len(segment.frames) == segment.frame_count * FRAME_BYTES
    assert segment.words[0].start_ms == round(DELAY_SAMPLES / 24 + 20)
    decoded = decode(segment.frames)
    assert integrated_loudness(decoded) == pytest.approx(-19, abs=1)
    assert float(np.max(np.abs(decoded))) < 1.0


@pytest.mark.parametrize("native_speed", [0.5, 1.0, 2.0])
async def test_every_word_has_a_time_in_order_and_inside_the_segment(
    native_speed: float, builtin: BuiltinProvider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    text = "Mr. Smith paid $3.50 for 42 apples — AT&T didn’t; that’s “well-known”, e.g. in 1999."
    for provider in (builtin, Wordless(inner=builtin)):
        segment = await synthesizer.speak(provider, request_for(text, native_speed=native_speed))
        assert tuple((word.char_start, word.char_end) for word in segment.words) == spoken_words(text)
        previous = 0
        for word in segment.words:
            assert previous <= word.start_ms <= word.end_ms <= segment.frame_count * FRAME_MS
            previous = word.end_ms


async def test_estimated_times_are_close_to_the_measured_ones(
    builtin: BuiltinProvider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    text = "When the sun had set, we walked home along the river; nobody spoke, and the night was very still."
    measured = await synthesizer.speak(builtin, request_for(text))
    estimated = await synthesizer.speak(Wordless(inner=builtin), request_for(text))
    assert measured.exact
    assert not estimated.exact
    errors = [abs(a.start_ms - b.start_ms) for a, b in zip(measured.words, estimated.words, strict=True)]
    assert np.mean(errors) < 100
    assert max(errors) < 350


@pytest.mark.parametrize("text", ["", "…", "— ?!", "   "])
async def test_nothing_to_say_is_an_error_before_anybody_is_asked(
    text: str, builtin: BuiltinProvider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    provider = Wordless(inner=builtin)
    with pytest.raises(LecternError) as caught:
        await synthesizer.speak(provider, request_for(text))
    assert caught.value.reason == "NOTHING_TO_SAY"
    assert provider.calls == 0


async def test_bad_audio_is_asked_for_once_more(
    builtin: BuiltinProvider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    provider = Wordless(inner=builtin, bodies=[b""])
    assert (await synthesizer.speak(provider, request_for(PAUSED))).frames
    assert provider.calls == 2


async def test_audio_that_stays_bad_is_an_error(
    builtin: BuiltinProvider, synthesizer: SegmentSynthesizer, request_for
) -> None:
    short = (await builtin.synthesize(request_for("Two."))).body
    provider = Wordless(inner=builtin, bodies=[short, short, short])
    with pytest.raises(LecternError) as caught:
        await synthesizer.speak(provider, request_for(PAUSED * 5))
    assert caught.value.reason == "AUDIO_TOO_SHORT"
    assert caught.value.retryable
    assert provider.calls == 2
