"""The first connection to the broker: every way of proving who we are, and what is said when it fails."""

import asyncio
import re
from collections.abc import Awaitable, Iterator
from pathlib import Path

import nkeys
import pytest

from compute_worker.diagnostics.looks import look_at_broker
from compute_worker.operations.broker import BrokerLimits, check_broker, connect_broker, open_broker
from compute_worker.operations.events import Events
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.model import OperationKind
from compute_worker.operations.queue import OperationQueue
from servers.nats import NatsServer, running_nats
from servers.nats_accounts import NatsAccounts, creds_of, new_key
from shared.configuration.worker_settings import WorkerSettings, read_worker_settings
from shared.errors import Code, LecternError


@pytest.fixture(scope="module")
def accounts() -> NatsAccounts:
    return NatsAccounts()


@pytest.fixture(scope="module")
def guarded_server(accounts: NatsAccounts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """It lets in only users of its accounts."""
    directory = tmp_path_factory.mktemp("guarded-nats")
    with running_nats(directory, configuration=accounts.server_configuration) as server:
        yield server


def settings(url: str, **variables: str) -> WorkerSettings:
    return read_worker_settings(
        {
            "BROKER_URL": url,
            "COMPUTE_WORKER_TOKEN": "w" * 32,
            "COMPUTE_CREDENTIAL_BROKER_TOKEN": "c" * 32,
            "TTS_PLAYBACK_TOKEN_SECRET": "p" * 32,
            "COMPUTE_CREDENTIAL_BROKER_URL": "grpc://127.0.0.1:1",
            "S3_ACCESS_KEY_ID": "key",
            "S3_SECRET_ACCESS_KEY": "secret",
            "S3_BUCKET": "bucket",
            "S3_REGION": "us-east-1",
            **variables,
        }
    )


async def can_connect(worker: WorkerSettings) -> None:
    async with (
        connect_broker(worker.broker.connect_options, name="test", limits=BrokerLimits()) as broker,
        asyncio.timeout(10),
    ):
        assert (await broker.jetstream.account_info()).streams == 3  # the two streams and the bucket


async def refusal(worker: WorkerSettings) -> LecternError:
    async with asyncio.timeout(20):
        with pytest.raises(LecternError) as caught:
            await can_connect(worker)
    assert caught.value.code is Code.FAILED_PRECONDITION
    return caught.value


async def refused(asking: Awaitable[object]) -> LecternError:
    with pytest.raises(LecternError) as caught:
        await asking
    assert caught.value.code is Code.UNAVAILABLE
    return caught.value


async def test_the_content_of_a_creds_file_lets_in(
    accounts: NatsAccounts, guarded_server: NatsServer
) -> None:
    await can_connect(settings(guarded_server.url, BROKER_CREDS=accounts.new_creds()))


async def test_a_creds_file_lets_in(
    accounts: NatsAccounts, guarded_server: NatsServer, tmp_path: Path
) -> None:
    file = tmp_path / "worker.creds"
    file.write_text(accounts.new_creds())
    await can_connect(settings(guarded_server.url, BROKER_CREDS_FILE=str(file)))


async def test_the_content_wins_over_the_file(
    accounts: NatsAccounts, guarded_server: NatsServer, tmp_path: Path
) -> None:
    file = tmp_path / "worker.creds"
    file.write_text(creds_of(new_key(nkeys.PREFIX_BYTE_ACCOUNT)))
    both = settings(guarded_server.url, BROKER_CREDS=accounts.new_creds(), BROKER_CREDS_FILE=str(file))
    await can_connect(both)


async def test_a_strangers_creds_are_refused_with_a_reason_and_without_showing_them(
    guarded_server: NatsServer, caplog: pytest.LogCaptureFixture
) -> None:
    creds = creds_of(new_key(nkeys.PREFIX_BYTE_ACCOUNT))
    worker = settings(guarded_server.url, BROKER_CREDS=creds)
    error = await refusal(worker)
    assert error.reason == "BROKER_REFUSES"
    assert "BROKER_CREDS" in error.message
    seed = creds.splitlines()[5]
    assert seed.startswith("SU")
    assert seed not in error.message + caplog.text + repr(worker)


async def test_a_wrong_password_is_refused_with_a_reason_and_without_showing_it(tmp_path: Path) -> None:
    configuration = '{"authorization": {"user": "lectern", "password": "the right one"}}'
    with running_nats(tmp_path, configuration=configuration) as server:
        host = server.url.removeprefix("nats://")
        await can_connect(settings(f"nats://lectern:the%20right%20one@{host}"))
        error = await refusal(settings(f"nats://lectern:sentinel-word@{host}"))
    assert error.reason == "BROKER_REFUSES"
    assert f"The broker at {server.url} refuses the credentials" in error.message
    assert "sentinel-word" not in error.message


async def test_until_the_broker_is_there_everybody_is_told_so_at_once(free_port) -> None:
    servers = {
        f"nats://user:sentinel-word@127.0.0.1:{free_port()}": "Connection refused",
        "nats://no-such-host.invalid:4222": "not known|resolution",
    }
    for url, cause in servers.items():
        options = settings(url).broker.connect_options
        async with open_broker(options, name="test", limits=BrokerLimits()) as broker, asyncio.timeout(10):
            states, events = JobStates(broker=broker), Events(broker=broker)
            queue = OperationQueue(broker=broker, states=states, events=events, stale_seconds=60)
            connecting = asyncio.create_task(broker.connect())
            while "can't be reached" not in (await refused(look_at_broker(broker))).message:
                await asyncio.sleep(0.01)
            operator = (await refused(look_at_broker(broker))).message
            anybody = (await refused(check_broker(broker))).message
            for asking in (
                queue.submit(OperationKind.DOCUMENT, "key", {}),
                queue.cancel("id"),
                anext(queue.watch("id")),
                states.put("key", {}),
                anext(states.values("prefix")),
                events.publish("topic", {}),
            ):
                error = await refused(asking)
                assert (error.reason, error.message) == (
                    "BROKER_UNAVAILABLE",
                    "The message broker did not answer. Trying again may help.",
                )
            assert not connecting.done()
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)
        place = url.rpartition("@")[2].removeprefix("nats://")
        assert re.search(rf"{place} can't be reached \(.*({cause}).*\)\. Check BROKER_URL", operator)
        assert re.search(cause, anybody)
        assert place not in anybody
        assert "sentinel-word" not in operator + anybody


