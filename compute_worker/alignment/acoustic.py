"""Acoustic alignment: the text as another voice says it, warped in time onto the audio. Pure computation.

Two searches: a wide one, and after the reference's voice was adapted to what it paired, a narrow one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compute_worker.alignment.adaptation import NoiseFloor, adapted_cepstra
from compute_worker.alignment.closures import with_closures
from compute_worker.alignment.features import (
    HOP_SAMPLES,
    RATE,
    Matrix,
    at_feature_rate,
    cepstra,
    features,
    frame_energy,
    log_mel,
    loudness,
    power_spectra,
)
from compute_worker.alignment.model import Alignment, ReferenceSpeech
from compute_worker.alignment.search import Band, band_around, find_path
from compute_worker.alignment.silence import Loudness, measure_loudness, silence_costs
from compute_worker.alignment.word_graph import Indices, WordGraph, build_graph
from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import WordTime

VERSION = "acoustic-2"
# Between what 98% of alignments with a foreign text stay under and what those with the right text reach.
TRUSTED_CONFIDENCE = 0.305
_REGULARITY_SHARE = 0.2
_MOST_FRAMES = 3_000  # of a recording that is longer, frames lie further apart: memory grows by their square
_SHORTEST_SECONDS = 0.1
_SLOPES = (0.4, 2.5)  # how much faster or slower than the reference speech may be
_WIDE_SHARE, _WIDE_SAMPLES = 0.15, 16_000
_NARROW_SAMPLES = 6_400


@dataclass(frozen=True)
class _Audio:
    bands: Matrix
    level: Loudness
    frame_ms: float

    @property
    def is_speech(self) -> NDArray[np.bool_]:
        return self.level.is_speech


def align_samples(
    samples: Samples,
    sample_rate: int,
    reference: ReferenceSpeech,
    *,
    hop_samples: float = HOP_SAMPLES,
) -> Alignment:
    """hop_samples: between frames, at the features' rate; the confidence is judged at the default."""
    if len(samples) < sample_rate * _SHORTEST_SECONDS:
        return _spread(reference.words, len(samples) * 1000 / sample_rate)
    heard = at_feature_rate(samples, sample_rate)
    said = at_feature_rate(reference.samples, reference.sample_rate)
    hop = max(hop_samples, len(heard) / _MOST_FRAMES)
    audio = _analysed(power_spectra(heard, hop), hop)
    said_hop = hop * _pace(said, heard)
    said_spectra = power_spectra(said, said_hop)
    model = _analysed(said_spectra, said_hop)
    graph = build_graph(reference.words, model.is_speech, model.frame_ms)

    floor = NoiseFloor(one=audio.bands, other=model.bands)
    heard_bands, said_bands = floor.raise_one(audio.bands), floor.raise_other(model.bands)
    heard_cepstra = cepstra(heard_bands, audio.is_speech)
    target = features(heard_cepstra, loudness(heard_bands), audio.is_speech)
    pauses = silence_costs(audio.level, target)
    said_loudness = loudness(said_bands)

    def search(said_cepstra: Matrix, band: Band) -> tuple[Indices | None, Matrix]:
        source = features(said_cepstra, said_loudness, model.is_speech)
        costs = _costs(target, source, graph, pauses)
        return find_path(costs, graph, band), costs

    path, _ = search(
        cepstra(said_bands, model.is_speech), _wide_band(audio, graph, int(_WIDE_SAMPLES / hop_samples))
    )
    if path is None or graph.is_pause[path].all():
        return _spread(reference.words, len(heard) * 1000 / RATE)
    matched = np.flatnonzero(~graph.is_pause[path])
    pairs = (graph.frames[path[matched]], heard_cepstra[matched])
    adapted = adapted_cepstra(said_spectra, floor, model.is_speech, pairs)
    path, costs = search(adapted, band_around(path, int(_NARROW_SAMPLES / hop_samples), graph.size))
    if path is None:
        return _spread(reference.words, len(heard) * 1000 / RATE)
    confidence = _confidence(path, costs, graph)
    words = with_closures(_word_times(reference.words, path, graph, audio), graph, model.frame_ms)
    return Alignment(words, confidence, is_trusted=confidence >= TRUSTED_CONFIDENCE)


