import numpy as np
import pytest
import soxr

from compute_worker.audio.loudness import integrated_loudness, normalize_loudness, true_peak
from compute_worker.audio.pcm import Samples

SINE = np.sin(2 * np.pi * 997 * np.arange(24_000 * 5) / 24_000).astype(np.float32)


@pytest.mark.parametrize("level_db", [-40.0, -23.0, -6.0])
def test_a_997_hz_sine_measures_what_the_recommendation_says(level_db: float) -> None:
    # BS.1770: a full-scale 997 Hz sine in one channel is -3.01 LUFS.
    measured = integrated_loudness(SINE * np.float32(10 ** (level_db / 20)))
    assert measured == pytest.approx(level_db - 3.01, abs=0.1)


def test_pauses_do_not_count() -> None:
    paused = np.concatenate((SINE, np.zeros(24_000 * 10, np.float32)))
    assert integrated_loudness(paused) == pytest.approx(integrated_loudness(SINE), abs=0.2)


def test_silence_has_no_loudness_and_stays_silent() -> None:
    silence = np.zeros(24_000, np.float32)
    assert integrated_loudness(silence) == float("-inf")
    assert integrated_loudness(silence[:0]) == float("-inf")
    np.testing.assert_array_equal(normalize_loudness(silence), silence)


def test_a_segment_shorter_than_a_block_is_measured_as_a_whole() -> None:
    assert integrated_loudness(SINE[:4800]) == pytest.approx(-3.01, abs=0.6)


def test_gain_is_limited_by_the_true_peak() -> None:
    clicks: Samples = (0.001 * SINE).copy()
    clicks[::12_000] = 0.5
    normalized = normalize_loudness(clicks)
    assert 20 * np.log10(true_peak(normalized)) == pytest.approx(-1.0, abs=0.1)


def test_a_peak_between_samples_is_found() -> None:
    quarter = np.sin(np.pi / 2 * np.arange(2400) + np.pi / 4).astype(
        np.float32
    )  # samples at 0.707 of the peak
    assert float(np.max(np.abs(quarter))) < 0.71
    assert true_peak(quarter) == pytest.approx(1.0, abs=0.1)


def test_a_peak_is_found_wherever_it_stands() -> None:
    """Only what is loud is looked at between the samples."""
    peak = np.sin(np.pi / 2 * np.arange(24) + np.pi / 4).astype(np.float32) * np.hanning(24).astype(
        np.float32
    )
    for place in (0, 100, 127, 128, 1000, 2376):
        samples = 0.05 * SINE[:2400]
        samples[place : place + len(peak)] += peak
        whole = soxr.resample(samples, 1, 4, quality="MQ")
        assert true_peak(samples) == pytest.approx(float(np.max(np.abs(whole))), rel=1e-3)
