"""What a provider's bytes are, judged by the bytes alone: headers and content types are often wrong."""

from enum import Enum, auto

import numpy as np

from compute_worker.audio.pcm import from_s16
from compute_worker.audio.wav import is_wav


class AudioKind(Enum):
    EMPTY = auto()
    WAV = auto()
    ENCODED = auto()  # for the media tool
    RAW_PCM = auto()  # signed 16-bit little-endian at 24 kHz, what the OpenAI API calls pcm
    TEXT = auto()  # an error page or JSON sent with status 200


_MAGIC = (b"OggS", b"fLaC", b"ID3", b"FORM", b"caff", b".snd", b"\x1aE\xdf\xa3", b"#!AMR", b"wvpk", b"MAC ")


def detect(body: bytes) -> AudioKind:
    if not body:
        return AudioKind.EMPTY
    if is_wav(body):
        return AudioKind.WAV
    if body.startswith(_MAGIC) or body[4:8] == b"ftyp" or _is_mpeg(body) or _is_adts(body):
        return AudioKind.ENCODED
    if _is_text(body):
        return AudioKind.TEXT
    return AudioKind.RAW_PCM if _sounds_like_pcm(body) else AudioKind.ENCODED


def _is_mpeg(body: bytes) -> bool:
    if len(body) < 4 or body[0] != 0xFF or body[1] & 0xE0 != 0xE0:
        return False
    version, layer = body[1] >> 3 & 3, body[1] >> 1 & 3
    bitrate, rate = body[2] >> 4, body[2] >> 2 & 3
    if version == 1 or layer == 0 or bitrate in (0, 15) or rate == 3:
        return False
    return _repeats(body, _mpeg_frame_bytes(version, bitrate, rate, body[2] >> 1 & 1)) if layer == 1 else True


def _mpeg_frame_bytes(version: int, bitrate: int, rate: int, padding: int) -> int:
    mpeg1 = version == 3
    kbits = (
        (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
        if mpeg1
        else (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
    )[bitrate - 1]
    sample_rate = (44_100, 48_000, 32_000)[rate] >> {3: 0, 2: 1, 0: 2}[version]
    return (144 if mpeg1 else 72) * kbits * 1000 // sample_rate + padding


def _is_adts(body: bytes) -> bool:
    if len(body) < 7 or body[0] != 0xFF or body[1] & 0xF6 != 0xF0:
        return False
    return _repeats(body, (body[3] & 3) << 11 | body[4] << 3 | body[5] >> 5)


def _repeats(body: bytes, frame_bytes: int) -> bool:
    """A second frame begins where the first one ends (or the body ends there)."""
    following = body[frame_bytes : frame_bytes + 2]
    return frame_bytes >= 7 and (len(following) < 2 or (following[0] == 0xFF and following[1] == body[1]))


def _is_text(body: bytes) -> bool:
    head = body[:512]
    try:
        text = head.decode() if len(body) <= 512 else head.decode(errors="ignore")
    except UnicodeDecodeError:
        return False
    printable = sum(character.isprintable() or character in "\r\n\t" for character in text)
    return len(text) > 0.9 * len(head) / 4 and printable == len(text) and len(text.encode()) > len(head) - 4


def _sounds_like_pcm(body: bytes) -> bool:
    """Neighbouring samples of sound resemble each other; those of anything compressed do not."""
    if body.count(0) == len(body):
        return True
    samples = from_s16(body[: 2 * 480_000])
    if len(samples) < 64:
        return False
    centred = samples - samples.mean()
    energy = float(np.dot(centred, centred))
    return energy > 0 and float(np.dot(centred[1:], centred[:-1])) / energy > 0.5
