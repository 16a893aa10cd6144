"""The model aligner against the reference implementation's timing, on a small model of random weights."""

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import reference_timing as reference
import tiny_whisper as tiny

from compute_worker.alignment.model import Alignment
from compute_worker.speech.words import spoken_words
from compute_worker.whisper.aligning import Segment, align_with
from compute_worker.whisper.mel import RATE, _mel_filters, log_mel_spectrum
from compute_worker.whisper.model import WhisperModel, Window
from compute_worker.whisper.text_tokens import TextTokens

FRAME_MS = 20
TEXTS = (
    "the other thing he thought about in the hour",
    "Another winter, and then a quiet house in the north.",
    "he",
    "there were nine hundred and thirteen of them altogether and no one counted",
)
PREFIX = [tiny.START, tiny.ENGLISH, tiny.TRANSCRIBE]


SEEDS = (3, 11)
ORIGINAL = Path(__file__).with_name("original_times.json")


def exported_model(seed: int, folder: Path) -> tuple:
    weights = tiny.random_weights(seed)
    tiny.export(weights, folder)
    return weights, WhisperModel(folder, threads=1), TextTokens(folder / "tokenizer.json")


@pytest.fixture(scope="module", params=SEEDS)
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple:
    return exported_model(request.param, tmp_path_factory.mktemp("tiny-whisper"))


def sound(seconds: float, seed: int) -> np.ndarray:
    """Something that changes all the time."""
    source = np.random.default_rng(seed)
    times = np.arange(int(seconds * RATE)) / RATE
    pitch = np.interp(times, np.linspace(0, seconds, 12), source.uniform(100, 3000, 12))
    level = np.interp(times, np.linspace(0, seconds, 30), source.uniform(0, 0.5, 30))
    return (level * np.sin(2 * np.pi * np.cumsum(pitch) / RATE)).astype(np.float32)


def align_one(model: WhisperModel, samples: np.ndarray, text: str) -> Alignment:
    (alignment,) = align_with(model, [Segment(samples, text, "en-us")])
    return alignment


def sound_for(text: str) -> np.ndarray:
    return sound(4 + len(text) / 15, seed=len(text))


def reference_words(weights: dict, tokens: TextTokens, samples: np.ndarray, text: str) -> list:
    own = tokens.encode(text)
    spoken = f" {text}"
    pieces = [(t.id, spoken[t.start + (i > 0) : t.end + 1]) for i, t in enumerate(own)]
    sequence = [*PREFIX, tiny.NO_TIMESTAMPS, *(token.id for token in own), tiny.END]
    scores = tiny.run(weights, log_mel_spectrum(samples, tiny.BANDS), sequence)
    return reference.find_alignment(
        scores,
        tiny.ALIGNMENT_HEADS,
        sot_sequence_length=len(PREFIX),
        num_frames=len(samples) // 160,
        word_tokens=reference.split_tokens_on_spaces(pieces, tiny.END),
    )


@pytest.mark.parametrize("text", TEXTS)
def test_word_times_are_those_of_the_reference_within_a_frame(exported: tuple, text: str):
    weights, model, tokens = exported
    samples = sound_for(text)
    alignment = align_one(model, samples, text)
    assert [(word.char_start, word.char_end) for word in alignment.words] == list(spoken_words(text))
    # Punctuation is a word to the reference.
    every = reference_words(weights, tokens, samples, text)
    spans = reference_spans(tokens, text)
    wanted = [times for (start, end), times in zip(spans, every, strict=True) if text[start:end].strip(",.")]
    assert len(wanted) == len(alignment.words)
    for (start, end), word in zip(wanted, alignment.words, strict=True):
        assert abs(word.start_ms - start * 1000) <= FRAME_MS
        assert abs(word.end_ms - end * 1000) <= FRAME_MS


