"""The job-state bucket: small JSON values under keys, with revisions and lifetimes.

Written over plain JetStream messages because the client's own key-value class has no lifetime on update.
"""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import RawStreamMsg
from nats.js.errors import APIError, NotFoundError

from compute_worker.operations.broker import (
    JOB_STATES_STREAM,
    JOB_STATES_SUBJECT,
    REQUEST_TIMEOUT_SECONDS,
    STREAM_FULL,
    Broker,
    broker_unavailable,
    job_states_full,
)
from compute_worker.operations.subscriptions import lasting_subscription, unsubscribe

WRONG_LAST_SEQUENCE = 10071  # JetStream's JSStreamWrongLastSequenceErrF
PURGE_MARKER_SECONDS = 1.0  # the marker of a deleted key disappears by itself

TELL_FULL_SECONDS = 60.0

Value = dict[str, Any]
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Entry:
    value: Value
    revision: int


class JobStates:
    def __init__(self, *, broker: Broker) -> None:
        self._broker = broker
        self._tell_full_again_at = 0.0

    async def get(self, key: str) -> Entry | None:
        last = await self._last(key)
        if last is None or not last.data:  # a purge marker
            return None
        return Entry(json.loads(last.data), int(last.seq or 0))

    async def put(self, key: str, value: Value, *, ttl_seconds: float | None = None) -> int:
        return await self._publish(key, value, {}, ttl_seconds)

    async def create(self, key: str, value: Value, *, ttl_seconds: float | None = None) -> int | None:
        """The new revision, or None when the key exists."""
        revision = await self._publish_expecting(key, value, 0, ttl_seconds)
        if revision is not None:
            return revision
        # The key may be held only by the marker of its own deletion.
        last = await self._last(key)
        if last is not None and last.data:
            return None
        return await self._publish_expecting(key, value, int(last.seq or 0) if last else 0, ttl_seconds)

    async def update(
        self, key: str, value: Value, revision: int, *, ttl_seconds: float | None = None
    ) -> int | None:
        """The new revision, or None when somebody else wrote since."""
        return await self._publish_expecting(key, value, revision, ttl_seconds)

    async def delete(self, key: str, *, revision: int | None = None) -> bool:
        """With a revision, False when somebody else wrote since."""
        purge = {"KV-Operation": "PURGE", "Nats-Rollup": "sub"}
        if revision is not None:
            purge["Nats-Expected-Last-Subject-Sequence"] = str(revision)
        try:
            await self._publish(key, None, purge, PURGE_MARKER_SECONDS)
        except _StaleRevisionError:
            return False
        return True

    async def values(self, prefix: str) -> AsyncIterator[Value]:
        """Of all keys below the prefix, as they are when it begins."""
        try:
            entries = await self._broker.jetstream.subscribe(
                self._subject(f"{prefix}.>"), stream=JOB_STATES_STREAM, ordered_consumer=True
            )
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
        try:
            info = await entries.consumer_info()
            delivered = info.delivered.consumer_seq if info.delivered else 0
            for _ in range(delivered + (info.num_pending or 0)):
                message = await entries.next_msg(timeout=REQUEST_TIMEOUT_SECONDS)
                if message.data:
                    yield json.loads(message.data)
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
        finally:
            await unsubscribe(entries)

    @asynccontextmanager
    async def watch(self, key: str, on_change: Callable[[Value], None]) -> AsyncIterator[None]:
        """Calls on_change with the present value, if there is one, and with every later one."""

        revision = 0

        async def deliver(message: Msg) -> None:
            nonlocal revision
            delivered = int(message.metadata.sequence.stream)
            if delivered > revision:
                revision = delivered
                if message.data:
                    on_change(json.loads(message.data))

        async def is_behind() -> bool:
            last = await self._last(key)
            return last is not None and int(last.seq or 0) > revision

        async def subscribe() -> Any:
            return await self._broker.jetstream.subscribe(
                self._subject(key), stream=JOB_STATES_STREAM, cb=deliver, ordered_consumer=True
            )

        async with lasting_subscription(self._broker, subscribe, is_behind=is_behind):
            yield

    async def _publish_expecting(
        self, key: str, value: Value, revision: int, ttl_seconds: float | None
    ) -> int | None:
        headers = {"Nats-Expected-Last-Subject-Sequence": str(revision)}
        try:
            return await self._publish(key, value, headers, ttl_seconds)
        except _StaleRevisionError:
            return None

    async def _publish(
        self, key: str, value: Value | None, headers: dict[str, str], ttl_seconds: float | None
    ) -> int:
        payload = b"" if value is None else json.dumps(value, separators=(",", ":")).encode()
        try:
            ack = await self._broker.jetstream.publish(
                self._subject(key), payload, headers=headers or None, msg_ttl=ttl_seconds
            )
        except APIError as error:
            if error.err_code == WRONG_LAST_SEQUENCE:
                raise _StaleRevisionError from error
            if error.err_code == STREAM_FULL:
                self._tell_full()
                raise job_states_full() from error
            raise broker_unavailable(error) from error
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
        return int(ack.seq)

    def _tell_full(self) -> None:
        """Not for every cursor of every listener."""
        now = monotonic()
        if now >= self._tell_full_again_at:
            self._tell_full_again_at = now + TELL_FULL_SECONDS
            log.error(
                "the job-state bucket is full: new work is refused, what runs goes on. Raise "
                "COMPUTE_JOB_STATES_MAX_BYTES on every worker and restart them, or wait until records expire"
            )

    async def _last(self, key: str) -> RawStreamMsg | None:
        """The key's last message; one without data is the marker of its deletion."""
        try:
            return await self._broker.jetstream.get_last_msg(JOB_STATES_STREAM, self._subject(key))
        except NotFoundError:
            return None
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error

    @staticmethod
    def _subject(key: str) -> str:
        return f"{JOB_STATES_SUBJECT}.{key}"


class _StaleRevisionError(Exception):
    """The key's last revision is not the one expected."""
