import asyncio
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select

from app_server.database.engine import Database, open_database, server_url, sqlite_url
from app_server.database.schema import blobs
from shared.errors import Code, LecternError


def blob(number: int) -> dict[str, object]:
    return {"sha256": f"{number:064x}", "size_bytes": 1, "created_at_ms": 0}


async def test_writers_take_turns(database: Database) -> None:
    async def look_and_add(number: int) -> None:
        async with database.write() as connection:
            await connection.scalar(select(func.count()).select_from(blobs))
            await asyncio.sleep(0)
            await connection.execute(insert(blobs).values(blob(number)))

    await asyncio.gather(*(look_and_add(number) for number in range(20)))
    async with database.read() as connection:
        assert await connection.scalar(select(func.count()).select_from(blobs)) == 20


async def test_an_error_undoes_the_whole_transaction(database: Database) -> None:
    async def add_and_fail() -> None:
        async with database.write() as connection:
            await connection.execute(insert(blobs).values(blob(1)))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await add_and_fail()
    async with database.read() as connection:
        assert await connection.scalar(select(func.count()).select_from(blobs)) == 0


async def test_only_one_holds_a_name(database: Database) -> None:
    inside = most = 0

    async def hold(name: str) -> None:
        nonlocal inside, most
        async with database.hold(name):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1

    await asyncio.gather(*(hold("one") for _ in range(5)))
    assert most == 1


async def test_different_names_are_held_at_once(database: Database) -> None:
    both_inside = asyncio.Barrier(2)

    async def hold(name: str) -> None:
        async with database.hold(name):
            await both_inside.wait()

    async with asyncio.timeout(10):
        await asyncio.gather(hold("one"), hold("two"))


async def test_many_holders_leave_connections_for_their_work(database: Database) -> None:
    async def hold(number: int) -> None:
        async with database.hold(f"name {number}"), database.write() as connection:
            await connection.execute(insert(blobs).values(blob(number)))

    async with asyncio.timeout(10):
        await asyncio.gather(*(hold(number) for number in range(40)))


async def test_a_database_that_is_away_is_unavailable(tmp_path: Path, free_port) -> None:
    for url in (
        sqlite_url(tmp_path / "no such folder" / "a.db"),
        server_url(f"postgresql://user:secret-word@127.0.0.1:{free_port()}/x"),
    ):
        async with open_database(url) as database:
            with pytest.raises(LecternError) as caught:
                async with database.read():
                    pass
        assert caught.value.code is Code.UNAVAILABLE
        assert "secret-word" not in caught.value.message
