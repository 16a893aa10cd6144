"""Submitting, reading, watching and cancelling operations, from any worker."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import structlog
from nats.errors import Error as NatsError
from nats.js.errors import APIError

from compute_worker.operations import model
from compute_worker.operations.broker import STREAM_FULL, Broker, broker_unavailable
from compute_worker.operations.events import Events, Following
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.lanes import Lane, LaneOf, one_lane
from compute_worker.operations.model import OperationFailure, OperationKind, OperationRecord, OperationState
from shared.errors import Code, LecternError

RECORD_TTL_SECONDS = 7 * 86_400.0
CANCEL_SUBJECT = "lectern.control.cancel"
RECORDS = "operation"  # what the keys of records begin with
SUBMIT_TRIES = 5  # compare-and-set rounds before we call it contention
LOOK_AGAIN_SECONDS = 15.0  # who changed a record may have died, or lost the broker, before it was announced

ResultExists = Callable[[str], Awaitable[bool]]
log = structlog.get_logger(__name__)


def record_key(operation_id: str) -> str:
    return f"{RECORDS}.{operation_id}"


def event_topic(operation_id: str) -> str:
    return f"operation.{operation_id}"


class OperationQueue:
    def __init__(
        self,
        *,
        broker: Broker,
        states: JobStates,
        events: Events,
        stale_seconds: float,
        clock: Callable[[], float] = time.time,
        lane_of: LaneOf = one_lane,
        check_room: Callable[[Lane], Awaitable[None]] | None = None,
    ) -> None:
        """check_room raises where a queue is as long as it may be."""
        self._broker = broker
        self._states = states
        self._events = events
        self._stale_seconds = stale_seconds
        self._clock = clock
        self._lane_of = lane_of
        self._check_room = check_room

    async def submit(
        self,
        kind: OperationKind,
        dedup_key: str,
        arguments: dict[str, Any],
        *,
        again: bool = False,
        result_exists: ResultExists | None = None,
    ) -> OperationRecord:
        """One key gives one operation: a live one is joined, a finished one is returned while its result
        exists. A failed or cancelled one runs again only when `again` says so, a stale one always.

        Raises RESOURCE_EXHAUSTED when there is no room for one more that waits.
        """
        operation_id = model.operation_id_of(kind, dedup_key)
        for _ in range(SUBMIT_TRIES):
            entry = await self._states.get(record_key(operation_id))
            if entry is None:
                await self._make_sure_of_room(kind, arguments)
                record = model.queued(kind, dedup_key, arguments, self._clock())
                revision = await self._states.create(
                    record_key(operation_id), record.to_json(), ttl_seconds=RECORD_TTL_SECONDS
                )
            else:
                present = OperationRecord.from_json(entry.value)
                if not await self._must_run_again(present, again, result_exists):
                    if present.state is OperationState.QUEUED:
                        await self._enqueue(present)  # its submitter may have died before enqueuing
                    return present
                await self._make_sure_of_room(kind, arguments)
                record = model.queued(kind, dedup_key, arguments, self._clock(), run=present.run + 1)
                revision = await self._write(record, entry.revision)
            if revision is not None:
                await self._enqueue(record)
                await self.announce(record)
                return record
        raise LecternError(Code.ABORTED, "The operation is being changed by others. Try again.")

    async def get(self, operation_id: str) -> OperationRecord:
        record, _ = await self._present(operation_id)
        return record

    async def watch(self, operation_id: str) -> AsyncIterator[OperationRecord]:
        """The present record, then every change, until a terminal state."""
        async with self._events.follow(event_topic(operation_id)) as following:
            record = await self.get(operation_id)
            yield record
            while not record.state.is_terminal:
                change = await self._news(operation_id, following)
                if change is not None and (change.run, change.updated_at) > (record.run, record.updated_at):
                    record = change
                    yield record

    async def cancel(self, operation_id: str) -> OperationRecord:
        record = await self.change(
            operation_id, lambda r: None if r.state.is_terminal else model.cancelled(r, self._clock())
        )
        if record.state is OperationState.CANCELLED:
            await self._broker.client.publish(CANCEL_SUBJECT, operation_id.encode())
        return record

    async def change(
        self, operation_id: str, transition: Callable[[OperationRecord], OperationRecord | None]
    ) -> OperationRecord:
        """Applies the transition to the latest record and announces the result. A transition that returns
        None leaves the record as it is. Later changes have later times, whatever the clocks of their workers
        say."""
        while True:
            present, revision = await self._present(operation_id)
            changed = transition(present)
            if changed is None:
                return present
            later = math.nextafter(present.updated_at, math.inf)
            changed = replace(changed, updated_at=max(changed.updated_at, later))
            if await self._write(changed, revision) is not None:
                await self.announce(changed)
                return changed

    async def _news(self, operation_id: str, following: Following) -> OperationRecord | None:
        """What was announced; after a while without, the record as it is, or None when it can't be read."""
        try:
            async with asyncio.timeout(LOOK_AGAIN_SECONDS):
                return OperationRecord.from_json((await following.queue.get()).payload)
        except TimeoutError:
            pass
        try:
            return await self.get(operation_id)
        except LecternError as error:
            if not error.retryable:
                raise
            return None

    async def _present(self, operation_id: str) -> tuple[OperationRecord, int]:
        """The record and its revision."""
        entry = await self._states.get(record_key(operation_id))
        if entry is None:
            raise LecternError(Code.NOT_FOUND, "There is no such operation.", reason="OPERATION_NOT_FOUND")
        return OperationRecord.from_json(entry.value), entry.revision

    async def hand_back(self, ours: OperationRecord) -> bool:
        """Lets others begin anew what we are working on; whether it was ours still."""
        record = await self.change(
            ours.operation_id,
            lambda r: model.handed_back(r, self._clock()) if model.is_same_delivery(r, ours) else None,
        )
        is_ours = record.state is OperationState.QUEUED and record.run == ours.run
        if is_ours:
            await self._enqueue(record, f"after-{ours.job_id}-{ours.delivery}")
        return is_ours

    async def enqueue_again(self, waiting: OperationRecord) -> bool:
        """For one that waits and may have lost its job: of two, only the first is worked on. Whether it still
        waited."""
        record = await self.change(
            waiting.operation_id, lambda r: model.requeued(r, self._clock()) if r == waiting else None
        )
        is_waiting = record.state is OperationState.QUEUED and record.run == waiting.run
        if is_waiting:
            await self._enqueue(record, f"again-{record.updated_at}")
        return is_waiting

    async def announce(self, record: OperationRecord) -> None:
        await self._events.publish(event_topic(record.operation_id), record.to_json())

    async def _make_sure_of_room(self, kind: OperationKind, arguments: dict[str, Any]) -> None:
        if self._check_room is not None:
            await self._check_room(self._lane_of(kind, arguments))

    async def _must_run_again(
        self, present: OperationRecord, again: bool, result_exists: ResultExists | None
    ) -> bool:
        if present.is_stale(self._clock(), self._stale_seconds):
            log.warning("replacing a stale operation", operation_id=present.operation_id)
            return True
        if present.state is OperationState.SUCCEEDED:
            return again or (result_exists is not None and not await result_exists(present.result_ref))
        return present.state.is_terminal and again

    async def _write(self, record: OperationRecord, revision: int) -> int | None:
        return await self._states.update(
            record_key(record.operation_id), record.to_json(), revision, ttl_seconds=RECORD_TTL_SECONDS
        )

    async def _enqueue(self, record: OperationRecord, occasion: str = "submitted") -> None:
        """Once per run and occasion."""
        subject = self._lane_of(record.kind, record.arguments).subject
        headers = {"Nats-Msg-Id": f"{record.operation_id}.{record.run}.{occasion}"}
        body = f"{record.operation_id} {record.run}".encode()
        try:
            await self._broker.jetstream.publish(subject, body, headers=headers)
        except APIError as error:
            if error.err_code != STREAM_FULL:
                raise broker_unavailable(error) from error
            full = LecternError(
                Code.RESOURCE_EXHAUSTED,
                "The work queue is full. Try again in a while.",
                reason="QUEUE_FULL",
            )
            log.warning("the work queue is full: raise COMPUTE_JOBS_STREAM_MAX_BYTES")
            failure = OperationFailure(full.reason, full.message, full.retryable)
            await self.change(record.operation_id, lambda r: model.failed(r, failure, self._clock()))
            raise full from error
        except (NatsError, TimeoutError) as error:
            raise broker_unavailable(error) from error
