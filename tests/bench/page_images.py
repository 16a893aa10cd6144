"""How long a reader waits for the picture of a page: drawn for the first time, and out of the store."""

import random
import time

from bench.figures import Figure, percentile
from bench.pdf.specimens import article
from bench.reader import Reader

WIDTH = 1200
ROUNDS = 3


async def page_image_figures(reader: Reader, base_url: str, source: random.Random) -> list[Figure]:
    specimen = article(source, sections=24)
    document_id = await reader.upload("pages.pdf", specimen.pdf)
    await reader.until_ready(document_id)

    async def milliseconds(page: int) -> float:
        began = time.perf_counter()
        await reader.read_all(f"{base_url}/api/documents/{document_id}/pages/{page}/image?width={WIDTH}")
        return (time.perf_counter() - began) * 1000

    first = await milliseconds(0)
    cold = [await milliseconds(page) for page in range(1, specimen.pages)]
    cached = [await milliseconds(page) for _ in range(ROUNDS) for page in range(specimen.pages)]
    print(f"      page image, the first of a file (its program starts, its file is fetched) {first:7.1f} ms")
    return [
        Figure(f"page image at {WIDTH:,} px, cold, p50", percentile(cold, 0.5), "ms", 120),
        Figure(f"page image at {WIDTH:,} px, cached, p50", percentile(cached, 0.5), "ms", 15),
    ]
