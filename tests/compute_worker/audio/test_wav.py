import struct

import numpy as np
import pytest

from compute_worker.audio.pcm import Samples
from compute_worker.audio.wav import is_wav, parse_wav, write_wav

WAVE = (1000 * np.sin(np.arange(2400) / 20)).astype("<i2")
EXPECTED = WAVE.astype(np.float32) / 32768


def samples_of(body: bytes) -> Samples:
    pcm = parse_wav(body)
    assert pcm is not None
    return pcm.samples


def with_data_size(body: bytes, size: int) -> bytes:
    return body[:40] + struct.pack("<I", size) + body[44:]


def wav(data: bytes, *, tag: int = 1, channels: int = 1, rate: int = 24_000, bits: int = 16) -> bytes:
    block = channels * bits // 8
    layout = struct.pack("<HHIIHH", tag, channels, rate, rate * block, block, bits)
    chunks = b"fmt " + struct.pack("<I", 16) + layout + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def test_what_is_written_is_read_back() -> None:
    body = write_wav(WAVE.tobytes(), 22_050)
    assert is_wav(body)
    pcm = parse_wav(body)
    assert pcm is not None
    assert pcm.sample_rate == 22_050
    np.testing.assert_array_equal(pcm.samples, EXPECTED)


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF, 0x7FFFFFFF, 10_000_000, 100])
def test_a_data_size_that_is_wrong_does_not_lose_sound(size: int) -> None:
    body = with_data_size(write_wav(WAVE.tobytes(), 24_000), size)
    np.testing.assert_array_equal(samples_of(body), EXPECTED)


def test_chunks_after_the_sound_are_not_sound() -> None:
    body = write_wav(WAVE.tobytes(), 24_000) + b"LIST" + struct.pack("<I", 4) + b"INFO"
    np.testing.assert_array_equal(samples_of(body), EXPECTED)


def test_files_sent_back_to_back_are_one_recording() -> None:
    body = write_wav(WAVE.tobytes(), 24_000)
    np.testing.assert_array_equal(samples_of(body * 3), np.tile(EXPECTED, 3))


def test_half_a_sample_at_the_end_is_dropped() -> None:
    np.testing.assert_array_equal(samples_of(write_wav(WAVE.tobytes(), 24_000)[:-1]), EXPECTED[:-1])


@pytest.mark.parametrize(
    ("tag", "bits", "data"),
    [
        (1, 8, ((WAVE >> 8) + 128).astype(np.uint8).tobytes()),
        (1, 24, (WAVE.astype("<i4") << 8).view(np.uint8).reshape(-1, 4)[:, :3].tobytes()),
        (1, 32, (WAVE.astype("<i4") << 16).tobytes()),
        (3, 32, (WAVE / 32768).astype("<f4").tobytes()),
        (3, 64, (WAVE / 32768).astype("<f8").tobytes()),
    ],
)
def test_every_width_of_sample_is_read(tag: int, bits: int, data: bytes) -> None:
    np.testing.assert_allclose(samples_of(wav(data, tag=tag, bits=bits)), EXPECTED, atol=1 / 120)


def test_stereo_is_mixed() -> None:
    stereo = np.stack((WAVE, -WAVE), axis=1).tobytes()
    assert not np.any(samples_of(wav(stereo, channels=2)))


@pytest.mark.parametrize(
    "body",
    [
        wav(WAVE.tobytes(), tag=6, bits=8),  # A-law is for the media tool
        wav(WAVE.tobytes(), rate=0),
        wav(WAVE.tobytes(), channels=0),
        b"RIFF\0\0\0\0WAVE",
        b"RIFF\0\0\0\0WAVEdata\xff\xff\xff\xff12345678",
    ],
)
def test_what_is_not_plain_pcm_is_left_to_the_media_tool(body: bytes) -> None:
    assert parse_wav(body) is None
