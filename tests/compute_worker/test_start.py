"""What a worker works with may come later than the worker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from compute_worker.operations.broker import Broker, BrokerLimits, open_broker
from compute_worker.wiring.start import there_before
from servers.nats import NatsServer, running_nats
from servers.object_store import ObjectStoreServer, running_object_store
from servers.ports import free_port
from shared.configuration.settings import StorageSettings
from shared.errors import LecternError
from shared.objects.s3_store import S3Options, S3Store, open_s3_store


@asynccontextmanager
async def parts(broker_url: str, storage: StorageSettings) -> AsyncIterator[tuple[Broker, S3Store]]:
    async with (
        asyncio.timeout(40),
        open_broker({"servers": [broker_url]}, name="test", limits=BrokerLimits()) as broker,
        open_s3_store(S3Options.of(storage)) as store,
    ):
        yield broker, store


async def test_a_stop_ends_the_waiting(object_store: ObjectStoreServer) -> None:
    storage, stop = object_store.settings(prefix="start"), asyncio.Event()
    async with parts(f"nats://127.0.0.1:{free_port()}", storage) as (broker, store):
        begun = asyncio.create_task(there_before(stop, broker, store, storage))
        while broker.obstacle is None or "Connection refused" not in broker.obstacle.message:
            await asyncio.sleep(0.01)
        stop.set()
        assert await begun is False


async def test_what_comes_late_is_waited_for(tmp_path: Path) -> None:
    port = free_port()
    with running_object_store(tmp_path / "store") as server:
        storage = server.settings(prefix="start")
    async with parts(f"nats://127.0.0.1:{port}", storage) as (broker, store):
        begun = asyncio.create_task(there_before(asyncio.Event(), broker, store, storage))
        while broker.obstacle is None or "Connection refused" not in broker.obstacle.message:
            await asyncio.sleep(0.01)
        with running_nats(tmp_path / "broker", port=port):
            while broker.obstacle is not None:
                await asyncio.sleep(0.01)
            assert not begun.done()
            with running_object_store(tmp_path / "store", again=server):
                assert await begun is True


async def test_what_waiting_does_not_mend_ends_it(
    object_store: ObjectStoreServer, nats_server: NatsServer
) -> None:
    storage = replace(object_store.settings(prefix="start"), secret_key="another")
    async with parts(nats_server.url, storage) as (broker, store):
        with pytest.raises(LecternError, match="Check S3_ACCESS_KEY_ID") as caught:
            await there_before(asyncio.Event(), broker, store, storage)
    assert caught.value.reason == "OBJECT_STORE_UNUSABLE"
