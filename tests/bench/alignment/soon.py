"""How long after a segment's sound its measured words come, with all of Lectern on one core.

The provider is elsewhere, as providers are: on the other cores, if there are any.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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
_LONGEST_SECONDS: Final = 150.0
_CURSOR_SECONDS: Final = 1.0


def measure_soon() -> list[Figure]:
    """A provider that tells nothing of its words (Festival) is heard through the API, as a browser would."""
    *others, own = sorted(os.sched_getaffinity(0))
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lectern-bench-"))
        with _on(others or [own]):
            url = stack.enter_context(_festival(Path(folder)))
        environment = lectern_environment(API_BASE=url, API_MODEL_NAME="festival")
        stack.enter_context(_on([own]))
        with running_lectern(Path(folder) / "workspace", environment=environment) as instance:
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
                        assert "message" not in event, event
                        continue
                    now, ordinal = time.perf_counter() * 1000, event["ordinal"]
                    sounded.setdefault(ordinal, now)
                    if event["exact"]:
                        measured.setdefault(ordinal, now)
                        if len(measured) == session["segmentCount"]:
                            break
        except TimeoutError as error:
            raise AssertionError(f"of {sorted(sounded)} only {sorted(measured)} were measured") from error
        finally:
            listening.cancel()
    return [measured[ordinal] - sounded[ordinal] for ordinal in measured]


async def _listen(reader: Reader, session: dict[str, Any], measured: Container[int]) -> None:
    """Moves on as the words come."""
    while True:
        await asyncio.sleep(_CURSOR_SECONDS)
        missing = [ordinal for ordinal in range(session["segmentCount"]) if ordinal not in measured]
        await reader.move(session, missing[0] if missing else 0)


@contextmanager
def _festival(folder: Path) -> Iterator[str]:
    port = free_port()
    environment = lectern_environment()
    with started(
        [sys.executable, "-m", "servers.festival_speech", str(port)],
        environment={**environment, "PYTHONPATH": f"{environment['PYTHONPATH']}:{_TESTS}"},
        directory=folder,
        output=folder / "festival.log",
        is_ready=lambda: http_status(f"http://127.0.0.1:{port}/health") == 200,
    ):
        yield f"http://127.0.0.1:{port}/v1"


@contextmanager
def _on(cores: Sequence[int]) -> Iterator[None]:
    """This process, and whatever it starts meanwhile."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
