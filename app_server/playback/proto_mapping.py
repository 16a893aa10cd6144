"""Playback in the worker's words and in the browser's."""

from typing import Final, Literal

from app_server.clock import iso_time
from app_server.compute_limits.caller import Caller, account_of
from app_server.http.event_stream import ServerEvent
from app_server.http.json_bodies import shown_json
from app_server.playback.answers import (
    PlanAnswer,
    ProblemEvent,
    SegmentEvent,
    ShownSection,
    ShownSegment,
    ShownSettings,
    ShownVoice,
    StateEvent,
    VoicesAnswer,
)
from app_server.playback.requests import PreviewBody, SessionBody, SettingsBody
from app_server.reading_options.model import BlockRole, ReadingOptions
from lectern.compute.v1 import playback_pb2 as pb
from lectern.compute.v1 import speech_pb2
from lectern.reading.v1 import reading_pb2
from shared.pronunciation import PronunciationRule, RuleKind

_EXTENTS: Final = {"section": pb.EXTENT_SECTION, "document": pb.EXTENT_DOCUMENT}
_RULE_KINDS: Final[dict[RuleKind, pb.PronunciationRule.Kind.ValueType]] = {
    "literal": pb.PronunciationRule.KIND_LITERAL,
    "word": pb.PronunciationRule.KIND_WORD,
    "regexp": pb.PronunciationRule.KIND_REGEXP,
}
_STATES: Final[dict[int, Literal["generating", "waiting", "complete", "stopped"]]] = {
    pb.GENERATION_STATE_GENERATING: "generating",
    pb.GENERATION_STATE_WAITING: "waiting",
    pb.GENERATION_STATE_COMPLETE: "complete",
    pb.GENERATION_STATE_STOPPED: "stopped",
}


def session_request(
    body: SessionBody,
    *,
    caller: Caller,
    reading_ref: str,
    reading: ReadingOptions,
    provider_ref: str,
    extent: str,
) -> pb.CreateSessionRequest:
    return pb.CreateSessionRequest(
        owner_id=caller.user_id,
        document_id=body.document_id,
        reading_ref=reading_ref,
        start=_start(body),
        settings=_settings(body.settings, provider_ref),
        options=pb.PlanOptions(
            max_segment_characters=body.options.max_segment_characters or 0,
            include_roles=[_role(name) for name in reading.include_roles],
            skip_roles=[_role(name) for name in reading.skip_roles],
            skip_citations=reading.skip_citations,
            skip_brackets=reading.skip_brackets,
        ),
        background_extent=_EXTENTS[extent],
        usage_account=account_of(caller),
        pronunciation=[_rule(rule) for rule in reading.rules],
    )


def _role(name: BlockRole) -> "reading_pb2.BlockRole.ValueType":
    return reading_pb2.BlockRole.Value(f"BLOCK_ROLE_{name.upper()}")


def _rule(rule: PronunciationRule) -> pb.PronunciationRule:
    return pb.PronunciationRule(
        kind=_RULE_KINDS[rule.kind],
        pattern=rule.pattern,
        replacement=rule.replacement,
        match_case=rule.match_case,
    )


def preview_request(body: PreviewBody, *, provider_ref: str) -> speech_pb2.SynthesizePreviewRequest:
    return speech_pb2.SynthesizePreviewRequest(
        provider_ref=provider_ref,
        model=body.model,
        voice=body.voice,
        text=body.text,
        language=body.language,
    )


def shown_settings(settings: pb.VoiceSettings) -> ShownSettings:
    return ShownSettings(
        provider_ref=settings.provider_ref,
        model=settings.model,
        voice=settings.voice,
        instructions=settings.instructions,
        native_speed=settings.native_speed or 1.0,
        language=settings.language,
    )


def shown_plan(plan: pb.GetPlanResponse, section: int | None) -> PlanAnswer:
    """section: the one whose segments were asked for."""
    return PlanAnswer(
        plan_id=plan.plan_id,
        segment_count=plan.segment_count,
        sections=[_shown_section(part, with_segments=part.section == section) for part in plan.sections],
    )


def shown_voices(answer: speech_pb2.ListVoicesResponse, *, has_models: bool) -> VoicesAnswer:
    """has_models: whether listeners may choose another one."""
    return VoicesAnswer(
        voices=[
            ShownVoice(voice_id=voice.voice_id, name=voice.name or voice.voice_id, language=voice.language)
            for voice in answer.voices
        ],
        default_voice=answer.default_voice,
        model=answer.model,
        models=list(answer.models) if has_models else [],
    )


def shown_event(answer: pb.WatchSessionResponse) -> ServerEvent | None:
    """None for a kind of event that this version doesn't know."""
    identifier = str(answer.event_id)
    match answer.WhichOneof("event"):
        case "segment":
            return ServerEvent("segment", shown_json(_shown_segment_event(answer.segment)), identifier)
        case "state":
            state = _STATES.get(answer.state.state)
            return ServerEvent("state", shown_json(StateEvent(state=state)), identifier) if state else None
        case "problem":
            return ServerEvent("problem", shown_json(_shown_problem(answer.problem)), identifier)
    return None


def _start(body: SessionBody) -> pb.StartPosition:
    locator = body.start.locator
    if locator is None:
        return pb.StartPosition(ordinal=body.start.ordinal or 0)
    return pb.StartPosition(block=pb.BlockPosition(block_id=locator.block_id, offset=locator.offset))


def _settings(body: SettingsBody, provider_ref: str) -> pb.VoiceSettings:
    return pb.VoiceSettings(
        provider_ref=provider_ref,
        model=body.model,
        voice=body.voice,
        instructions=body.instructions,
        native_speed=body.native_speed,
        language=body.language,
    )


def _shown_section(part: pb.PlanSection, *, with_segments: bool) -> ShownSection:
    shown = ShownSection(
        section=part.section,
        title=part.title,
        first_ordinal=part.first_ordinal,
        segment_count=part.segment_count,
        character_count=part.character_count,
    )
    if not with_segments:
        return shown
    return shown.model_copy(update={"segments": [_shown_segment(segment) for segment in part.segments]})


def _shown_segment(segment: pb.Segment) -> ShownSegment:
    return ShownSegment(
        ordinal=segment.ordinal,
        block_id=segment.block_id,
        start=segment.start,
        end=segment.end,
        first_sentence=segment.first_sentence,
        sentence_count=segment.sentence_count,
        pause_frames=segment.pause_frames,
    )


def _shown_segment_event(event: pb.SegmentEvent) -> SegmentEvent:
    return SegmentEvent(
        ordinal=event.ordinal,
        frames=event.frames,
        pause_frames=event.pause_frames,
        exact=event.exact,
        failed=event.failed,
        cached=event.cached,
        words=[[word.start_ms, word.end_ms, word.char_start, word.char_end] for word in event.words],
    )


def _shown_problem(event: pb.ProblemEvent) -> ProblemEvent:
    more: dict[str, int | str] = {"ordinal": event.ordinal} if event.HasField("ordinal") else {}
    if event.resets_at_ms:
        more["resets_at"] = iso_time(event.resets_at_ms)
    shown = ProblemEvent(code=event.code, message=event.message, retryable=event.retryable)
    return shown.model_copy(update=more)
