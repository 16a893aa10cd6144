"""What happens to speech on its way: noise, rooms, codecs, pauses, another tempo. Word times follow along."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import imageio_ffmpeg
import numpy as np
from voices.timed_speech import TimedSpeech, TimedWord

from compute_worker.audio.pcm import Samples

Degrade = Callable[[TimedSpeech, np.random.Generator], TimedSpeech]


@dataclass(frozen=True)
class Degradation:
    name: str
    apply: Degrade


def noisy(signal_to_noise_db: float) -> Degrade:
    """Pink noise, as rooms and fans make it, against the level of the speech."""

    def apply(speech: TimedSpeech, source: np.random.Generator) -> TimedSpeech:
        count = len(speech.samples)
        spectrum = np.fft.rfft(source.standard_normal(count))
        spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), 20))
        noise = np.fft.irfft(spectrum, count)
        loud = np.abs(speech.samples) > 0.02 * np.abs(speech.samples).max()
        level = np.sqrt(np.mean(speech.samples[loud] ** 2)) * 10 ** (-signal_to_noise_db / 20)
        return _with(speech, speech.samples + noise * level / np.sqrt(np.mean(noise**2)))

    return apply


def reverberant(seconds: float, direct_share: float) -> Degrade:
    """A room as direct sound followed by decaying noise; `seconds` is the time of a decay by 60 dB."""

    def apply(speech: TimedSpeech, source: np.random.Generator) -> TimedSpeech:
        count = int(seconds * speech.sample_rate)
        tail = source.standard_normal(count) * 10 ** (-3 * np.arange(count) / count)
        tail[: int(0.005 * speech.sample_rate)] = 0
        tail *= np.sqrt((1 - direct_share) / direct_share / np.sum(tail**2))
        tail[0] = 1.0
        size = len(speech.samples) + count
        wet = np.fft.irfft(np.fft.rfft(speech.samples, size) * np.fft.rfft(tail, size), size)
        return _with(speech, wet)

    return apply


def coded(*encoder: str) -> Degrade:
    """Through an encoder and back; what the decoder leaves in front of the sound is taken off again."""

    def apply(speech: TimedSpeech, source: np.random.Generator) -> TimedSpeech:
        raw = ("-f", "f32le", "-ac", "1", "-ar", str(speech.sample_rate))
        encoded = _media(*raw, "-i", "pipe:0", *encoder, "pipe:1", body=speech.samples.tobytes())
        samples = np.frombuffer(_media("-i", "pipe:0", *raw, "pipe:1", body=encoded), dtype="<f4")
        return _with(speech, _shifted(samples, speech.samples))

    return apply


def at_tempo(factor: float) -> Degrade:
    def apply(speech: TimedSpeech, source: np.random.Generator) -> TimedSpeech:
        raw = ("-f", "f32le", "-ac", "1", "-ar", str(speech.sample_rate))
        body = speech.samples.tobytes()
        sped = _media(*raw, "-i", "pipe:0", "-af", f"atempo={factor}", *raw, "pipe:1", body=body)
        words = [_moved(word, word.start_ms / factor, word.end_ms / factor) for word in speech.words]
        return _with(speech, np.frombuffer(sped, dtype="<f4"), words)

    return apply


def hesitant(pauses: int, longest_seconds: float) -> Degrade:
    """Silence put between words where a reader hesitates: true silence, of lengths from 0.2 s on."""

    def apply(speech: TimedSpeech, source: np.random.Generator) -> TimedSpeech:
        gaps = [index for index in range(1, len(speech.words)) if _touch(speech, index)]
        chosen = sorted(source.choice(gaps, size=min(pauses, len(gaps)), replace=False).tolist())
        pieces, words, cut, added = [], list(speech.words), 0, 0.0
        for number, index in enumerate(chosen):
            place_ms = speech.words[index].start_ms
            place = round(place_ms * speech.sample_rate / 1000)
            silence = np.zeros(int(source.uniform(0.2, longest_seconds) * speech.sample_rate))
            pieces += [speech.samples[cut:place], silence]
            cut, added = place, added + len(silence) * 1000 / speech.sample_rate
            until = chosen[number + 1] if number + 1 < len(chosen) else len(words)
            for later in range(index, until):
                word = speech.words[later]
                words[later] = _moved(word, word.start_ms + added, word.end_ms + added)
        return _with(speech, np.concatenate((*pieces, speech.samples[cut:])), words)

    return apply


DEGRADATIONS = (
    Degradation("noise 20 dB", noisy(20)),
    Degradation("noise 10 dB", noisy(10)),
    Degradation("room 0.4 s", reverberant(0.4, 0.6)),
    Degradation("room 0.8 s", reverberant(0.8, 0.5)),
    Degradation("mp3 32 kbit/s", coded("-c:a", "libmp3lame", "-b:a", "32k", "-f", "mp3")),
    Degradation("opus 16 kbit/s", coded("-c:a", "libopus", "-b:a", "16k", "-f", "ogg")),
    Degradation("inserted silences", hesitant(4, 1.5)),
    Degradation("tempo 0.7", at_tempo(0.7)),
    Degradation("tempo 1.25", at_tempo(1.25)),
    Degradation("tempo 1.5", at_tempo(1.5)),
)


def _touch(speech: TimedSpeech, index: int) -> bool:
    return abs(speech.words[index].start_ms - speech.words[index - 1].end_ms) < 1


def _shifted(samples: Samples, original: Samples) -> Samples:
    """Moved to where it fits the original best, at most 100 ms."""
    count = min(len(samples), len(original))
    size = 1 << (2 * count).bit_length()
    spectra = np.fft.rfft(samples[:count], size) * np.conj(np.fft.rfft(original[:count], size))
    correlation = np.fft.irfft(spectra, size)
    furthest = min(5000, count - 1)
    lags = np.concatenate((np.arange(furthest), np.arange(-furthest, 0)))
    lag = int(lags[np.argmax(correlation[lags])])
    return samples[lag:] if lag >= 0 else np.concatenate((np.zeros(-lag, dtype=samples.dtype), samples))


def _moved(word: TimedWord, start_ms: float, end_ms: float) -> TimedWord:
    return replace(word, start_ms=start_ms, end_ms=end_ms)


def _with(speech: TimedSpeech, samples: np.ndarray, words: Sequence[TimedWord] | None = None) -> TimedSpeech:
    peak = max(1.0, float(np.abs(samples).max()))
    level = (samples / peak).astype(np.float32)
    return replace(speech, samples=level, words=tuple(words) if words is not None else speech.words)


def _media(*arguments: str, body: bytes) -> bytes:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *arguments]
    return subprocess.run(command, input=body, capture_output=True, check=True).stdout
