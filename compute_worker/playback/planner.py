"""From a reading document's blocks to the segments of a plan. No I/O.

Sentences of one block are joined while the segment is shorter than JOIN_BELOW_CHARACTERS: short enough
that speech starts at once, long enough that a voice finds its melody. A sentence longer than the limit is
cut at the best break there is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from compute_worker.documents.model import Block, BlockRole, Section
from compute_worker.playback.model import Plan, PlanOptions, PlanSection, Segment
from compute_worker.speech.omissions import Range, omissions, within
from compute_worker.speech.spoken import to_spoken
from compute_worker.speech.words import spoken_words

JOIN_BELOW_CHARACTERS = 150
SENTENCE_PAUSE_FRAMES = 8  # 192 ms, besides the 80 ms of guard that normalized speech keeps
PARAGRAPH_PAUSE_FRAMES = 21  # 504 ms
HEADING_PAUSE_FRAMES = 33  # 792 ms
SECTION_PAUSE_FRAMES = 50  # 1.2 s

HEADING_ROLES = frozenset({BlockRole.TITLE, BlockRole.HEADING})
SURELY_SPEAKABLE = regex.compile(r"[a-zA-Z0-9]{2}|\p{L}{2}")
# Where an overlong sentence may be cut, best first.
BREAKS = (regex.compile(r"[;:—–]\s+"), regex.compile(r"[,、،，]\s*"), regex.compile(r"\s+"))


@dataclass(frozen=True)
class _Piece:
    """A run of sentences (or part of one) of a block."""

    start: int
    end: int
    first_sentence: int
    sentence_count: int


def build_plan(
    plan_id: str, reading_ref: str, language: str, sections: Iterable[Section], options: PlanOptions
) -> Plan:
    segments: list[Segment] = []
    outlines: list[PlanSection] = []
    for section in sections:
        first = len(segments)
        segments.extend(_section_segments(section, first, language, options))
        characters = sum(len(segment.text) for segment in segments[first:])
        outlines.append(PlanSection(section.index, section.title, first, len(segments) - first, characters))
    return Plan(plan_id, reading_ref, language, tuple(outlines), tuple(segments))


def _section_segments(
    section: Section, first_ordinal: int, language: str, options: PlanOptions
) -> list[Segment]:
    read = [
        (block, piece, omitted)
        for block in section.blocks
        if options.reads(block.role.name)
        for omitted in [_omitted(block, options)]
        for piece in _pieces(block, omitted, options.max_segment_characters)
    ]
    segments = []
    for index, (block, piece, omitted) in enumerate(read):
        following = read[index + 1][0] if index + 1 < len(read) else None
        segments.append(
            Segment(
                ordinal=first_ordinal + index,
                section=section.index,
                block_id=block.id,
                start=piece.start,
                end=piece.end,
                first_sentence=piece.first_sentence,
                sentence_count=piece.sentence_count,
                pause_frames=_pause_frames(block, following),
                text=block.text[piece.start : piece.end],
                language=block.language or section.language or language,
                omitted=within(omitted, piece.start, piece.end),
            )
        )
    return segments


def _pause_frames(block: Block, following: Block | None) -> int:
    if following is None:
        return SECTION_PAUSE_FRAMES
    if following is block:
        return SENTENCE_PAUSE_FRAMES
    return HEADING_PAUSE_FRAMES if block.role in HEADING_ROLES else PARAGRAPH_PAUSE_FRAMES


def _omitted(block: Block, options: PlanOptions) -> tuple[Range, ...]:
    if not (options.skip_citations or options.skip_brackets):
        return ()
    return omissions(block.text, citations=options.skip_citations, brackets=options.skip_brackets)


def _pieces(block: Block, omitted: tuple[Range, ...], limit: int) -> Iterator[_Piece]:
    joined: _Piece | None = None
    for sentence in _speakable_sentences(block, omitted, limit):
        if joined is None:
            joined = sentence
        elif joined.end - joined.start < JOIN_BELOW_CHARACTERS and sentence.end - joined.start <= limit:
            count = sentence.first_sentence - joined.first_sentence + sentence.sentence_count
            joined = _Piece(joined.start, sentence.end, joined.first_sentence, count)
        else:
            yield joined
            joined = sentence
    if joined is not None:
        yield joined


def _speakable_sentences(block: Block, omitted: tuple[Range, ...], limit: int) -> Iterator[_Piece]:
    for sentence in block.sentences:
        start, end = _stripped(block.text, sentence.start, sentence.end)
        if not _is_said(block, omitted, start, end):
            continue
        for cut_start, cut_end in _cut(block, omitted, start, end, limit):
            yield _Piece(cut_start, cut_end, sentence.ordinal, 1)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(
    block: Block, omitted: tuple[Range, ...], start: int, end: int, limit: int
) -> Iterator[tuple[int, int]]:
    while end - start > limit:
        middle = _break_before(block.text, start, start + limit)
        cut = _stripped(block.text, start, middle)
        if _is_said(block, omitted, *cut):
            yield cut
        start = _stripped(block.text, middle, end)[0]
    if _is_said(block, omitted, start, end):
        yield start, end


def _is_said(block: Block, omitted: tuple[Range, ...], start: int, end: int) -> bool:
    return is_speakable(block.text[start:end], block.language, within(omitted, start, end))


def is_speakable(text: str, language: str, omitted: tuple[Range, ...] = ()) -> bool:
    """Whether a voice has anything to say here once ornaments are gone."""
    if not omitted and "//" not in text and SURELY_SPEAKABLE.search(text):
        return True
    return bool(spoken_words(to_spoken(text, language, omitted).text))


def _break_before(text: str, start: int, latest: int) -> int:
    earliest = start + (latest - start) // 3
    for pattern in BREAKS:
        matches = list(pattern.finditer(text, earliest, latest))
        if matches:
            return int(matches[-1].end())
    return latest
