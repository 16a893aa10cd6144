from collections.abc import Callable, Sequence

import numpy as np
import pytest

from compute_worker.audio.activity import find_activity
from compute_worker.audio.encoder import encode_frames
from compute_worker.audio.loudness import integrated_loudness
from compute_worker.audio.media_tool import MediaTool
from compute_worker.audio.normalizer import LEAD_SAMPLES, TRAIL_SAMPLES, AudioNormalizer, normalize_samples
from compute_worker.audio.pcm import Samples
from shared.errors import LecternError

Convert = Callable[[Samples, Sequence[str]], bytes]

FORMATS = {
    "wav": ("-f", "wav"),
    "wav 44.1 kHz stereo": ("-ar", "44100", "-ac", "2", "-f", "wav"),
    "wav 8 kHz": ("-ar", "8000", "-f", "wav"),
    "wav 24 bit 48 kHz": ("-ar", "48000", "-c:a", "pcm_s24le", "-f", "wav"),
    "wav float": ("-c:a", "pcm_f32le", "-f", "wav"),
    "wav A-law": ("-ar", "8000", "-c:a", "pcm_alaw", "-f", "wav"),
    "mp3": ("-b:a", "64k", "-f", "mp3"),
    "mp3 without header": ("-b:a", "64k", "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3"),
    "ogg vorbis": ("-c:a", "libvorbis", "-f", "ogg"),
    "ogg opus": ("-c:a", "libopus", "-f", "ogg"),
    "webm opus": ("-c:a", "libopus", "-f", "webm"),
    "flac": ("-f", "flac"),
    "aac": ("-b:a", "96k", "-f", "adts"),
    "raw pcm": ("-f", "s16le"),
}


@pytest.fixture
def normalizer(media_tool: MediaTool) -> AudioNormalizer:
    return AudioNormalizer(media_tool=media_tool)


@pytest.mark.parametrize("name", FORMATS)
async def test_every_format_comes_out_at_one_loudness_and_with_one_margin(
    name: str, normalizer: AudioNormalizer, convert: Convert, speech_like: Samples
) -> None:
    quiet = speech_like * np.float32(0.2)
    normalized = await normalizer.normalize(convert(quiet, FORMATS[name]))
    assert integrated_loudness(normalized.samples) == pytest.approx(-19, abs=1)
    speech_start, speech_end = normalized.speech_ms
    assert speech_start == 20
    assert speech_end - speech_start == pytest.approx(2000, abs=40)
    assert -normalized.offset_ms == pytest.approx(480, abs=60)  # encoders add a delay of up to 50 ms


def test_margins_are_added_where_a_recording_has_none(speech_like: Samples) -> None:
    tight = speech_like[12_000:-12_000]
    normalized = normalize_samples(tight)
    assert not np.any(normalized.samples[:LEAD_SAMPLES])
    assert len(normalized.samples) == pytest.approx(len(tight) + LEAD_SAMPLES + TRAIL_SAMPLES, abs=240)
    assert normalized.offset_ms == pytest.approx(20, abs=5)


def test_a_noise_floor_and_a_constant_offset_are_trimmed_like_silence(speech_like: Samples) -> None:
    noise = 0.0003 * np.random.default_rng(3).standard_normal(len(speech_like))
    normalized = normalize_samples((speech_like + noise + 0.02).astype(np.float32))
    start, end = normalized.speech_ms
    assert end - start == pytest.approx(2000, abs=40)


def test_activity_knows_pauses_but_not_the_closure_of_a_stop(speech_like: Samples) -> None:
    voice = speech_like[12_000:-12_000]
    recording = np.concatenate((voice, np.zeros(960, np.float32), voice, np.zeros(7200, np.float32), voice))
    activity = find_activity(recording)
    assert activity.tighten(1990, 2060) == (1990, 2060)
    assert activity.tighten(3900, 4200) == (3900, 4040)
    assert activity.tighten(4200, 4500) == (4340, 4500)
    assert activity.tighten(4060, 4330) == (4060, 4330), "nothing but silence is left alone"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "AUDIO_EMPTY"),
        (bytes(48_000), "AUDIO_EMPTY"),
        (b'{"detail": "voice not found"}', "AUDIO_UNDECODABLE"),
        (b"<html>502 Bad Gateway</html>", "AUDIO_UNDECODABLE"),
        (np.random.default_rng(5).bytes(30_000), "AUDIO_UNDECODABLE"),
        (b"OggS" + bytes(2_000), "AUDIO_UNDECODABLE"),
        (b"RIFF\xff\xff\xff\xffWAVE", "AUDIO_UNDECODABLE"),
        (encode_frames(np.zeros(48_000, np.float32)), "AUDIO_EMPTY"),
    ],
)
async def test_bad_audio_is_named(body: bytes, reason: str, normalizer: AudioNormalizer) -> None:
    with pytest.raises(LecternError) as caught:
        await normalizer.normalize(body)
    assert caught.value.reason == reason
    assert caught.value.retryable


async def test_a_cut_transfer_yields_what_arrived(
    normalizer: AudioNormalizer, convert: Convert, speech_like: Samples
) -> None:
    body = convert(speech_like, FORMATS["mp3"])
    normalized = await normalizer.normalize(body[: len(body) * 6 // 10])
    start, end = normalized.speech_ms
    assert 1000 < end - start < 1600
