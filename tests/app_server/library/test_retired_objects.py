"""What version 4 left in the object store goes at start-up; what merely resembles it stays."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from app_server.library.retired_objects import remove_retired_objects
from app_server.wiring.application import open_app
from app_server.wiring.resources import open_object_store
from servers.object_store import ObjectStoreServer, running_object_store
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.objects.ports import ObjectStore

RETIRED = [f"{prefix}/{name}" for prefix in ("tts_segments_v1", "tts_segments_v2", "audiobooks_v1")
           for name in ("a.mp3", "some/where/deep.json")]  # fmt: skip
KEPT = [
    "documents/audiobooks_v1/a",
    "tts_segments_v1",
    "tts_segments_v10/a",
    "tts_segments_v3/a",
    "audiobooks_v11/a",
    "audiobooks/a",
    "speech/aa/a.mp3",
]


async def keys(objects: ObjectStore) -> list[str]:
    return sorted([found.key async for found in objects.list("")])


async def test_only_the_three_prefixes_go_and_only_under_our_own(
    settings: AppSettings, objects: ObjectStore
) -> None:
    # Embedded store: a key and a folder can't have one name.
    kept = [key for key in KEPT if key != "tts_segments_v1"]
    elsewhere = replace(settings.storage, prefix=f"{settings.storage.prefix}-other")
    async with open_object_store(elsewhere) as other:
        for key in RETIRED + kept:
            await objects.put(key, b"x")
            await other.put(key, b"x")
        assert await remove_retired_objects(objects) == len(RETIRED)
        assert await keys(objects) == sorted(kept)
        assert await keys(other) == sorted(RETIRED + kept)


@pytest.mark.parametrize("word", ["true", "false", None])
async def test_the_app_removes_them_at_its_start_unless_it_is_told_not_to(
    environment: dict[str, str], objects: ObjectStore, word: str | None, capfd: pytest.CaptureFixture[str]
) -> None:
    await objects.put("audiobooks_v1/a.mp3", b"x")
    await objects.put("documents/a", b"x")
    variables = environment if word is None else {**environment, "RUN_V4_DECOMMISSION": word}
    async with open_app(read_app_settings(variables)):
        expected = ["audiobooks_v1/a.mp3", "documents/a"] if word == "false" else ["documents/a"]
        async with asyncio.timeout(10):
            while await keys(objects) != expected:
                await asyncio.sleep(0.02)
    assert ("retired objects were removed" in "".join(capfd.readouterr())) is (word != "false")


@pytest.fixture
async def with_ten_thousand(
    settings: AppSettings, tmp_path: Path
) -> AsyncIterator[tuple[ObjectStoreServer, ObjectStore]]:
    """A store of its own, whose objects are files that lie there before it looks."""
    with running_object_store(tmp_path / "store") as server:
        for number in range(10_000):
            file = server.directory / "lectern" / "audiobooks_v1" / f"{number % 40}" / f"{number}.mp3"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"x")
        async with open_object_store(server.settings(prefix="lectern")) as objects:
            yield server, objects


def files_in(server: ObjectStoreServer) -> int:
    # os.walk doesn't mind folders that disappear under its eyes.
    return sum(len(names) for _, _, names in os.walk(server.directory))


async def test_ten_thousand_go_in_less_than_a_minute_even_when_cut_off_half_way(
    with_ten_thousand: tuple[ObjectStoreServer, ObjectStore],
) -> None:
    server, objects = with_ten_thousand
    started = time.monotonic()
    first = asyncio.create_task(remove_retired_objects(objects))
    while files_in(server) > 9_000:
        await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    left = files_in(server)
    assert 0 < left < 10_000
    removed = await remove_retired_objects(objects)
    # A batch that was under way when the first run was cut off may have gone on in the store.
    assert 0 < removed <= left
    assert files_in(server) == 0
    assert time.monotonic() - started < 60
