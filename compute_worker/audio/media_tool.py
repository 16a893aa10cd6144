"""The media tool (MEDIA_BIN) as a child process: foreign bytes in, plain samples out."""

import asyncio
from collections.abc import Sequence

import imageio_ffmpeg
import numpy as np

from compute_worker.audio.pcm import Samples
from compute_worker.speech.model import SAMPLE_RATE
from shared.errors import Code, LecternError

_QUIET = ("-hide_banner", "-nostdin", "-loglevel", "quiet", "-threads", "1", "-protocol_whitelist", "pipe")


def bundled_media_bin() -> str:
    return str(imageio_ffmpeg.get_ffmpeg_exe())


class MediaTool:
    """Runs one process per recording; kills it when the caller is cancelled or time is up."""

    def __init__(
        self, *, media_bin: str, timeout_seconds: float = 60.0, max_audio_seconds: float = 900.0
    ) -> None:
        self.media_bin = media_bin
        self._timeout_seconds = timeout_seconds
        self._max_audio_seconds = max_audio_seconds

    async def decode(self, body: bytes) -> Samples:
        """Mono at the stream's rate; empty when the tool makes nothing of the bytes."""
        output = await self.run(
            (
                *(*_QUIET, "-i", "pipe:0", "-map", "0:a:0", "-vn", "-sn", "-dn"),
                *("-t", str(self._max_audio_seconds), "-ac", "1", "-ar", str(SAMPLE_RATE)),
                *("-f", "f32le", "pipe:1"),
            ),
            body,
        )
        samples = np.frombuffer(output[: len(output) - len(output) % 4], dtype="<f4")
        return np.nan_to_num(samples.astype(np.float32), nan=0.0, posinf=1.0, neginf=-1.0)

    async def encode(self, samples: Samples, output_arguments: Sequence[str]) -> bytes:
        source = ("-f", "f32le", "-ar", str(SAMPLE_RATE), "-ac", "1", "-i", "pipe:0")
        return await self.run((*_QUIET, *source, *output_arguments, "pipe:1"), samples.tobytes())

    async def run(self, arguments: Sequence[str], body: bytes) -> bytes:
        process = await asyncio.create_subprocess_exec(
            self.media_bin,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(self._timeout_seconds):
                output, _ = await process.communicate(body)
        except TimeoutError as error:
            raise LecternError(
                Code.DEADLINE_EXCEEDED, "The audio took too long to decode.", reason="AUDIO_DECODE_TIMEOUT"
            ) from error
        finally:
            await _end(process)
        return output


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill, drain, then wait: waiting first would hang on a full pipe."""
    if process.returncode is None:
        process.kill()
        await process.communicate()
