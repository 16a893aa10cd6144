"""What has to hold after a run, whatever happened in it."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import nats

from faults.mesh import BUCKET, Mesh
from faults.trouble import Happening

STATES = "KV_lectern_job_states"
EVENTS, JOBS = "lectern_events", "lectern_jobs"
FILES_LEEWAY = 40  # connections that are kept for a while
QUIET_SECONDS = 30.0


@dataclass(frozen=True)
class Stored:
    """What the broker has, by key."""

    records: dict[str, dict[str, object]]
    jobs: int
    consumers: int

    def keys(self, kind: str) -> list[str]:
        return [key for key in self.records if key.startswith(f"{kind}.")]


async def stored(mesh: Mesh) -> Stored:
    client = await nats.connect(mesh.broker_urls)
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


async def until_quiet(mesh: Mesh, condition: Callable[[Stored], bool]) -> Stored:
    """The last look, after at most QUIET_SECONDS, whether it fulfils the condition or not."""
    present = await stored(mesh)
    deadline = asyncio.get_running_loop().time() + QUIET_SECONDS
    while not condition(present) and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.5)
        present = await stored(mesh)
    return present


def every_operation_is_settled(present: Stored) -> list[str]:
    """Terminal or running; nothing waits for ever."""
    return [
        f"{key} is {present.records[key]['state']}"
        for key in present.keys("operation")
        if present.records[key]["state"] not in {"succeeded", "failed", "cancelled", "running"}
    ]


def no_claim_is_left(present: Stored) -> list[str]:
    return present.keys("claim")


def nothing_has_grown(present: Stored, *, sessions: int, documents: int) -> list[str]:
    """A session has a record, a cursor and an operation; a document an operation; the provider two keys."""
    kinds = Counter(key.partition(".")[0] for key in present.records)
    expected = {"session": sessions, "cursor": sessions, "operation": sessions + documents}
    return [
        f"{kind}: {kinds[kind]}, not {count}" for kind, count in expected.items() if kinds[kind] != count
    ] + [f"unexpected {kind}" for kind in kinds if kind not in {*expected, "claim", "provider"}]


def made_once(mesh: Mesh, happened: list[Happening]) -> list[str]:
    """Asked for again only when a worker was stopped or killed since the last time: it may have held it."""
    faults = [h for h in happened if h.part.startswith("worker")]
    return [
        f"made {len(moments)} times, {later - earlier:.2f} s apart: {text[:60]}"
        for text, moments in mesh.provider.asked.items()
        for earlier, later in pairwise(moments)
        if not any(fault.began < later and fault.ended > earlier for fault in faults)
    ]


def objects_are_as_expected(mesh: Mesh, happened: list[Happening]) -> list[str]:
    """Two objects for each piece of speech. An upload that was cut off is removed by a task, a day later."""
    files = [file for file in (mesh.folder / "store" / "data" / BUCKET).rglob("*") if file.is_file()]
    speech = [file for file in files if "speech" in file.parts]
    complaints = []
    pairs = Counter(file.suffix for file in speech)
    if pairs[".mp3"] != pairs[".json"] or pairs[".mp3"] != len(mesh.provider.asked):
        complaints.append(f"speech: {pairs}, {len(mesh.provider.asked)} texts were spoken")
    uploads = [file for file in files if "uploads" in file.parts]
    cut_off = sum(happening.part.startswith(("app", "store")) for happening in happened)
    complaints += [f"left over: {file}" for file in uploads[cut_off:]]
    return complaints


def planted_secrets_in(mesh: Mesh) -> list[str]:
    """In the broker's files, the object store and all logs."""
    found = []
    needles = {name: value.encode() for name, value in mesh.planted.items()}
    for file in mesh.folder.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            found += [f"{name} in {file}" for name, needle in needles.items() if needle in content]
    return found


def files_have_not_grown(mesh: Mesh, before: dict[str, int]) -> list[str]:
    return [
        f"{name}: {before[name]} -> {count} open files"
        for name, count in open_files(mesh).items()
        if count > before[name] + FILES_LEEWAY
    ]


def open_files(mesh: Mesh) -> dict[str, int]:
    return {program.name: program.open_files() for program in [*mesh.workers, *mesh.apps]}


def tracebacks_in(mesh: Mesh) -> list[str]:
    logs: list[Path] = [program.log for program in [*mesh.workers, *mesh.apps]]
    return [
        f"{log}: {log.read_text().count('Traceback')} tracebacks"
        for log in logs
        if "Traceback" in log.read_text()
    ]
