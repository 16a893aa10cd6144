"""Playback's values as protocol messages, and back."""

from collections.abc import Sequence

from compute_worker.playback.announcements import Announcement, SegmentLost, SegmentReady, StateChanged
from compute_worker.playback.model import (
    DEFAULT_MAX_SEGMENT_CHARACTERS,
    Extent,
    Plan,
    PlanOptions,
    Segment,
    VoiceSettings,
)
from compute_worker.playback.service import StartRequest
from compute_worker.speech.model import WordTime
from lectern.compute.v1 import playback_pb2 as pb
from lectern.reading.v1 import reading_pb2
from shared.errors import Code, LecternError
from shared.pronunciation import MOST_RULES, Pronunciation, PronunciationRule, RuleError, RuleKind

ROLE_PREFIX = "BLOCK_ROLE_"
_KINDS: dict[int, RuleKind] = {
    pb.PronunciationRule.KIND_LITERAL: "literal",
    pb.PronunciationRule.KIND_WORD: "word",
    pb.PronunciationRule.KIND_REGEXP: "regexp",
}


def start_request(message: pb.CreateSessionRequest) -> StartRequest:
    for name in ("owner_id", "document_id", "reading_ref"):
        if not getattr(message, name):
            raise LecternError(Code.INVALID_ARGUMENT, f"{name} is required.", details={"field": name})
    if not message.settings.provider_ref:
        raise LecternError(
            Code.INVALID_ARGUMENT,
            "settings.provider_ref is required.",
            details={"field": "settings.provider_ref"},
        )
    block = message.start.block
    return StartRequest(
        owner_id=message.owner_id,
        document_id=message.document_id,
        reading_ref=message.reading_ref,
        start=(block.block_id, block.offset)
        if message.start.WhichOneof("place") == "block"
        else message.start.ordinal,
        settings=_settings(message),
        options=_options(message.options),
        extent=Extent.DOCUMENT if message.background_extent == pb.EXTENT_DOCUMENT else Extent.SECTION,
        usage_account=message.usage_account,
    )


def settings_to_proto(settings: VoiceSettings) -> pb.VoiceSettings:
    return pb.VoiceSettings(
        provider_ref=settings.provider_ref,
        model=settings.model,
        voice=settings.voice,
        instructions=settings.instructions,
        native_speed=settings.native_speed,
        language=settings.language,
    )


def plan_to_proto(plan: Plan, section: int | None) -> pb.GetPlanResponse:
    response = pb.GetPlanResponse(plan_id=plan.plan_id, segment_count=len(plan.segments))
    for outline in plan.sections:
        message = response.sections.add(
            section=outline.section,
            title=outline.title,
            first_ordinal=outline.first_ordinal,
            segment_count=outline.segment_count,
            character_count=outline.character_count,
        )
        if outline.section == section:
            message.segments.extend(_segment(s) for s in plan.section_segments(section))
    return response


def event_to_proto(
    event_id: int, announcement: Announcement, words: Sequence[WordTime]
) -> pb.WatchSessionResponse:
    if isinstance(announcement, SegmentReady):
        return pb.WatchSessionResponse(event_id=event_id, segment=_segment_event(announcement, words))
    if isinstance(announcement, StateChanged):
        state = pb.GenerationState.Value(f"GENERATION_STATE_{announcement.state.name}")
        return pb.WatchSessionResponse(event_id=event_id, state=pb.StateEvent(state=state))
    if isinstance(announcement, SegmentLost):
        raise TypeError("a lost segment is no listener's business")
    problem = pb.ProblemEvent(
        code=announcement.code,
        message=announcement.message,
        ordinal=announcement.ordinal,
        retryable=announcement.retryable,
        resets_at_ms=announcement.resets_at_ms,
    )
    return pb.WatchSessionResponse(event_id=event_id, problem=problem)


def _segment_event(ready: SegmentReady, words: Sequence[WordTime]) -> pb.SegmentEvent:
    return pb.SegmentEvent(
        ordinal=ready.ordinal,
        frames=ready.frames,
        pause_frames=ready.pause_frames,
        exact=ready.exact,
        failed=ready.failed,
        cached=ready.cached,
        words=[
            pb.Word(start_ms=w.start_ms, end_ms=w.end_ms, char_start=w.char_start, char_end=w.char_end)
            for w in words
        ],
    )


def _segment(segment: Segment) -> pb.Segment:
    return pb.Segment(
        ordinal=segment.ordinal,
        section=segment.section,
        block_id=segment.block_id,
        start=segment.start,
        end=segment.end,
        first_sentence=segment.first_sentence,
        sentence_count=segment.sentence_count,
        pause_frames=segment.pause_frames,
    )


def _settings(request: pb.CreateSessionRequest) -> VoiceSettings:
    message = request.settings
    if message.native_speed and not 0.5 <= message.native_speed <= 2:
        raise LecternError(
            Code.INVALID_ARGUMENT,
            "settings.native_speed must be between 0.5 and 2.",
            details={"field": "settings.native_speed"},
        )
    return VoiceSettings(
        provider_ref=message.provider_ref,
        model=message.model,
        voice=message.voice,
        instructions=message.instructions,
        native_speed=message.native_speed,
        language=message.language,
        pronunciation=_pronunciation(request.pronunciation),
    )


def _pronunciation(messages: Sequence[pb.PronunciationRule]) -> Pronunciation:
    if len(messages) > 2 * MOST_RULES:
        raise _bad_rule("", "There are too many rules.")
    rules = []
    for index, message in enumerate(messages):
        kind = _KINDS.get(message.kind)
        if kind is None:
            raise _bad_rule(f"{index}.kind", "Say what kind of rule it is.")
        rule = PronunciationRule(kind, message.pattern, message.replacement, message.match_case)
        try:
            rule.compiled()  # its author's app server has checked the rest
        except RuleError as error:
            raise _bad_rule(f"{index}.{error.field}", error.message) from error
        rules.append(rule)
    return Pronunciation(tuple(rules))


def _bad_rule(place: str, message: str) -> LecternError:
    field = f"pronunciation.{place}".rstrip(".")
    return LecternError(
        Code.INVALID_ARGUMENT, message, reason="PRONUNCIATION_INVALID", details={"field": field}
    )


def _options(message: pb.PlanOptions) -> PlanOptions:
    return PlanOptions(
        max_segment_characters=message.max_segment_characters or DEFAULT_MAX_SEGMENT_CHARACTERS,
        include_roles=_roles(message.include_roles),
        skip_roles=_roles(message.skip_roles),
        skip_citations=message.skip_citations,
        skip_brackets=message.skip_brackets,
    )


def _roles(roles: Sequence[reading_pb2.BlockRole.ValueType]) -> tuple[str, ...]:
    return tuple(sorted({reading_pb2.BlockRole.Name(role).removeprefix(ROLE_PREFIX) for role in roles}))
