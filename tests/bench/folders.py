"""How long a large server folder takes to be listed."""

import time
from pathlib import Path

from bench.figures import Figure
from bench.reader import Reader

FILES = 10_000
LISTINGS = 5


async def folder_figures(reader: Reader, workspace: Path) -> list[Figure]:
    """The slowest of several, over the whole way from the browser."""
    folder = workspace / "docstore" / "library"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(FILES):
        (folder / f"Book {number}.epub").touch()
    times = []
    for _ in range(LISTINGS):
        began = time.perf_counter()
        page = await reader.get("/api/server-folders/entries?root=0")
        times.append(time.perf_counter() - began)
        assert page["total"] == FILES
    return [Figure("server folder of 10,000 files: listed", max(times), "s", 1)]
