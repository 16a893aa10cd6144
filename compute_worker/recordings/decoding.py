"""A recording as plain samples at the features' rate, read by the media tool as they are asked for."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from compute_worker.alignment.features import RATE
from compute_worker.audio.pcm import Samples, from_s16
from shared.errors import Code, LecternError

# In large frames: each one is handed from thread to thread.
_FILTERS: Final = f"aformat=sample_fmts=s16:sample_rates={RATE}:channel_layouts=mono,asetnsamples=n=65536:p=0"
_DURATION: Final = re.compile(rb"Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)")
# The name of the format is given: a playlist in disguise could name other files.
_DEMUXERS: Final = (
    (b"ftyp", 4, "mov"),
    (b"OggS", 0, "ogg"),
    (b"fLaC", 0, "flac"),
    (b"RIFF", 0, "wav"),
    (b"\x1aE\xdf\xa3", 0, "matroska"),
    (b"ID3", 0, "mp3"),
)


def demuxer_of(start: bytes) -> str | None:
    """By a file's first bytes; None for what is no recording that can be read."""
    for magic, offset, name in _DEMUXERS:
        if start[offset : offset + len(magic)] == magic:
            return name
    if len(start) > 1 and start[0] == 0xFF and start[1] & 0xE0 == 0xE0:
        return "aac" if start[1] & 0xF6 == 0xF0 else "mp3"
    return None


class Recording:
    def __init__(self, *, path: Path, media_bin: str) -> None:
        """Raises FORMAT_UNSUPPORTED."""
        with path.open("rb") as file:
            demuxer = demuxer_of(file.read(16))
        if demuxer is None:
            raise LecternError(
                Code.INVALID_ARGUMENT,
                "This is no recording that can be read. Use MP3, M4A, M4B, Ogg, Opus, FLAC or WAV.",
                reason="RECORDING_UNSUPPORTED",
            )
        self._input = ("-protocol_whitelist", "file", "-f", demuxer, "-i", f"file:{path}")
        self._media_bin = media_bin

    def seconds(self) -> float:
        """As the file says; 0 when it does not say."""
        told = subprocess.run(
            [self._media_bin, "-hide_banner", "-nostdin", *self._input], capture_output=True, check=False
        ).stderr
        match = _DURATION.search(told)
        if match is None:
            return 0.0
        hours, minutes, seconds = (float(part) for part in match.groups())
        return hours * 3600 + minutes * 60 + seconds

    @contextmanager
    def blocks(self, block_samples: int) -> Iterator[Iterator[Samples]]:
        """Blocks of so many samples, the last one shorter."""
        output = ("-map", "0:a:0", "-vn", "-sn", "-dn", "-af", _FILTERS)
        process = subprocess.Popen(
            [
                *(self._media_bin, "-hide_banner", "-nostdin", "-loglevel", "quiet", "-threads", "1"),
                *(*self._input, *output, "-flush_packets", "0", "-f", "s16le", "pipe:1"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        samples = process.stdout
        assert samples is not None  # noqa: S101 - it is a pipe
        with process:
            try:
                yield map(from_s16, iter(lambda: samples.read(2 * block_samples), b""))
            finally:
                process.kill()
