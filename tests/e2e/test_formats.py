"""PDF and Word files from upload to a page in the browser's form, through the whole application."""

import random

import pytest

from bench.pdf.specimens import article, slides
from bench.reader import Reader
from servers.lectern import LecternInstance

pytestmark = pytest.mark.e2e


async def test_a_pdf_is_read_and_can_be_played(lectern_instance: LecternInstance) -> None:
    specimen = article(random.Random(3))
    async with Reader.signed_up(lectern_instance.base_url) as reader:
        document_id = await reader.upload("paper.pdf", specimen.pdf)
        document = await reader.until_ready(document_id)
        assert (document["format"], document["title"]) == ("pdf", specimen.truth[0].text)
        section = await reader.get(f"/api/documents/{document_id}/sections/0")
        assert section["blocks"][0]["locator"]["page"]["lines"][0]["right"] > 0
        session = await reader.play(document_id)
        assert session["segmentCount"] > 20
        url = f"{session['audioUrl']}&from={session['startOrdinal']}&at=0"
        assert await reader.first_byte_seconds(url) < 30


async def test_a_pdf_that_cannot_be_opened_says_why(lectern_instance: LecternInstance) -> None:
    async with Reader.signed_up(lectern_instance.base_url) as reader:
        document_id = await reader.upload("torn.pdf", slides(random.Random(3)).pdf[:300])
        with pytest.raises(AssertionError, match="PDF_DAMAGED"):
            await reader.until_ready(document_id)
