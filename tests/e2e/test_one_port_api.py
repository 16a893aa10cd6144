"""The audio path of the app passes ranges and refusals on as the worker gives them."""

import aiohttp
import pytest

from bench.reader import Reader

pytestmark = pytest.mark.e2e


async def test_ranges_and_refusals_come_through_unchanged(one_port_instance):
    async with Reader.signed_up(one_port_instance.base_url) as reader:
        document_id = await reader.upload("short.txt", b"A short text. It ends here.")
        await reader.until_ready(document_id)
        session = await reader.play(document_id)
        await reader.generate(session, 0, session["segmentCount"])
        url = session["audioUrl"] + "&from=0&at=0"
        whole = await reader.read_all(url)
    assert url.startswith(one_port_instance.base_url)
    async with aiohttp.ClientSession() as http:
        async with http.get(url, headers={"Range": "bytes=192-383"}) as answer:
            assert (answer.status, answer.headers["Content-Range"]) == (206, f"bytes 192-383/{len(whole)}")
            assert await answer.read() == whole[192:384]
        async with http.get(session["audioUrl"][:-5]) as answer:
            assert answer.status == 403
