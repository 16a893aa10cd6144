"""Plans, made once per document and options, kept in object storage and a few in memory."""

import asyncio
import gzip
import json
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import astuple, replace
from operator import attrgetter
from typing import Any

from compute_worker.documents.artifacts import load_document, load_section, plan_key
from compute_worker.documents.model import Section
from compute_worker.playback.model import Plan, PlanOptions, PlanSection, Segment
from compute_worker.playback.planner import build_plan
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore

HELD_PLANS = 16  # a plan of a long novel takes about 5 MB
SECTION_READS = 8  # at once
COMPRESSION_LEVEL = 3

# Held while a plan is made; one that is stored already needs none.
Turn = Callable[[], AbstractAsyncContextManager[None]]


class Plans:
    def __init__(self, *, store: ObjectStore) -> None:
        self._store = store
        self._held: OrderedDict[str, Plan] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    async def plan(self, reading_ref: str, options: PlanOptions, *, turn: Turn = nullcontext) -> Plan:
        """turn: for who has none yet. Raises LecternError NOT_FOUND when the reading document is gone and
        FAILED_PRECONDITION when nothing in it is read."""
        plan_id = options.identity(reading_ref)
        held = self._held.get(plan_id)
        if held is not None:
            self._held.move_to_end(plan_id)
            return held
        lock = self._locks.setdefault(plan_id, asyncio.Lock())
        try:
            async with lock:
                if plan_id not in self._held:
                    self._hold(await self._load_or_build(plan_id, reading_ref, options, turn))
                return self._held[plan_id]
        finally:
            if not lock.locked():
                self._locks.pop(plan_id, None)

    def _hold(self, plan: Plan) -> None:
        self._held[plan.plan_id] = plan
        while len(self._held) > HELD_PLANS:
            self._held.popitem(last=False)

    async def _load_or_build(self, plan_id: str, reading_ref: str, options: PlanOptions, turn: Turn) -> Plan:
        key = plan_key(reading_ref, plan_id)
        try:
            return await asyncio.to_thread(_unpack, await self._store.get(key))
        except ObjectNotFoundError:
            async with turn():
                plan = await self._build(plan_id, reading_ref, options)
        await self._store.put(key, await asyncio.to_thread(_pack, plan), content_type="application/gzip")
        return plan

    async def _build(self, plan_id: str, reading_ref: str, options: PlanOptions) -> Plan:
        try:
            document = await load_document(self._store, reading_ref)
            limit = asyncio.Semaphore(SECTION_READS)

            async def read(index: int) -> Section:
                async with limit:
                    return await load_section(self._store, reading_ref, index)

            sections = await asyncio.gather(*(read(s.index) for s in document.sections))
        except ObjectNotFoundError as error:
            raise LecternError(
                Code.NOT_FOUND,
                "The document's text is gone. Open the document again to prepare it anew.",
                reason="READING_NOT_FOUND",
            ) from error
        ordered = sorted(sections, key=attrgetter("index"))
        plan = await asyncio.to_thread(build_plan, plan_id, reading_ref, document.language, ordered, options)
        if not plan.segments:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "There is nothing to read aloud in this document.",
                reason="NOTHING_TO_READ",
            )
        return plan


def _pack(plan: Plan) -> bytes:
    value = {
        "planId": plan.plan_id,
        "readingRef": plan.reading_ref,
        "language": plan.language,
        "sections": [astuple(section) for section in plan.sections],
        "segments": [astuple(segment) for segment in plan.segments],
    }
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), COMPRESSION_LEVEL, mtime=0)


def _unpack(packed: bytes) -> Plan:
    value = json.loads(gzip.decompress(packed))
    return Plan(
        value["planId"],
        value["readingRef"],
        value["language"],
        tuple(PlanSection(*section) for section in value["sections"]),
        tuple(_segment(segment) for segment in value["segments"]),
    )


def _segment(values: list[Any]) -> Segment:
    segment = Segment(*values)
    return replace(segment, omitted=tuple((start, end) for start, end in segment.omitted))
