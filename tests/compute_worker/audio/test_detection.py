from collections.abc import Callable, Sequence

import numpy as np
import pytest

from compute_worker.audio.detection import AudioKind, detect
from compute_worker.audio.encoder import encode_frames
from compute_worker.audio.pcm import Samples

Convert = Callable[[Samples, Sequence[str]], bytes]


@pytest.mark.parametrize("name", ["mp3", "ogg", "flac", "adts", "webm", "aiff"])
def test_encoded_formats_are_for_the_media_tool(name: str, convert: Convert, speech_like: Samples) -> None:
    assert detect(convert(speech_like, ("-f", name))) is AudioKind.ENCODED


def test_our_own_frames_are_recognized_without_a_tag(speech_like: Samples) -> None:
    assert detect(encode_frames(speech_like)) is AudioKind.ENCODED


def test_wav_and_raw_pcm_are_told_apart(convert: Convert, speech_like: Samples) -> None:
    assert detect(convert(speech_like, ("-f", "wav"))) is AudioKind.WAV
    assert detect(convert(speech_like, ("-f", "s16le"))) is AudioKind.RAW_PCM


def test_raw_pcm_that_begins_like_a_frame_is_still_pcm(speech_like: Samples) -> None:
    pcm = (speech_like * 32767).astype("<i2")
    for beginning in (b"\xff\xfb\x90\x00", b"\xff\xf1\x50\x80", b"\xff\xff\xff\xff"):
        assert detect(beginning + pcm.tobytes()) is AudioKind.RAW_PCM


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "no such voice"}}',
        b"<!doctype html><title>502</title>",
        b"Internal Server Error",
        "Zu viele Anfragen, bitte später.".encode() * 40,
    ],
)
def test_an_error_page_with_status_200_is_text(body: bytes) -> None:
    assert detect(body) is AudioKind.TEXT


def test_nothing_is_empty_and_noise_is_not_pcm() -> None:
    assert detect(b"") is AudioKind.EMPTY
    assert detect(np.random.default_rng(1).bytes(50_000)) is AudioKind.ENCODED
    assert detect(bytes(48_000)) is AudioKind.RAW_PCM
