"""What a closed app leaves behind."""

import asyncio
import gc
import weakref
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from aiohttp.web_app import _cached_build_middleware
from app_fixtures.browser import Instance


async def test_a_closed_app_leaves_the_memory(
    new_instance: Callable[[], AbstractAsyncContextManager[Instance]],
):
    async with new_instance() as instance:
        reader = await instance.new_reader("reader@example.org")
        await reader.add_document()
        app = weakref.ref(instance.app)
    del instance, reader
    _cached_build_middleware.cache_clear()  # aiohttp's own; see conftest.py
    async with asyncio.timeout(20):
        while app() is not None:
            gc.collect()
            await asyncio.sleep(0)