def _spread(words: tuple[WordTime, ...], duration_ms: float) -> Alignment:
    """For audio that cannot be this text: the reference's times, squeezed or stretched."""
    scale = duration_ms / max(1, words[-1].end_ms)
    times = (
        WordTime(int(word.start_ms * scale), int(word.end_ms * scale), word.char_start, word.char_end)
        for word in words
    )
    return Alignment(tuple(times), 0.0, is_trusted=False)


def _analysed(spectra: Matrix, hop: float) -> _Audio:
    bands = log_mel(spectra)
    return _Audio(bands, measure_loudness(loudness(bands)), hop * 1000 / RATE)


def _pace(said: Samples, heard: Samples) -> float:
    """How many times longer the reference speaks, so that frame may be matched with frame."""
    spoken, listened = (
        int(np.count_nonzero(measure_loudness(frame_energy(samples)).is_speech)) for samples in (said, heard)
    )
    return float(np.clip(spoken / max(1, listened), *_SLOPES))


def _wide_band(audio: _Audio, graph: WordGraph, least_frames: int) -> Band:
    """Around where the share of the speech that has passed leads, pauses counting nothing."""
    passed = np.cumsum(audio.is_speech)
    expected = (passed / max(1, passed[-1]) * (graph.size - 1)).astype(np.int64)
    return band_around(expected, int(_WIDE_SHARE * graph.size) + least_frames, graph.size)


def _costs(target: Matrix, source: Matrix, graph: WordGraph, pauses: Matrix) -> Matrix:
    """Distance of every frame of the audio from every node: root of the mean square over the features."""
    nodes = source[np.maximum(graph.frames, 0)]
    costs = target @ (-2 * nodes.T)
    costs += np.sum(target**2, axis=1)[:, None]
    costs += np.sum(nodes**2, axis=1)
    np.maximum(costs, 0, out=costs)
    costs /= target.shape[1]
    np.sqrt(costs, out=costs)
    costs[:, graph.is_pause] = pauses[:, None]
    return costs


def _confidence(path: Indices, costs: Matrix, graph: WordGraph) -> float:
    """How much cheaper the path is than frames that have nothing to do with each other, and how steadily
    both voices go on side by side: what does not belong together is stretched and squeezed to fit."""
    matched = np.flatnonzero(~graph.is_pause[path])
    if not len(matched):
        return 0.0
    found = float(np.mean(costs[matched, path[matched]]))
    by_chance = float(np.mean(costs[matched][:, ~graph.is_pause]))
    likeness = max(0.0, 1 - found / max(by_chance, 1e-6))
    steady = float(np.mean(np.diff(graph.frames[path[matched]]) == 1)) if len(matched) > 1 else 0.0
    return (likeness + _REGULARITY_SHARE * steady) / (1 + _REGULARITY_SHARE)


def _word_times(
    words: tuple[WordTime, ...], path: Indices, graph: WordGraph, audio: _Audio
) -> tuple[WordTime, ...]:
    owners = np.where(graph.is_pause[path], -1, graph.words[path])
    reached = graph.words[path]
    is_speech = audio.is_speech
    times = []
    for index, word in enumerate(words):
        frames = np.flatnonzero(owners == index)
        if len(frames):
            first, last = int(frames[0]), int(frames[-1]) + 1
            spoken = np.flatnonzero(is_speech[first:last])
            last = first + int(spoken[-1]) + 1 if len(spoken) else last
        else:  # skipped: it has no length, where the next one begins
            first = last = int(np.searchsorted(reached, index, side="right"))
        start_ms, end_ms = round(first * audio.frame_ms), round(last * audio.frame_ms)
        times.append(WordTime(start_ms, end_ms, word.char_start, word.char_end))
    return tuple(times)
