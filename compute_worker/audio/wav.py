"""WAV files as speech servers really send them, with lengths written before they were known."""

import struct

import numpy as np

from compute_worker.audio.pcm import Pcm, Samples

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_RATES = range(4_000, 384_001)
_TRAILING_CHUNKS = (b"LIST", b"id3 ", b"ID3 ", b"fact", b"bext", b"cue ", b"smpl", b"PEAK", b"JUNK", b"junk")


def is_wav(body: bytes) -> bool:
    return body[:4] in (b"RIFF", b"RF64") and body[8:12] == b"WAVE"


def parse_wav(body: bytes) -> Pcm | None:
    """The samples, mixed to mono; None when it is not plain PCM (the media tool may know better)."""
    layout: tuple[int, int, int, int] | None = None
    offset = 12
    while offset + 8 <= len(body):
        name, size = body[offset : offset + 4], struct.unpack_from("<I", body, offset + 4)[0]
        offset += 8
        if name == b"fmt " and size >= 16:
            layout = _read_format(body[offset : offset + size])
        elif name == b"data":
            return _read_data(body, offset, size, layout) if layout else None
        offset += size + size % 2
    return None


def write_wav(pcm_s16: bytes, sample_rate: int) -> bytes:
    header = struct.pack("<4sI4s", b"RIFF", 36 + len(pcm_s16), b"WAVE")
    layout = struct.pack("<4sIHHIIHH", b"fmt ", 16, _PCM, 1, sample_rate, sample_rate * 2, 2, 16)
    return header + layout + struct.pack("<4sI", b"data", len(pcm_s16)) + pcm_s16


def _read_format(chunk: bytes) -> tuple[int, int, int, int] | None:
    if len(chunk) < 16:
        return None
    tag, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
    if tag == _EXTENSIBLE and len(chunk) >= 26:
        tag = struct.unpack_from("<H", chunk, 24)[0]
    known = (tag == _PCM and bits in (8, 16, 24, 32)) or (tag == _FLOAT and bits in (32, 64))
    return (tag, channels, rate, bits) if known and 1 <= channels <= 8 and rate in _RATES else None


def _read_data(body: bytes, offset: int, size: int, layout: tuple[int, int, int, int]) -> Pcm | None:
    tag, channels, rate, bits = layout
    rest = body[offset + size :]
    following = None
    if size == 0 or not rest:  # the length was unknown when the header was written
        data = body[offset:]
    elif is_wav(rest):  # one file per chunk of a streamed answer, back to back
        data = body[offset : offset + size]
        following = parse_wav(rest)
    elif rest.lstrip(b"\0")[:4] in _TRAILING_CHUNKS or not rest.strip(b"\0"):
        data = body[offset : offset + size]
    else:  # more sound than the header admits
        data = body[offset:]
    samples = _mix(data, tag, channels, bits)
    if following and following.sample_rate == rate:
        samples = np.concatenate((samples, following.samples))
    return Pcm(samples, rate)


def _mix(data: bytes, tag: int, channels: int, bits: int) -> Samples:
    block = channels * bits // 8
    data = data[: len(data) - len(data) % block]
    mono: Samples = _to_float(data, tag, bits).reshape(-1, channels).mean(axis=1, dtype=np.float32)
    return np.nan_to_num(mono, nan=0.0, posinf=1.0, neginf=-1.0)


def _to_float(data: bytes, tag: int, bits: int) -> Samples:
    if tag == _FLOAT:
        return np.frombuffer(data, dtype=f"<f{bits // 8}").astype(np.float32)
    if bits == 8:
        return (np.frombuffer(data, dtype=np.uint8).astype(np.float32) - 128) / np.float32(128)
    if bits == 24:
        raw = np.frombuffer(data, dtype=np.uint8).reshape(-1, 3)
        widened = np.zeros((len(raw), 4), dtype=np.uint8)
        widened[:, 1:] = raw
        return widened.view("<i4").reshape(-1).astype(np.float32) / np.float32(2**31)
    return np.frombuffer(data, dtype=f"<i{bits // 8}").astype(np.float32) / np.float32(2 ** (bits - 1))
