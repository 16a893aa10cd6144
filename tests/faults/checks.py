"""What has to hold after a run, whatever happened in it. Each check returns its complaints."""

import gzip
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from faults.provider import Asked
from faults.stored import Stored
from faults.trouble import Happening

FILES_LEEWAY = 40  # connections that are kept for a while
TERMINAL = frozenset({"succeeded", "failed", "cancelled"})
PROVIDER_KEYS = 2  # what was asked of it in this minute, and until when it rests
GZIP = b"\x1f\x8b"
REFUSED = re.compile(r"path=(/api/internal/\S+) .*status=(4(?!99)\d\d)")  # 499: the asker had gone


def every_operation_is_settled(present: Stored) -> list[str]:
    """Terminal or running; nothing waits for ever."""
    return [
        f"{key} is {present.records[key]['state']}"
        for key in present.keys("operation")
        if present.records[key]["state"] not in {*TERMINAL, "running"}
    ]


def no_claim_is_left(present: Stored) -> list[str]:
    return present.keys("claim")


def no_job_is_left(present: Stored) -> list[str]:
    """But those that are being worked on."""
    running = sum(present.records[key]["state"] not in TERMINAL for key in present.keys("operation"))
    return [f"{present.jobs} jobs for {running} operations"] if present.jobs > running else []


def followers_have_not_grown(present: Stored, happened: Iterable[Happening]) -> list[str]:
    """Whoever followed events has gone, and so has what the broker kept for them; but for one that was just
    subscribing again when a node was away."""
    most = sum(happening.part.startswith("broker") for happening in happened)
    return [f"{present.consumers} consumers of events"] if present.consumers > most else []


def nothing_has_grown(present: Stored, *, sessions: int, documents: int) -> list[str]:
    """A session has a record, a cursor and an operation, a document an operation, the provider two keys."""
    kinds = Counter(key.partition(".")[0] for key in present.records)
    expected = {"session": sessions, "cursor": sessions, "operation": sessions + documents}
    complaints = [
        f"{kind}: {kinds[kind]}, not {count}" for kind, count in expected.items() if kinds[kind] != count
    ]
    if kinds["provider"] > PROVIDER_KEYS:
        complaints.append(f"provider: {present.keys('provider')}")
    return complaints + [
        f"unexpected {kind}" for kind in kinds if kind not in {*expected, "claim", "provider"}
    ]


def made_once(asked: Mapping[str, Sequence[Asked]], happened: Iterable[Happening]) -> list[str]:
    """Asked for again only when the worker that had asked was stopped, paused or killed since: it held it."""
    faults = [h for h in happened if h.part.startswith("worker")]
    return [
        f"made {len(times)} times, by {earlier.worker} and {later.moment - earlier.moment:.2f} s later by "
        f"{later.worker}, at {later.moment:.2f}: {text[:60]}"
        for text, times in asked.items()
        for earlier, later in pairwise(times)
        if not any(
            fault.part == (earlier.worker or fault.part)  # nobody is known who was killed in that moment
            and fault.began < later.moment
            and fault.ended > earlier.moment
            for fault in faults
        )
    ]


def objects_are_as_expected(
    bucket: Path, happened: Iterable[Happening], *, texts: int, documents: int, uploads_cut: int
) -> list[str]:
    """A document is one object, and has one folder of what was read in it; a piece of speech is two. An
    upload that was cut off is removed by a task, a day later, as is one that a store which went away kept."""
    files = [file.relative_to(bucket) for file in bucket.rglob("*") if file.is_file()]
    speech = Counter(file.suffix for file in files if file.parts[0] == "speech")
    found = {
        "speech": speech[".mp3"],
        "words of speech": speech[".json"],
        "documents": sum(file.parts[0] == "documents" for file in files),
        "readings": len({file.parts[1] for file in files if file.parts[0] == "reading"}),
    }
    expected = {"speech": texts, "words of speech": texts, "documents": documents, "readings": documents}
    complaints = [
        f"{name}: {found[name]}, not {count}" for name, count in expected.items() if found[name] != count
    ]
    uploads = [file for file in files if file.parts[0] == "uploads"]
    kept = sum(happening.part.startswith("store") for happening in happened)
    complaints += [f"left over: {file}" for file in uploads[uploads_cut + kept :]]
    known = {"speech", "documents", "reading", "uploads"}
    return complaints + [f"unexpected: {file}" for file in files if file.parts[0] not in known]


def planted_secrets_in(folder: Path, planted: Mapping[str, Collection[str]]) -> list[str]:
    """In the broker's files, the object store and all logs; packed ones are unpacked."""
    found = []
    for file in folder.rglob("*"):
        if not file.is_file():
            continue
        content = file.read_bytes()
        if content.startswith(GZIP):
            content += gzip.decompress(content)
        found += [
            f"{name} in {file.relative_to(folder)}"
            for name, values in planted.items()
            if any(value.encode() in content for value in values)
        ]
    return found


def files_have_not_grown(before: Mapping[str, int], after: Mapping[str, int]) -> list[str]:
    return [
        f"{name}: {before[name]} -> {count} open files"
        for name, count in after.items()
        if count > before[name] + FILES_LEEWAY
    ]


def tracebacks_in(logs: Iterable[Path]) -> list[str]:
    counts = {log: _text(log).count("Traceback") for log in logs}
    return [f"{log.name}: {count} tracebacks" for log, count in counts.items() if count]


def refused_calls_in(logs: Iterable[Path]) -> list[str]:
    """What workers ask of the app servers is theirs to ask."""
    calls = [f"{log.name}: {' '.join(call)}" for log in logs for call in REFUSED.findall(_text(log))]
    return [f"{call}, {count} times" for call, count in Counter(calls).items()]


def _text(log: Path) -> str:
    return log.read_text(errors="replace")
