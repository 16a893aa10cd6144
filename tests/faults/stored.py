"""What the broker has of Lectern's after a run."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import nats

STATES = "KV_lectern_job_states"
EVENTS, JOBS = "lectern_events", "lectern_jobs"
QUIET_SECONDS = 60.0


@dataclass(frozen=True)
class Stored:
    """Records by key; how many jobs are in the queue; how many follow events."""

    records: dict[str, dict[str, Any]]
    jobs: int
    consumers: int

    def keys(self, kind: str) -> list[str]:
        return [key for key in self.records if key.startswith(f"{kind}.")]


async def stored(broker_urls: Sequence[str]) -> Stored:
    client = await nats.connect(list(broker_urls))
    try:
        jetstream = client.jetstream(timeout=10)
        info = await jetstream.stream_info(STATES, subjects_filter=">")
        records = {}
        for subject in info.state.subjects or {}:
            try:
                message = await jetstream.get_last_msg(STATES, subject)
            except nats.js.errors.NotFoundError:
                continue
            if message.data:
                records[subject.removeprefix("$KV.lectern_job_states.")] = json.loads(message.data)
        jobs = (await jetstream.stream_info(JOBS)).state.messages
        consumers = (await jetstream.stream_info(EVENTS)).state.consumer_count
        return Stored(records, jobs, consumers)
    finally:
        await client.close()


async def until_quiet(broker_urls: Sequence[str], complaints: Callable[[Stored], list[str]]) -> Stored:
    """The last look, after at most QUIET_SECONDS, whether there are complaints or not."""
    present = await stored(broker_urls)
    deadline = asyncio.get_running_loop().time() + QUIET_SECONDS
    while complaints(present) and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.5)
        present = await stored(broker_urls)
    return present
