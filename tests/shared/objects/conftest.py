"""The port's implementations: in memory, the embedded S3 server, and another one. A bucket for each test."""

import secrets
from collections.abc import AsyncIterator

import pytest

from servers.object_store import ObjectStoreServer
from shared.objects.memory_store import MemoryStore
from shared.objects.ports import ObjectStore
from shared.objects.s3_store import S3Options, S3Store, open_s3_store


@pytest.fixture(params=["embedded", "other"])
def s3_server(request: pytest.FixtureRequest) -> ObjectStoreServer:
    name = {"embedded": "object_store", "other": "other_object_store"}[request.param]
    server: ObjectStoreServer = request.getfixturevalue(name)
    return server


@pytest.fixture
def s3_options(s3_server: ObjectStoreServer) -> S3Options:
    return options_of(s3_server)


@pytest.fixture
def embedded_options(object_store: ObjectStoreServer) -> S3Options:
    """For rules that need a server that checks signatures."""
    return options_of(object_store)


def options_of(server: ObjectStoreServer) -> S3Options:
    return S3Options(
        endpoint_url=server.endpoint,
        region=server.region,
        bucket=f"test-{secrets.token_hex(6)}",
        access_key_id=server.access_key,
        secret_access_key=server.secret_key,
        prefix="lectern",
    )


@pytest.fixture
async def s3_store(s3_options: S3Options) -> AsyncIterator[S3Store]:
    async with open_s3_store(s3_options) as store:
        await store.ensure_bucket(create=True)
        yield store


@pytest.fixture
async def embedded_store(embedded_options: S3Options) -> AsyncIterator[S3Store]:
    async with open_s3_store(embedded_options) as store:
        await store.ensure_bucket(create=True)
        yield store


@pytest.fixture
async def other_store(other_object_store: ObjectStoreServer) -> AsyncIterator[S3Store]:
    async with open_s3_store(options_of(other_object_store)) as store:
        await store.ensure_bucket(create=True)
        yield store


@pytest.fixture(params=["memory", "embedded_store", "other_store"])
def store(request: pytest.FixtureRequest) -> ObjectStore:
    if request.param == "memory":
        return MemoryStore()
    s3: S3Store = request.getfixturevalue(request.param)
    return s3
