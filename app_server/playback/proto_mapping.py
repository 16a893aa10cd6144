"""Playback in the worker's words and in the browser's."""

from typing import Any, Final

from app_server.http.event_stream import ServerEvent
from app_server.playback.requests import PreviewBody, SessionBody, SettingsBody
from lectern.compute.v1 import playback_pb2 as pb
from lectern.compute.v1 import speech_pb2

_EXTENTS: Final = {"section": pb.EXTENT_SECTION, "document": pb.EXTENT_DOCUMENT}
_STATES: Final = {
    pb.GENERATION_STATE_GENERATING: "generating",
    pb.GENERATION_STATE_WAITING: "waiting",
    pb.GENERATION_STATE_COMPLETE: "complete",
    pb.GENERATION_STATE_STOPPED: "stopped",
}


def session_request(
    body: SessionBody, *, owner_id: str, reading_ref: str, provider_ref: str, extent: str
) -> pb.CreateSessionRequest:
    return pb.CreateSessionRequest(
        owner_id=owner_id,
        document_id=body.document_id,
        reading_ref=reading_ref,
        start=_start(body),
        settings=_settings(body.settings, provider_ref),
        options=pb.PlanOptions(max_segment_characters=body.options.max_segment_characters or 0),
        background_extent=_EXTENTS[extent],
    )


def preview_request(body: PreviewBody, *, provider_ref: str) -> speech_pb2.SynthesizePreviewRequest:
    return speech_pb2.SynthesizePreviewRequest(
        provider_ref=provider_ref,
        model=body.model,
        voice=body.voice,
        text=body.text,
        language=body.language,
    )


def shown_settings(settings: pb.VoiceSettings) -> dict[str, Any]:
    return {
        "providerRef": settings.provider_ref,
        "model": settings.model,
        "voice": settings.voice,
        "instructions": settings.instructions,
        "nativeSpeed": settings.native_speed or 1.0,
        "language": settings.language,
    }


def shown_plan(plan: pb.GetPlanResponse, section: int | None) -> dict[str, Any]:
    """section: the one whose segments were asked for."""
    return {
        "planId": plan.plan_id,
        "segmentCount": plan.segment_count,
        "sections": [_shown_section(part, with_segments=part.section == section) for part in plan.sections],
    }


def shown_voices(answer: speech_pb2.ListVoicesResponse) -> dict[str, Any]:
    return {
        "voices": [
            {"voiceId": voice.voice_id, "name": voice.name or voice.voice_id, "language": voice.language}
            for voice in answer.voices
        ],
        "defaultVoice": answer.default_voice,
        "model": answer.model,
    }


def shown_event(answer: pb.WatchSessionResponse) -> ServerEvent | None:
    """None for a kind of event that this version doesn't know."""
    identifier = str(answer.event_id)
    match answer.WhichOneof("event"):
        case "segment":
            return ServerEvent("segment", _shown_segment_event(answer.segment), identifier)
        case "state":
            state = _STATES.get(answer.state.state)
            return ServerEvent("state", {"state": state}, identifier) if state else None
        case "problem":
            return ServerEvent("problem", _shown_problem(answer.problem), identifier)
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


def _shown_section(part: pb.PlanSection, *, with_segments: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "section": part.section,
        "title": part.title,
        "firstOrdinal": part.first_ordinal,
        "segmentCount": part.segment_count,
        "characterCount": part.character_count,
    }
    if with_segments:
        shown["segments"] = [_shown_segment(segment) for segment in part.segments]
    return shown


def _shown_segment(segment: pb.Segment) -> dict[str, Any]:
    return {
        "ordinal": segment.ordinal,
        "blockId": segment.block_id,
        "start": segment.start,
        "end": segment.end,
        "firstSentence": segment.first_sentence,
        "sentenceCount": segment.sentence_count,
        "pauseFrames": segment.pause_frames,
    }


def _shown_segment_event(event: pb.SegmentEvent) -> dict[str, Any]:
    return {
        "ordinal": event.ordinal,
        "frames": event.frames,
        "pauseFrames": event.pause_frames,
        "exact": event.exact,
        "failed": event.failed,
        "cached": event.cached,
        "words": [[word.start_ms, word.end_ms, word.char_start, word.char_end] for word in event.words],
    }


def _shown_problem(event: pb.ProblemEvent) -> dict[str, Any]:
    shown: dict[str, Any] = {"code": event.code, "message": event.message, "retryable": event.retryable}
    if event.HasField("ordinal"):
        shown["ordinal"] = event.ordinal
    return shown
