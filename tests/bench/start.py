"""One instance from cold: how soon it is ready, what it takes when idle, how soon books and folders open."""

import asyncio
import random
import time

from bench.books import epub_book
from bench.figures import Figure, Report
from bench.folders import folder_figures
from bench.page_images import page_image_figures
from bench.processes import memory_mb
from bench.reader import Reader
from servers.lectern import LecternInstance

SETTLE_SECONDS = 3.0


async def measure_start(
    instance: LecternInstance, *, ready_seconds: float, source: random.Random, report: Report
) -> None:
    report.add([Figure("cold start to ready", ready_seconds, "s", 4)])
    await asyncio.sleep(SETTLE_SECONDS)
    used = memory_mb(instance.pid)
    for name, megabytes in sorted(used.items(), key=lambda item: -item[1]):
        print(f"      {name:<60} {megabytes:7.1f} MB")
    report.add(
        [Figure("idle memory of all processes (proportional set size)", sum(used.values()), "MB", 400)]
    )
    async with Reader.signed_up(instance.base_url) as reader:
        report.add(await _opening(reader, source))
        report.add(await folder_figures(reader, instance.workspace))
        report.add(await page_image_figures(reader, instance.base_url, source))


async def _opening(reader: Reader, source: random.Random) -> list[Figure]:
    book = epub_book(source, chapters=25, characters=500_000)
    began = time.perf_counter()
    document_id = await reader.upload("bench.epub", book)
    await reader.until_ready(document_id)
    await reader.get(f"/api/documents/{document_id}/sections/0")
    shown = time.perf_counter() - began
    session = await reader.play(document_id)
    await reader.get(session["planUrl"])
    planned = time.perf_counter() - began
    return [
        Figure("EPUB of 500,000 characters: upload to first page", shown, "s", 1),
        Figure("EPUB of 500,000 characters: upload to fully planned", planned, "s", 3),
    ]
