"""From a text to a segment of the stream: asks a provider, normalizes, encodes, places the words."""

import asyncio
from collections.abc import Sequence

from compute_worker.audio.encoder import DELAY_SAMPLES, encode_frames, encoded_pieces
from compute_worker.audio.normalizer import AudioNormalizer, NormalizedAudio
from compute_worker.speech.length_check import check_length
from compute_worker.speech.model import (
    FRAME_BYTES,
    FRAME_MS,
    SAMPLE_RATE,
    SpeechRequest,
    SpokenSegment,
    SynthesizedAudio,
    WordTime,
)
from compute_worker.speech.ports import OnFirstFrames, SpeechProvider
from compute_worker.speech.words import are_plausible, proportional_times, spoken_words
from shared.errors import Code, LecternError

_DELAY_MS = DELAY_SAMPLES * 1000 / SAMPLE_RATE
_BAD_AUDIO = ("AUDIO_EMPTY", "AUDIO_UNDECODABLE", "AUDIO_TOO_SHORT", "AUDIO_TOO_LONG")


class SegmentSynthesizer:
    """Bad audio is a failed attempt: it is asked for once more, then it is an error."""

    def __init__(self, *, normalizer: AudioNormalizer) -> None:
        self._normalizer = normalizer

    async def speak(
        self, provider: SpeechProvider, request: SpeechRequest, on_first_frames: OnFirstFrames | None = None
    ) -> SpokenSegment:
        if not spoken_words(request.text):
            raise nothing_to_say()
        try:
            audio, normalized = await self._attempt(provider, request)
        except LecternError as error:
            if error.reason not in _BAD_AUDIO:
                raise
            audio, normalized = await self._attempt(provider, request)
        pieces = encoded_pieces(normalized.samples)
        first = await asyncio.to_thread(next, pieces)
        if on_first_frames is not None:
            await on_first_frames(first)
        return await asyncio.to_thread(
            lambda: _segment(request.text, audio, normalized, first + next(pieces))
        )

    async def _attempt(
        self, provider: SpeechProvider, request: SpeechRequest
    ) -> tuple[SynthesizedAudio, NormalizedAudio]:
        audio = await provider.synthesize(request)
        try:
            normalized = await self._normalizer.normalize(audio.body)
        except LecternError as error:
            if error.reason == "AUDIO_EMPTY" and audio.words is not None:
                raise nothing_to_say() from error  # a voice that tells its words has none for this script
            raise
        if audio.words is None:  # word times vouch for the audio better than its length does
            start_ms, end_ms = normalized.speech_ms
            check_length(request.text, (end_ms - start_ms) / 1000, request.native_speed)
        return audio, normalized


def nothing_to_say() -> LecternError:
    return LecternError(Code.INVALID_ARGUMENT, "This voice has nothing to say here.", reason="NOTHING_TO_SAY")


def make_segment(text: str, audio: SynthesizedAudio, normalized: NormalizedAudio) -> SpokenSegment:
    return _segment(text, audio, normalized, encode_frames(normalized.samples))


def _segment(text: str, audio: SynthesizedAudio, normalized: NormalizedAudio, frames: bytes) -> SpokenSegment:
    duration_ms = len(normalized.samples) * 1000 / SAMPLE_RATE
    exact = audio.words is not None and are_plausible(audio.words, text, duration_ms - normalized.offset_ms)
    times: Sequence[WordTime] = (
        _measured(audio.words, normalized)
        if exact and audio.words is not None
        else proportional_times(text, normalized.activity)
    )
    return SpokenSegment(frames, as_heard(times, frames), exact, samples=normalized.samples)


def as_heard(words: Sequence[WordTime], frames: bytes) -> tuple[WordTime, ...]:
    """Times in the encoded samples as times in the stream, in order and without overlaps."""
    limit_ms = len(frames) // FRAME_BYTES * FRAME_MS
    times: list[WordTime] = []
    previous_end = 0
    for word in words:
        start = min(max(round(word.start_ms + _DELAY_MS), previous_end), limit_ms)
        end = min(max(round(word.end_ms + _DELAY_MS), start), limit_ms)
        times.append(WordTime(start, end, word.char_start, word.char_end))
        previous_end = end
    return tuple(times)


def _measured(words: Sequence[WordTime], normalized: NormalizedAudio) -> list[WordTime]:
    """On the normalized audio's time line, without the silence at a word's ends."""
    earliest, latest = normalized.speech_ms
    times = []
    for word in words:
        start = min(max(word.start_ms + normalized.offset_ms, earliest), latest)
        end = min(max(word.end_ms + normalized.offset_ms, start), latest)
        start, end = normalized.activity.tighten(start, end)
        times.append(WordTime(round(start), round(end), word.char_start, word.char_end))
    return times
