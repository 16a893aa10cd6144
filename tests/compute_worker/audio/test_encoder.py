from collections.abc import Callable

import numpy as np
import pytest

from compute_worker.audio import lame
from compute_worker.audio.encoder import DELAY_SAMPLES, encode_frames, encoded_pieces, silent_frames
from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import FRAME_BYTES, FRAME_SAMPLES

Decode = Callable[[bytes], Samples]


def chirp(seed: int) -> Samples:
    """A click, then noise: its length and content differ with the seed, its onset is one sample."""
    rng = np.random.default_rng(seed)
    length = int(rng.integers(2_000, 9_000))
    samples = (0.05 * rng.standard_normal(length)).astype(np.float32)
    samples[:1200] = 0
    samples[0] = 0.95
    return samples


def frame_count(frames: bytes) -> int:
    assert len(frames) % FRAME_BYTES == 0
    return len(frames) // FRAME_BYTES


def test_each_frame_is_24_khz_mono_mp3_of_192_bytes_that_borrows_nothing() -> None:
    frames = encode_frames(chirp(1))
    for start in range(0, len(frames), FRAME_BYTES):
        assert frames[start : start + 4].hex() == "fff384c4"
        assert frames[start + 4] == 0, "main_data_begin: bytes borrowed from an earlier frame"


def test_there_are_no_tags_and_encoding_is_deterministic() -> None:
    frames = encode_frames(chirp(2))
    assert b"Xing" not in frames
    assert b"Info" not in frames
    assert not frames.startswith(b"ID3")
    assert frames == encode_frames(chirp(2))


def test_the_frames_hold_everything_and_no_more_than_needed(decode_stream: Decode) -> None:
    for length in (1, 575, 576, FRAME_SAMPLES * 3 - DELAY_SAMPLES, FRAME_SAMPLES * 3 - DELAY_SAMPLES + 1):
        samples = np.full(length, 0.3, dtype=np.float32)
        frames = encode_frames(samples)
        assert frame_count(frames) == -(-(length + DELAY_SAMPLES) // FRAME_SAMPLES)
        assert len(decode_stream(frames + silent_frames(2))) >= length + DELAY_SAMPLES


def test_speech_starts_1105_samples_after_its_slot_in_every_position_of_a_joined_stream(
    decode_stream: Decode,
) -> None:
    segments = [encode_frames(chirp(seed)) for seed in range(250)]
    stream, slots = bytearray(), []
    for number, frames in enumerate(segments):
        slots.append(len(stream) // FRAME_BYTES * FRAME_SAMPLES)
        stream += frames + silent_frames(number % 4)
    decoded = decode_stream(bytes(stream))
    assert len(decoded) == len(stream) // FRAME_BYTES * FRAME_SAMPLES
    for slot in slots:
        around = np.abs(decoded[slot + DELAY_SAMPLES - 300 : slot + DELAY_SAMPLES + 300])
        assert int(np.argmax(around)) == 300


def test_a_segment_sounds_the_same_wherever_it_stands(decode_stream: Decode) -> None:
    frames, others = encode_frames(chirp(3)), [encode_frames(chirp(seed)) for seed in (4, 5, 6)]
    length = frame_count(frames) * FRAME_SAMPLES
    alone = decode_stream(frames)
    stream = b"".join(other + frames + silent_frames(1) for other in others)
    decoded = decode_stream(stream)
    position = 0
    for other in others:
        position += frame_count(other) * FRAME_SAMPLES
        here = decoded[position : position + length]
        assert float(np.max(np.abs(here[DELAY_SAMPLES:] - alone[DELAY_SAMPLES:]))) < 2e-4
        position += length + FRAME_SAMPLES


def test_silent_frames_are_silent_between_segments(decode_stream: Decode) -> None:
    frames = encode_frames(chirp(7))
    decoded = decode_stream(frames + silent_frames(10) + frames)
    quiet_from = (frame_count(frames) + 2) * FRAME_SAMPLES  # this segment ends in full voice
    assert float(np.max(np.abs(decoded[quiet_from : quiet_from + 8 * FRAME_SAMPLES]))) < 1e-4
    assert silent_frames(0) == b""


@pytest.mark.parametrize("samples", [0, 1000, 11_520, 60_000])
def test_frames_are_the_same_in_two_pieces_as_in_one(samples: int) -> None:
    speech = np.resize(chirp(9), samples)
    with lame.Encoder() as encoder:
        whole = encoder.encode(np.append(speech, np.zeros(4 * FRAME_SAMPLES, np.float32)))
    frames = b"".join(encoded_pieces(speech))
    assert whole[: len(frames)] == frames
