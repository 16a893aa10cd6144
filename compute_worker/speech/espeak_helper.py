"""The program of a helper process: speaks one request after the other with eSpeak NG.

Run as a script of its own (`python espeak_helper.py LIBRARY DATA`): it imports the standard library only,
so that it starts in tens of milliseconds, and it is the only place where the GPL library is loaded.

A message is a 4-byte big-endian length, a JSON header, and, in answers, header["pcm_bytes"] bytes of PCM.
"""

import ctypes
import json
import os
import signal
import struct
import sys
from typing import Any, BinaryIO

_AUDIO_OUTPUT_RETRIEVAL = 1
_UTF8 = 1  # and neither SSML nor phoneme input: whatever the text holds is only text
_RATE_PARAMETER = 1
_TELL_PHONEMES = 1
_WORD_EVENT, _PHONEME_EVENT = 1, 7
_PR_SET_PDEATHSIG = 1


class _EventId(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _EventId),
    )


class _Voice(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_void_p),
        ("identifier", ctypes.c_char_p),
        ("gender", ctypes.c_ubyte),
        ("age", ctypes.c_ubyte),
        ("variant", ctypes.c_ubyte),
        ("xx1", ctypes.c_ubyte),
        ("score", ctypes.c_int),
        ("spare", ctypes.c_void_p),
    )


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(_Event))


class Engine:
    def __init__(self, library: str, data: str) -> None:
        self._library = ctypes.CDLL(library)
        self._library.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_Voice))
        self._sample_rate = self._library.espeak_Initialize(
            _AUDIO_OUTPUT_RETRIEVAL, 0, data.encode(), _TELL_PHONEMES
        )
        if self._sample_rate <= 0:
            raise RuntimeError("eSpeak NG did not start")
        self._pcm = bytearray()
        self._events: list[tuple[int, int, int, int]] = []
        self._last_phoneme = -1  # the sample at which it began
        self._early_word: int | None = None
        self._callback = _Callback(self._collect)  # kept alive as long as the library may call it
        self._library.espeak_SetSynthCallback(self._callback)

    def speak(self, header: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        self._pcm.clear()
        self._events.clear()
        self._last_phoneme, self._early_word = -1, None
        if self._library.espeak_SetVoiceByName(str(header["voice"]).encode()) != 0:
            return {"error": "VOICE_UNKNOWN"}, b""
        self._library.espeak_SetParameter(_RATE_PARAMETER, int(header["words_per_minute"]), 0)
        text = str(header["text"]).encode()
        status = self._library.espeak_Synth(text, len(text) + 1, 0, 1, 0, _UTF8, None, None)
        if status != 0 or self._library.espeak_Synchronize() != 0:
            return {"error": "SYNTHESIS_FAILED"}, b""
        return {"sample_rate": self._sample_rate, "events": self._events}, bytes(self._pcm)

    def list_voices(self) -> list[dict[str, str]]:
        listed = self._library.espeak_ListVoices(None)
        voices = []
        index = 0
        while listed[index]:
            voice = listed[index].contents
            file = voice.identifier.decode(errors="replace").rpartition("/")[2].lower()
            voices.append({"name": voice.name.decode(errors="replace").strip(), "file": file})
            index += 1
        return voices

    def _collect(self, samples: int | None, count: int, events: Any) -> int:
        if samples and count > 0:
            self._pcm += ctypes.string_at(samples, count * 2)
        index = 0
        while events[index].type:
            event = events[index]
            if event.type == _PHONEME_EVENT:
                self._note_phoneme(event.id.string, event.sample)
            else:
                # Told in the same moment as the sound before it, as "it" is in "in it", a word is early: its
                # own sound is told next.
                if event.type == _WORD_EVENT:
                    self._early_word = len(self._events) if event.sample == self._last_phoneme else None
                self._events.append((event.type, event.text_position - 1, event.length, event.sample))
            index += 1
        return 0

    def _note_phoneme(self, name: bytes, sample: int) -> None:
        if self._early_word is not None:
            kind, position, length, early = self._events[self._early_word]
            # That one is told late, when its beginning has been said: the word begins between the two.
            self._events[self._early_word] = (kind, position, length, (early + sample) // 2)
            self._early_word = None
        self._last_phoneme = -1 if name.startswith(b"_") else sample  # a pause is no sound


def _read_exactly(stream: BinaryIO, count: int) -> bytes | None:
    body = stream.read(count)
    return body if len(body) == count else None


def _answer(engine: Engine, header: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    if header.get("ask") == "voices":
        return {"voices": engine.list_voices()}, b""
    return engine.speak(header)


def _serve(engine: Engine, requests: BinaryIO, answers: BinaryIO) -> None:
    while prefix := _read_exactly(requests, 4):
        body = _read_exactly(requests, struct.unpack(">I", prefix)[0])
        if body is None:
            return
        header, pcm = _answer(engine, json.loads(body))
        encoded = json.dumps({**header, "pcm_bytes": len(pcm)}).encode()
        answers.write(struct.pack(">I", len(encoded)) + encoded + pcm)
        answers.flush()


def main() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing the library prints may get between the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker, which then closes our input
    _serve(Engine(sys.argv[1], sys.argv[2]), sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
