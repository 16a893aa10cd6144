"""Flite as a voice: speech with the times of its words, read from its utterance structure through ctypes."""

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from compute_worker.audio.pcm import Samples, from_s16
from voices.timed_speech import SaidToken, TimedSpeech, time_words

VOICES = ("slt", "rms", "awb", "kal16")
_START = b"R:SylStructure.daughter1.daughter1.R:Segment.p.end"
_END = b"R:SylStructure.daughtern.daughtern.R:Segment.end"


class _Wave(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_char_p),
        ("sample_rate", ctypes.c_int),
        ("num_samples", ctypes.c_int),
        ("num_channels", ctypes.c_int),
        ("samples", ctypes.POINTER(ctypes.c_int16)),
    )


def say_with_flite(voice: str, texts: Sequence[str]) -> list[TimedSpeech]:
    """Fails when flite is not installed."""
    library, opened = _open(voice)
    return [_say(library, opened, voice, text) for text in texts]


def _say(library: ctypes.CDLL, opened: int, voice: str, text: str) -> TimedSpeech:
    utterance = library.flite_synth_text(text.encode(), opened)
    try:
        tokens = list(_tokens(library, utterance))
        samples, rate = _wave(library.utt_wave(utterance).contents)
    finally:
        library.delete_utterance(utterance)
    return TimedSpeech(text, "en-us", f"flite {voice}", samples, rate, time_words(text, tokens))


def _tokens(library: ctypes.CDLL, utterance: int) -> Iterator[SaidToken]:
    token = library.relation_head(library.utt_relation(utterance, b"Token"))
    while token:
        spans = []
        word = library.item_daughter(token)
        while word:
            start, end = (library.flite_ffeature_float(word, path) for path in (_START, _END))
            spans.append((start, end))
            word = library.item_next(word)
        yield SaidToken(library.flite_ffeature_string(token, b"name").decode(errors="replace"), tuple(spans))
        token = library.item_next(token)


def _wave(wave: _Wave) -> tuple[Samples, int]:
    pcm = np.ctypeslib.as_array(wave.samples, (wave.num_samples * wave.num_channels,))
    return from_s16(pcm.astype("<i2").tobytes())[:: wave.num_channels], wave.sample_rate


@cache
def _open(voice: str) -> tuple[ctypes.CDLL, int]:
    library = ctypes.CDLL("libflite.so.1", mode=ctypes.RTLD_GLOBAL)
    for name in ("libflite_usenglish.so.1", "libflite_cmulex.so.1"):
        ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    pointer = ctypes.c_void_p
    for name, result, arguments in (
        ("flite_synth_text", pointer, (ctypes.c_char_p, pointer)),
        ("utt_wave", ctypes.POINTER(_Wave), (pointer,)),
        ("utt_relation", pointer, (pointer, ctypes.c_char_p)),
        ("relation_head", pointer, (pointer,)),
        ("item_daughter", pointer, (pointer,)),
        ("item_next", pointer, (pointer,)),
        ("flite_ffeature_float", ctypes.c_float, (pointer, ctypes.c_char_p)),
        ("flite_ffeature_string", ctypes.c_char_p, (pointer, ctypes.c_char_p)),
        ("delete_utterance", None, (pointer,)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.flite_init()
    register = getattr(ctypes.CDLL(f"libflite_cmu_us_{voice}.so.1"), f"register_cmu_us_{voice}")
    register.restype, register.argtypes = pointer, (ctypes.c_char_p,)
    return library, register(None)
