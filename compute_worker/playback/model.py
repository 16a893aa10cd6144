"""Plans, segments, sessions and cursors: what they are and the rules between them. No I/O."""

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from compute_worker.speech.omissions import Range
from shared.errors import Code, LecternError
from shared.pronunciation import AS_WRITTEN, Pronunciation, rules_of

PLAN_VERSION = "1"  # part of every plan's identity: change it with the rules of planner.py
DEFAULT_MAX_SEGMENT_CHARACTERS = 450
MAX_SEGMENT_CHARACTERS_RANGE = (150, 1200)
NOT_READ_BY_DEFAULT = frozenset({"HEADER", "FOOTER", "PAGE_NUMBER", "FOOTNOTE", "OTHER"})

SESSION_TTL_SECONDS = 1800.0  # after the last cursor or audio request
LISTENER_GONE_SECONDS = 15.0  # a cursor older than this has nobody behind it


class Extent(Enum):
    """How far generation goes on when the listener is gone."""

    SECTION = "section"
    DOCUMENT = "document"


@dataclass(frozen=True)
class PlanOptions:
    max_segment_characters: int = DEFAULT_MAX_SEGMENT_CHARACTERS
    include_roles: tuple[str, ...] = ()
    skip_roles: tuple[str, ...] = ()
    skip_citations: bool = False
    skip_brackets: bool = False

    def __post_init__(self) -> None:
        low, high = MAX_SEGMENT_CHARACTERS_RANGE
        if not low <= self.max_segment_characters <= high:
            raise LecternError(
                Code.INVALID_ARGUMENT,
                f"max_segment_characters must be between {low} and {high}.",
                reason="OPTION_OUT_OF_RANGE",
            )

    def reads(self, role: str) -> bool:
        if role in self.skip_roles:
            return False
        return role in self.include_roles or role not in NOT_READ_BY_DEFAULT

    def identity(self, reading_ref: str) -> str:
        options = asdict(self)
        for later in (
            "skip_citations",
            "skip_brackets",
        ):  # without them, plans are still what they were
            if not options[later]:
                del options[later]
        return _digest({"version": PLAN_VERSION, "reading": reading_ref, **options})


@dataclass(frozen=True, slots=True)
class Segment:
    """What one speech request says: text is the block's text in [start, end), in code points."""

    ordinal: int
    section: int
    block_id: str
    start: int
    end: int
    first_sentence: int
    sentence_count: int
    pause_frames: int
    text: str
    language: str
    # Ranges of the text that are not said.
    omitted: tuple[Range, ...] = ()


@dataclass(frozen=True)
class PlanSection:
    section: int
    title: str
    first_ordinal: int
    segment_count: int
    character_count: int


@dataclass(frozen=True)
class Plan:
    plan_id: str
    reading_ref: str
    language: str
    sections: tuple[PlanSection, ...]
    segments: tuple[Segment, ...]

    @cached_property
    def _ordinals_by_block(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = {}
        for segment in self.segments:
            index.setdefault(segment.block_id, []).append(segment.ordinal)
        return index

    def ordinal_at(self, block_id: str, offset: int) -> int:
        """The segment that reads the place, or the next one that is read at all."""
        ordinals = self._ordinals_by_block.get(block_id)
        if ordinals:
            for ordinal in ordinals:
                if offset < self.segments[ordinal].end:
                    return ordinal
            return min(ordinals[-1] + 1, len(self.segments) - 1)
        section, _, index = block_id.partition("-")
        if not (section.isdigit() and index.isdigit()):
            raise LecternError(Code.INVALID_ARGUMENT, "There is no such place in the document.")
        wanted = (int(section), int(index))
        following = (s.ordinal for s in self.segments if _block_order(s.block_id) >= wanted)
        return next(following, max(len(self.segments) - 1, 0))

    def extent_end(self, ordinal: int, extent: Extent) -> int:
        """One past the last ordinal that the extent covers."""
        if extent is Extent.DOCUMENT:
            return len(self.segments)
        section = self.segments[ordinal].section
        outline = next(s for s in self.sections if s.section == section)
        return outline.first_ordinal + outline.segment_count

    def section_segments(self, section: int) -> tuple[Segment, ...]:
        for outline in self.sections:
            if outline.section == section:
                return self.segments[outline.first_ordinal : outline.first_ordinal + outline.segment_count]
        raise LecternError(Code.NOT_FOUND, "There is no such section.", reason="SECTION_NOT_FOUND")


@dataclass(frozen=True)
class VoiceSettings:
    """Complete: nothing is left to a default any more."""

    provider_ref: str
    model: str
    voice: str
    instructions: str
    native_speed: float
    language: str
    pronunciation: Pronunciation = AS_WRITTEN


@dataclass(frozen=True)
class Session:
    session_id: str
    owner_id: str
    document_id: str
    reading_ref: str
    plan_id: str
    options: PlanOptions
    settings: VoiceSettings
    extent: Extent
    # Who is charged for new speech, in the app server's words; empty where nobody is.
    usage_account: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "extent": self.extent.value}

    @staticmethod
    def from_json(value: dict[str, Any]) -> "Session":
        options = value["options"]
        return Session(
            **{
                **value,
                "options": PlanOptions(
                    options["max_segment_characters"],
                    tuple(options["include_roles"]),
                    tuple(options["skip_roles"]),
                    options.get("skip_citations", False),
                    options.get("skip_brackets", False),
                ),
                "settings": _settings(value["settings"]),
                "extent": Extent(value["extent"]),
            }
        )


@dataclass(frozen=True)
class Cursor:
    """Where the listener is, and when that was last heard of (seconds since the epoch)."""

    ordinal: int
    playing: bool
    at: float

    def is_gone(self, now: float) -> bool:
        return now - self.at > LISTENER_GONE_SECONDS


def session_id_of(owner_id: str, document_id: str, plan_id: str, settings: VoiceSettings) -> str:
    """The same listener, document, plan and voice always give the same session."""
    return _digest(
        {"owner": owner_id, "document": document_id, "plan": plan_id, "settings": asdict(settings)}
    )


def _settings(value: dict[str, Any]) -> VoiceSettings:
    rules = value.get("pronunciation", {}).get("rules", ())
    return VoiceSettings(**{**value, "pronunciation": Pronunciation(rules_of(rules))})


def _block_order(block_id: str) -> tuple[int, int]:
    section, _, index = block_id.partition("-")
    return int(section), int(index)


def _digest(value: dict[str, Any]) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
