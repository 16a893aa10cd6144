"""What a worker looks at. Each look returns what it found and raises when the part fails."""

import asyncio
from datetime import UTC, datetime

from nats.errors import Error as NatsError
from nats.js.api import StreamInfo
from nats.js.errors import NotFoundError

from compute_worker.credentials.ports import CredentialBrokerError, CredentialSource
from compute_worker.operations.broker import (
    EVENTS_STREAM,
    JOB_STATES_STREAM,
    JOBS_STREAM,
    Broker,
    broker_unavailable,
)
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore

_BUILTIN_REF = "builtin"
# Of a store: when it is full it refuses what is new. The events stream drops its oldest instead.
NEARLY_FULL = 0.9


async def look_at_broker(broker: Broker) -> str:
    """The three stores answer. Says how full they are."""
    if broker.obstacle is not None:
        raise LecternError(Code.UNAVAILABLE, broker.obstacle.message, reason="BROKER_UNAVAILABLE")
    streams = (JOBS_STREAM, EVENTS_STREAM, JOB_STATES_STREAM)
    try:
        found = await asyncio.gather(*map(broker.jetstream.stream_info, streams))
        jobs, events, states = found
        kept_seconds = await _seconds_kept(broker, events) if _is_nearly_full(events) else None
    except (NatsError, OSError, TimeoutError) as error:
        raise broker_unavailable(error) from error
    for info, code, variable in (
        (jobs, "JOBS_STREAM_NEARLY_FULL", "COMPUTE_JOBS_STREAM_MAX_BYTES"),
        (states, "JOB_STATES_NEARLY_FULL", "COMPUTE_JOB_STATES_MAX_BYTES"),
    ):
        if _is_nearly_full(info):
            raise LecternError(
                Code.RESOURCE_EXHAUSTED,
                f"{variable} is used to {_share_used(info):.0%}: beyond it new work is refused, and what "
                "runs goes on.",
                reason=code,
            )
    wanted_seconds = events.config.max_age or 0
    if kept_seconds is not None and kept_seconds < wanted_seconds:
        raise LecternError(
            Code.RESOURCE_EXHAUSTED,
            f"COMPUTE_EVENTS_STREAM_MAX_BYTES is used to {_share_used(events):.0%}: what happened can be "
            f"told again for {_in_words(kept_seconds)} instead of {_in_words(wanted_seconds)}.",
            reason="EVENTS_STREAM_FULL",
        )
    size = sum(info.state.bytes for info in found)
    waiting = jobs.state.messages
    return f"Its {len(streams)} stores answer: {waiting} jobs wait or run, {size / 1e6:.1f} MB are in use."


def _share_used(info: StreamInfo) -> float:
    return info.state.bytes / (info.config.max_bytes or 1)


def _is_nearly_full(info: StreamInfo) -> bool:
    return _share_used(info) >= NEARLY_FULL


async def _seconds_kept(broker: Broker, events: StreamInfo) -> float:
    """How far back what happened can be replayed."""
    try:
        oldest = await broker.jetstream.get_msg(EVENTS_STREAM, events.state.first_seq)
    except NotFoundError:
        return 0  # it was just dropped
    return (datetime.now(UTC) - oldest.time).total_seconds() if oldest.time else 0


def _in_words(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes / 60:.0f} h" if minutes >= 120 else f"{minutes} min"


async def look_at_object_store(store: ObjectStore) -> str:
    await store.info("health")
    return "The worker reaches it."


async def look_at_credential_broker(credentials: CredentialSource) -> str:
    """Also a refusal to give the built-in voice is an answer: it may be turned off."""
    try:
        await credentials.resolve(_BUILTIN_REF)
    except CredentialBrokerError as error:
        raise error.found from error
    except LecternError as error:
        if error.code is not Code.NOT_FOUND:
            raise
    return "The worker asked the app server and got its answer."
