"""The aligner over real eSpeak NG helpers; speech by foreign synthesizers."""

from collections.abc import AsyncIterator

import pytest

from bench.alignment.references import BenchAligner, bench_aligner


@pytest.fixture
async def aligner() -> AsyncIterator[BenchAligner]:
    async with bench_aligner() as ready:
        yield ready
