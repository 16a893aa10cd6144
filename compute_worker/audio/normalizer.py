"""From whatever a provider sent to speech of one rate, level and margin."""

import asyncio
from dataclasses import dataclass, field

import numpy as np

from compute_worker.audio.activity import Activity, find_activity
from compute_worker.audio.detection import AudioKind, detect
from compute_worker.audio.loudness import normalize_loudness
from compute_worker.audio.media_tool import MediaTool
from compute_worker.audio.pcm import Samples, from_s16
from compute_worker.audio.wav import parse_wav
from compute_worker.speech.model import SAMPLE_RATE
from shared.errors import Code, LecternError

LEAD_SAMPLES = SAMPLE_RATE * 20 // 1000
TRAIL_SAMPLES = SAMPLE_RATE * 60 // 1000
_FADE_SAMPLES = SAMPLE_RATE * 4 // 1000  # a cut through background noise must not click


@dataclass(frozen=True)
class NormalizedAudio:
    """Speech begins LEAD_SAMPLES after the start and ends TRAIL_SAMPLES before the end.

    offset_ms is what to add to a time in the provider's audio to get the time in these samples.
    """

    samples: Samples = field(repr=False)
    activity: Activity
    offset_ms: float

    @property
    def speech_ms(self) -> tuple[float, float]:
        end = len(self.samples) - TRAIL_SAMPLES
        return LEAD_SAMPLES * 1000 / SAMPLE_RATE, end * 1000 / SAMPLE_RATE


class AudioNormalizer:
    def __init__(self, *, media_tool: MediaTool) -> None:
        self._media_tool = media_tool

    async def normalize(self, body: bytes) -> NormalizedAudio:
        kind = detect(body)
        if kind is AudioKind.EMPTY:
            raise _failure("The speech provider's answer was empty.", "AUDIO_EMPTY")
        if kind is AudioKind.TEXT:
            raise _failure("The speech provider answered with text instead of audio.", "AUDIO_UNDECODABLE")
        if plain := await asyncio.to_thread(_normalize_plain, kind, body):
            return plain
        samples = await self._media_tool.decode(body)
        if not len(samples):
            raise _failure("The speech provider's audio could not be decoded.", "AUDIO_UNDECODABLE")
        return await asyncio.to_thread(normalize_samples, samples)


def _normalize_plain(kind: AudioKind, body: bytes) -> NormalizedAudio | None:
    """What needs no process to decode it."""
    if kind is AudioKind.RAW_PCM:
        return normalize_samples(from_s16(body))
    if kind is AudioKind.WAV and (pcm := parse_wav(body)):
        return normalize_samples(pcm.at_stream_rate())
    return None


def normalize_samples(samples: Samples) -> NormalizedAudio:
    activity = find_activity(samples)
    if (bounds := activity.bounds) is None:
        raise _failure("The speech provider's audio was silent.", "AUDIO_EMPTY")
    start, end = bounds[0] - LEAD_SAMPLES, bounds[1] + TRAIL_SAMPLES
    level = normalize_loudness(_cut(samples, start, end))
    return NormalizedAudio(level, activity.cut(start, end), offset_ms=-start * 1000 / SAMPLE_RATE)


def _cut(samples: Samples, start: int, end: int) -> Samples:
    """The range, faded at both ends; what lies outside the recording is silence."""
    before, after = max(0, -start), max(0, end - len(samples))
    piece = samples[max(0, start) : min(end, len(samples))].astype(np.float32)
    fade = np.linspace(0, 1, min(_FADE_SAMPLES, len(piece) // 2), dtype=np.float32)
    if len(fade) and start > 0:
        piece[: len(fade)] *= fade
    if len(fade) and end < len(samples):
        piece[-len(fade) :] *= fade[::-1]
    return np.pad(piece, (before, after))


def _failure(message: str, reason: str) -> LecternError:
    return LecternError(Code.UNAVAILABLE, message, reason=reason, retryable=True)
