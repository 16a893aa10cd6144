"""How long after a segment's sound its measured words come, with everything that makes both on one core."""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from voices import festival

from bench.alignment.texts import ENGLISH
from bench.figures import Figure, percentile
from bench.reader import Reader
from servers.lectern import lectern_environment, running_lectern
from servers.ports import free_port
from servers.processes import http_status, started

SEGMENTS: Final = 12
_TESTS: Final = str(Path(__file__).parents[2])
_LONGEST_SECONDS: Final = 60.0
_CURSOR_SECONDS: Final = 1.0


def measure_soon() -> list[Figure]:
    """A provider that tells nothing of its words (Festival) is heard through the API, as a browser would."""
    with tempfile.TemporaryDirectory(prefix="lectern-bench-") as name, _on_one_core(), _festival(name) as url:
        environment = lectern_environment(API_BASE=url, API_MODEL_NAME="festival")
        with running_lectern(Path(name) / "workspace", environment=environment) as instance:
            waits = asyncio.run(_waits(instance.base_url))
    what = "measured words after a segment's sound, one core"
    return [
        Figure(f"{what}, median", percentile(waits, 0.5), "ms", 1000),
        Figure(f"{what}, worst of {len(waits)}", max(waits), "ms", 1000),
    ]


async def _waits(base_url: str) -> list[float]:
    """Milliseconds from the first announcement of each segment to that of its measured words."""
    async with Reader.signed_up(base_url) as reader:
        document_id = await reader.upload("soon.txt", "\n\n".join(ENGLISH[:SEGMENTS]).encode())
        await reader.until_ready(document_id)
        await reader.get("/api/tts/voices?providerRef=default-provider")  # as the reader page does
        voice = festival.ENGLISH[0].name
        session = await reader.play(document_id, provider_ref="default-provider", voice=voice)
        sounded: dict[int, float] = {}
        measured: dict[int, float] = {}
        listening = asyncio.create_task(_listen(reader, session, measured))
        try:
            async with asyncio.timeout(_LONGEST_SECONDS):
                async for event in reader.events(session):
                    if "frames" not in event:
                        continue
                    now, ordinal = time.perf_counter() * 1000, event["ordinal"]
                    sounded.setdefault(ordinal, now)
                    if event["exact"]:
                        measured.setdefault(ordinal, now)
                        if len(measured) == session["segmentCount"]:
                            break
        finally:
            listening.cancel()
    return [measured[ordinal] - sounded[ordinal] for ordinal in measured]


async def _listen(reader: Reader, session: dict[str, Any], measured: Sized) -> None:
    """Moves on as the words come."""
    while True:
        await asyncio.sleep(_CURSOR_SECONDS)
        await reader.move(session, min(len(measured), session["segmentCount"] - 1))


@contextmanager
def _festival(folder: str) -> Iterator[str]:
    port = free_port()
    environment = lectern_environment()
    with started(
        [sys.executable, "-m", "servers.festival_speech", str(port)],
        environment={**environment, "PYTHONPATH": f"{environment['PYTHONPATH']}:{_TESTS}"},
        directory=Path(folder),
        output=Path(folder) / "festival.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health") == 200,
    ):
        yield f"http://127.0.0.1:{port}/v1"


@contextmanager
def _on_one_core() -> Iterator[None]:
    """For this process and all that it starts meanwhile."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
