"""Playback and voices as the browser sees them."""

from typing import Literal

from pydantic import Field

from app_server.http.json_bodies import AnswerBody


class ShownSettings(AnswerBody):
    """What is spoken with, every default filled in."""

    provider_ref: str
    model: str
    voice: str
    instructions: str
    native_speed: float
    language: str


class AudioAddressAnswer(AnswerBody):
    audio_url: str
    audio_expires_at: str


class StartedAnswer(AudioAddressAnswer):
    session_id: str
    plan_url: str
    events_url: str
    start_ordinal: int
    segment_count: int
    settings: ShownSettings


class ShownSegment(AnswerBody):
    """start, end: offsets in the block's text, in UTF-16 code units. A frame is 24 ms of sound."""

    ordinal: int
    block_id: str
    start: int
    end: int
    first_sentence: int
    sentence_count: int
    pause_frames: int


class ShownSection(AnswerBody):
    section: int
    title: str
    first_ordinal: int
    segment_count: int
    character_count: int
    # Of the section that was asked for.
    segments: list[ShownSegment] = Field(default_factory=list)


class PlanAnswer(AnswerBody):
    plan_id: str
    segment_count: int
    sections: list[ShownSection]


class SegmentEvent(AnswerBody):
    ordinal: int
    frames: int
    pause_frames: int
    # False while the times of the words are estimated.
    exact: bool
    failed: bool
    cached: bool
    # [start ms, end ms, start, end in the segment's text]
    words: list[list[int]]


class StateEvent(AnswerBody):
    state: Literal["generating", "waiting", "complete", "stopped"]


class ProblemEvent(AnswerBody):
    code: str
    message: str
    retryable: bool
    ordinal: int = 0
    # When the limit that stopped the speech lets it go on.
    resets_at: str = ""


class ShownProvider(AnswerBody):
    ref: str
    display_name: str
    type: str
    default_model: str
    status: Literal["ready", "key_unreadable"]


class ProvidersAnswer(AnswerBody):
    providers: list[ShownProvider]
    # The reference of the default one; empty when there is none.
    default: str


class ShownVoice(AnswerBody):
    voice_id: str
    name: str
    language: str


class VoicesAnswer(AnswerBody):
    voices: list[ShownVoice]
    default_voice: str
    model: str
    # Which can be chosen, the present one included; empty where there is no choice.
    models: list[str]