@pytest.mark.parametrize("seed", SEEDS)
def test_word_times_are_those_of_openai_whisper_itself_within_a_frame(seed: int, tmp_path: Path):
    """Recorded from the original on torch: record_original.py."""
    _, model, _ = exported_model(seed, tmp_path)
    told = [one for one in json.loads(ORIGINAL.read_text("utf-8")) if one["seed"] == seed]
    assert [one["text"] for one in told] == list(TEXTS)
    for one in told:
        alignment = align_one(model, sound_for(one["text"]), one["text"])
        wanted = [times for word, *times in one["words"] if word.strip(" ,.")]
        assert len(wanted) == len(alignment.words)
        for (start, end), word in zip(wanted, alignment.words, strict=True):
            assert abs(word.start_ms - start * 1000) <= FRAME_MS
            assert abs(word.end_ms - end * 1000) <= FRAME_MS


def reference_spans(tokens: TextTokens, text: str) -> list[tuple[int, int]]:
    own = tokens.encode(text)
    spoken = f" {text}"
    pieces = [(t.id, spoken[t.start + (i > 0) : t.end + 1]) for i, t in enumerate(own)]
    spans, at = [], 0
    for word in reference.split_tokens_on_spaces(pieces, tiny.END)[:-1]:
        spans.append((own[at].start, own[at + len(word) - 1].end))
        at += len(word)
    return spans


def test_windows_of_one_batch_do_not_disturb_each_other(exported: tuple):
    _, model, _ = exported
    windows = [Window(sound(3 + index, seed=index), text, "en") for index, text in enumerate(TEXTS)]
    together = model.hear(windows)
    for window, one in zip(windows, together, strict=True):
        (alone,) = model.hear([window])
        np.testing.assert_allclose(one.attention, alone.attention, atol=1e-4)
        assert abs(one.likelihood - alone.likelihood) < 1e-4


def test_segments_of_one_batch_get_the_words_that_each_gets_alone(exported: tuple):
    """More windows than are heard at once, of segments that are longer and shorter than one."""
    _, model, _ = exported
    texts = [*TEXTS, " ".join(TEXTS * 2)]
    sounds = [*(sound_for(text) for text in TEXTS), sound(65, seed=7)]
    segments = [Segment(samples, text, "en") for samples, text in zip(sounds, texts, strict=True)]
    together = align_with(model, segments)
    for segment, one in zip(segments, together, strict=True):
        alone = align_one(model, segment.samples, segment.text)
        assert [(word.char_start, word.char_end) for word in one.words] == list(spoken_words(segment.text))
        for word, own in zip(one.words, alone.words, strict=True):
            assert abs(word.start_ms - own.start_ms) <= FRAME_MS
            assert abs(word.end_ms - own.end_ms) <= FRAME_MS
        assert abs(one.confidence - alone.confidence) < 1e-4


def test_long_audio_is_heard_in_windows_and_every_word_has_its_place(exported: tuple):
    _, model, _ = exported
    text = " ".join(TEXTS * 5)
    spoken = np.concatenate(
        [np.concatenate((sound(3.2, i), np.zeros(RATE // 2, dtype=np.float32))) for i in range(20)]
    )
    alignment = align_one(model, spoken, text)
    assert [(word.char_start, word.char_end) for word in alignment.words] == list(spoken_words(text))
    starts = [word.start_ms for word in alignment.words]
    assert starts == sorted(starts)
    assert alignment.words[-1].end_ms <= len(spoken) * 1000 / RATE + FRAME_MS


def test_the_filters_are_those_that_whisper_ships():
    """The corner of mel_filters.npz, "mel_80"."""
    filters = _mel_filters(80)
    np.testing.assert_allclose(filters[:2, :3], [[0, 0.02486259, 0], [0, 0.00199082, 0.02287177]], atol=1e-8)


def test_tokens_cover_the_text_in_order(exported: tuple):
    _, _, tokens = exported
    text = "the naïve 日本 reader’s 👍 hour"
    own = tokens.encode(text)
    assert own[0].start == 0
    assert own[-1].end == len(text)
    assert all(before.start <= after.start and before.end <= after.end for before, after in pairwise(own))
