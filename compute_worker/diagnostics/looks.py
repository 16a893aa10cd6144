"""What a worker looks at. Each look returns what it found and raises when the part fails."""

import asyncio

from nats.errors import Error as NatsError

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
# Of a store that refuses what is new when it is full. The events stream drops its oldest instead.
NEARLY_FULL = 0.9


async def look_at_broker(broker: Broker) -> str:
    """The three stores answer. Says how full they are."""
    if broker.obstacle is not None:
        raise LecternError(Code.UNAVAILABLE, broker.obstacle.message, reason="BROKER_UNAVAILABLE")
    streams = (JOBS_STREAM, EVENTS_STREAM, JOB_STATES_STREAM)
    try:
        found = await asyncio.gather(*map(broker.jetstream.stream_info, streams))
    except (NatsError, OSError, TimeoutError) as error:
        raise broker_unavailable(error) from error
    jobs, _, states = found
    for info, code, variable in (
        (jobs, "JOBS_STREAM_NEARLY_FULL", "COMPUTE_JOBS_STREAM_MAX_BYTES"),
        (states, "JOB_STATES_NEARLY_FULL", "COMPUTE_JOB_STATES_MAX_BYTES"),
    ):
        share = info.state.bytes / (info.config.max_bytes or 1)
        if share >= NEARLY_FULL:
            raise LecternError(
                Code.RESOURCE_EXHAUSTED,
                f"{variable} is used to {share:.0%}: beyond it new work is refused, and what runs goes on.",
                reason=code,
            )
    size = sum(info.state.bytes for info in found)
    waiting = jobs.state.messages
    return f"Its {len(streams)} stores answer: {waiting} jobs wait or run, {size / 1e6:.1f} MB are in use."


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
