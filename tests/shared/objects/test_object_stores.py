"""One suite over every implementation of the port."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.objects.ports import ObjectNotFoundError, ObjectStore
from shared.objects.s3_store import PART_BYTES


async def chunks_of(body: bytes, size: int = 1_000_003) -> AsyncIterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


async def read(store: ObjectStore, key: str, *, start: int = 0, end: int | None = None) -> bytes:
    return b"".join([chunk async for chunk in store.stream(key, start=start, end=end)])


async def keys(store: ObjectStore, prefix: str) -> list[str]:
    return sorted([found.key async for found in store.list(prefix)])


async def test_what_is_put_is_what_one_gets(store: ObjectStore) -> None:
    await store.put("documents/a", b"hello", content_type="text/plain")
    assert await store.get("documents/a") == b"hello"
    await store.put("documents/a", b"replaced")
    assert await store.get("documents/a") == b"replaced"
    info = await store.info("documents/a")
    assert info is not None
    assert (info.key, info.size_bytes) == ("documents/a", 8)


async def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    await store.put("empty", b"")
    assert await store.get("empty") == b""
    assert await read(store, "empty") == b""


@pytest.mark.parametrize("size", [0, 5, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 77])
async def test_a_stream_of_any_size_arrives_whole(store: ObjectStore, size: int) -> None:
    body = (b"0123456789abcdef" * (size // 16 + 1))[:size]
    assert await store.put_stream("big", chunks_of(body), content_type="application/pdf") == size
    assert await store.get("big") == body


@pytest.mark.parametrize("good_bytes", [10, PART_BYTES + 10, 2 * PART_BYTES + 10])
async def test_a_stream_that_fails_leaves_nothing(store: ObjectStore, good_bytes: int) -> None:
    async def failing() -> AsyncIterator[bytes]:
        async for chunk in chunks_of(b"x" * good_bytes):
            yield chunk
        raise ConnectionResetError("the uploader went away")

    with pytest.raises(ConnectionResetError):
        await store.put_stream("uploads/half", failing(), content_type="application/pdf")
    assert await store.info("uploads/half") is None
    assert await keys(store, "uploads/") == []


async def test_a_failed_replacement_keeps_the_old_object(store: ObjectStore) -> None:
    async def failing() -> AsyncIterator[bytes]:
        yield b"x" * (PART_BYTES + 1)
        yield b"x" * PART_BYTES
        raise ConnectionResetError

    await store.put("kept", b"old")
    with pytest.raises(ConnectionResetError):
        await store.put_stream("kept", failing(), content_type="text/plain")
    assert await store.get("kept") == b"old"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, None, b"0123456789"),
        (3, None, b"3456789"),
        (0, 4, b"0123"),
        (3, 7, b"3456"),
        (3, 99, b"3456789"),
        (4, 4, b""),
        (10, None, b""),
        (50, 60, b""),
    ],
)
async def test_a_range_is_a_slice(store: ObjectStore, start: int, end: int | None, expected: bytes) -> None:
    await store.put("ranged", b"0123456789")
    assert await read(store, "ranged", start=start, end=end) == expected


async def test_a_missing_object_is_said_to_be_missing(store: ObjectStore) -> None:
    assert await store.info("nowhere") is None
    with pytest.raises(ObjectNotFoundError) as caught:
        await store.get("nowhere")
    assert caught.value.key == "nowhere"
    with pytest.raises(ObjectNotFoundError):
        await read(store, "nowhere")
    with pytest.raises(ObjectNotFoundError):
        await read(store, "nowhere", start=2, end=2)
    with pytest.raises(ObjectNotFoundError):
        await store.copy("nowhere", "somewhere")


async def test_a_copy_outlives_its_source(store: ObjectStore) -> None:
    await store.put("uploads/x", b"text")
    await store.copy("uploads/x", "documents/y")
    await store.delete("uploads/x")
    await store.delete("uploads/x")
    assert await store.info("uploads/x") is None
    assert await store.get("documents/y") == b"text"


async def test_listing_and_deleting_go_by_prefix(store: ObjectStore) -> None:
    for key in ["reading/aa/1/document", "reading/aa/1/sections/0", "reading/ab/1/document", "speech/aa/x"]:
        await store.put(key, b"1")
    assert await keys(store, "reading/aa/") == ["reading/aa/1/document", "reading/aa/1/sections/0"]
    assert await keys(store, "reading/a") == [
        "reading/aa/1/document",
        "reading/aa/1/sections/0",
        "reading/ab/1/document",
    ]
    assert await store.delete_prefix("reading/aa/") == 2
    assert await store.delete_prefix("reading/aa/") == 0
    assert await keys(store, "") == ["reading/ab/1/document", "speech/aa/x"]


async def test_keys_may_hold_any_text(store: ObjectStore) -> None:
    key = "resources/Käse & 本 (1)+%41.png"
    await store.put(key, b"1")
    assert await keys(store, "resources/") == [key]
    await store.copy(key, "resources/2")
    assert await store.get("resources/2") == b"1"


async def test_many_at_once_do_not_mix(store: ObjectStore) -> None:
    async with asyncio.TaskGroup() as tasks:
        for number in range(60):
            tasks.create_task(store.put(f"many/{number}", str(number).encode()))
    bodies = await asyncio.gather(*(store.get(f"many/{number}") for number in range(60)))
    assert bodies == [str(number).encode() for number in range(60)]
