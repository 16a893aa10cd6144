"""The aligner as the worker has it: eSpeak NG's helpers and the alignment process."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from voices.timed_speech import TimedSpeech

from bench.processes import cpu_seconds
from compute_worker.alignment.aligner import AcousticAligner
from compute_worker.alignment.model import Alignment
from compute_worker.alignment.process import AlignmentProcess
from compute_worker.audio.pcm import Pcm
from compute_worker.speech.espeak_pool import EspeakPool


class BenchAligner:
    def __init__(self, *, pool: EspeakPool, process: AlignmentProcess) -> None:
        self._pool = pool
        self._process = process
        self._aligner = AcousticAligner(pool=pool, process=process)

    async def align(self, speech: TimedSpeech) -> Alignment:
        samples = Pcm(speech.samples, speech.sample_rate).at_stream_rate()
        return await self._aligner.align(samples, speech.text, speech.language)

    def cpu_seconds(self) -> float:
        """Of the reference voice and of the comparison."""
        pids = [*self._pool.idle_process_ids, self._process.process_id]
        return sum(cpu_seconds(pid) for pid in pids if pid is not None)


@asynccontextmanager
async def bench_aligner() -> AsyncIterator[BenchAligner]:
    async with EspeakPool(size=1) as pool, AlignmentProcess(timeout_seconds=60) as process:
        yield BenchAligner(pool=pool, process=process)


async def real_time_factor(speeches: Sequence[TimedSpeech]) -> float:
    """Processor time over the length of the audio, for a process that is warm."""
    async with bench_aligner() as aligner:
        for speech in speeches[:3]:
            await aligner.align(speech)
        before = aligner.cpu_seconds()
        for speech in speeches:
            await aligner.align(speech)
        return (aligner.cpu_seconds() - before) / sum(speech.seconds for speech in speeches)