async def test_an_account_without_streams_is_explained(tmp_path: Path) -> None:
    configuration = '{"accounts": {"A": {"users": [{"user": "lectern", "password": "word"}]}}}'
    with running_nats(tmp_path, configuration=configuration) as server:
        error = await refusal(settings(server.url.replace("//", "//lectern:word@")))
    assert error.reason == "BROKER_UNUSABLE"
    assert "Check that JetStream is enabled there for our account" in error.message


async def test_a_broker_that_comes_late_is_waited_for(free_port, tmp_path: Path) -> None:
    port = free_port()
    connecting = asyncio.create_task(can_connect(settings(f"nats://127.0.0.1:{port}")))
    await asyncio.sleep(0)
    with running_nats(tmp_path, port=port):
        await connecting


async def test_more_replicas_than_servers_are_explained(nats_server: NatsServer) -> None:
    with pytest.raises(LecternError, match=r"COMPUTE_BROKER_REPLICAS is 3") as caught:
        async with connect_broker(
            {"servers": [nats_server.url]}, name="test", limits=BrokerLimits(replicas=3)
        ):
            pass
    assert caught.value.reason == "BROKER_UNUSABLE"


async def test_too_little_storage_is_explained(tmp_path: Path) -> None:
    with (
        running_nats(tmp_path, configuration='{"jetstream": {"max_file_store": 1000000}}') as server,
        pytest.raises(LecternError, match="lower COMPUTE_JOBS_STREAM_MAX_BYTES"),
    ):
        await can_connect(settings(server.url))


async def test_a_check_that_is_called_off_does_the_connection_no_harm(nats_server: NatsServer) -> None:
    """At whatever moment: a prober that has waited long enough goes away."""
    async with connect_broker({"servers": [nats_server.url]}, name="t", limits=BrokerLimits()) as broker:
        for moment in range(20):
            check = asyncio.create_task(check_broker(broker))
            for _ in range(moment):
                await asyncio.sleep(0)
            check.cancel()
            await asyncio.gather(check, return_exceptions=True)
        assert (await broker.jetstream.account_info()).streams == 3
