"""From a segment to its audio: out of the cache, from another worker's hands, or newly made; made once."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from compute_worker.credentials.metering import SpeechLimitError
from compute_worker.credentials.ports import SpeechMeter
from compute_worker.playback.cache_key import CacheKeys
from compute_worker.playback.claims import Claim, ClaimLostError, Claims
from compute_worker.playback.model import Segment, VoiceSettings
from compute_worker.playback.speech_cache import SpeechCache
from compute_worker.playback.word_refinement import WordRefinement
from compute_worker.speech.model import ProviderType, SpeechRequest, SpokenSegment, WordTime
from compute_worker.speech.ports import OnFirstFrames, SpeechProvider, Synthesizer
from compute_worker.speech.spoken import SpokenText, to_spoken
from shared.errors import Code, LecternError
from shared.pronunciation import PronunciationRule

CLAIM_POLL_SECONDS = 0.1
STORE_SECONDS = 30.0  # as long as an object store that is away is waited for, with the claim
STORE_PAUSE_SECONDS = 0.3


@dataclass
class Ticket:
    """Says who is charged for a segment, and lets whoever ordered it know whether the provider has been
    asked for it already, and what can be heard while the rest is encoded. before is the one whose turn it is
    first: an allowance is spent in the order of listening."""

    account: str = ""
    before: "Ticket | None" = None
    on_first_frames: OnFirstFrames | None = None
    sent: bool = False
    refusal: SpeechLimitError | None = None
    decided: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait_for_turn(self) -> None:
        """Raises SpeechLimitError when the one before was refused."""
        before = self.before
        if before is not None:
            await before.decided.wait()
            if before.refusal is not None:
                raise before.refusal

    def settle(self) -> None:
        """Whatever came of it."""
        self.before = None
        self.decided.set()


@dataclass(frozen=True)
class Obtained:
    spoken: SpokenSegment
    cached: bool


ProviderSource = Callable[[], Awaitable[SpeechProvider]]
OnAudio = Callable[[SpokenSegment], Awaitable[None]]


@dataclass(frozen=True)
class _Order:
    """A piece of speech that is ours to make."""

    key: str
    segment: Segment
    settings: VoiceSettings
    provider: ProviderSource
    ticket: Ticket
    on_audio: OnAudio
    claim: Claim


class SegmentSpeaker:
    def __init__(
        self,
        *,
        cache: SpeechCache,
        keys: CacheKeys,
        claims: Claims,
        synthesizer: Synthesizer,
        refinement: WordRefinement,
        meter: SpeechMeter,
        segment_timeout_seconds: float,
    ) -> None:
        self._cache = cache
        self._keys = keys
        self._claims = claims
        self._synthesizer = synthesizer
        self._refinement = refinement
        self._meter = meter
        self._timeout_seconds = segment_timeout_seconds

    def key_of(self, segment: Segment, settings: VoiceSettings) -> str:
        return self._keys.key(settings, settings.language, _said(segment, settings).text)

    def in_memory(self, segment: Segment, settings: VoiceSettings) -> SpokenSegment | None:
        return self._cache.in_memory(self.key_of(segment, settings))

    async def find(
        self, segment: Segment, settings: VoiceSettings, *, exact: bool = False
    ) -> SpokenSegment | None:
        return await self._cache.find(self.key_of(segment, settings), exact=exact)

    def can_refine(self, spoken: SpokenSegment) -> bool:
        return self._refinement.is_wanted(spoken)

    async def refine(self, segment: Segment, settings: VoiceSettings, spoken: SpokenSegment) -> SpokenSegment:
        """The same speech, stored with measured word times; as it was when they cannot be trusted."""
        said = _said(segment, settings).text
        key = self._keys.key(settings, settings.language, said)
        return await self._refinement.refine(
            key, spoken, said, settings.language, characters=_charged(segment, settings)
        )

    def words_in_block(
        self, segment: Segment, settings: VoiceSettings, spoken: SpokenSegment
    ) -> list[WordTime]:
        """Word times with ranges in the block's original text."""
        original = _said(segment, settings).map
        words = []
        for word in spoken.words:
            start, end = original.to_original(word.char_start, word.char_end)
            words.append(replace(word, char_start=segment.start + start, char_end=segment.start + end))
        return words

    def rules_left_out(self, segment: Segment, settings: VoiceSettings) -> tuple[PronunciationRule, ...]:
        return _said(segment, settings).rules_left_out

    async def obtain(
        self,
        segment: Segment,
        settings: VoiceSettings,
        provider: ProviderSource,
        ticket: Ticket,
        on_audio: OnAudio,
    ) -> Obtained:
        """Returns once the segment is stored for everyone; on_audio is told as soon as there is sound. Raises
        SpeechLimitError when it would have to be made and must not."""
        key = self.key_of(segment, settings)
        while True:
            held = self._cache.in_memory(key)
            if held is not None and self._cache.is_stored(key):
                return Obtained(held, cached=True)
            async with self._claims.claim(key) as claim:
                if claim is not None:
                    order = _Order(key, segment, settings, provider, ticket, on_audio, claim)
                    try:
                        return await self._found_or_made(order)
                    except ClaimLostError:
                        ticket.sent = False
            await asyncio.sleep(CLAIM_POLL_SECONDS)  # somebody else is making it

    async def _found_or_made(self, order: _Order) -> Obtained:
        spoken = await self._cache.find(order.key)
        if spoken is not None and self._cache.is_stored(order.key):
            return Obtained(spoken, cached=True)
        if spoken is None:
            spoken = await self._make(order)
            await order.on_audio(spoken)
        await self._store(order.key, spoken, characters=_charged(order.segment, order.settings))
        return Obtained(spoken, cached=False)

    async def _store(self, key: str, spoken: SpokenSegment, *, characters: int) -> None:
        """Before the claim is let go of: whoever got it next would find nothing and make it again."""
        give_up_at = asyncio.get_running_loop().time() + STORE_SECONDS
        while True:
            try:
                return await self._cache.save(key, spoken, characters=characters)
            except LecternError as error:
                is_too_late = asyncio.get_running_loop().time() >= give_up_at
                if error.reason != "OBJECT_STORE_UNAVAILABLE" or is_too_late:
                    raise
                await asyncio.sleep(STORE_PAUSE_SECONDS)

    async def _make(self, order: _Order) -> SpokenSegment:
        """Newly made, charged and held here; to be stored."""
        ticket, settings = order.ticket, order.settings
        speech_provider = await self._prepared(settings, order.provider)
        if self._meter.asks(ticket.account):
            await ticket.wait_for_turn()
        # The last moment that it may still be called off for nothing.
        characters = _charged(order.segment, settings)
        async with self._meter.charged(ticket.account, segment_key=order.key, characters=characters):
            ticket.sent = True
            ticket.decided.set()
            spoken = await self._synthesize(order, speech_provider)
        self._cache.hold(order.key, spoken, is_stored=False)
        return spoken

    async def _prepared(self, settings: VoiceSettings, provider: ProviderSource) -> SpeechProvider:
        if settings.provider_ref != ProviderType.BUILTIN.value:  # that one measures by itself
            await self._refinement.prepare()
        return await provider()

    async def _synthesize(self, order: _Order, speech_provider: SpeechProvider) -> SpokenSegment:
        settings = order.settings
        request = SpeechRequest(
            text=_said(order.segment, settings).text,
            model=settings.model,
            voice=settings.voice,
            language=settings.language,
            instructions=settings.instructions,
            native_speed=settings.native_speed,
            permit=order.claim.confirm,
        )
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._synthesizer.speak(speech_provider, request, order.ticket.on_first_frames)
        except TimeoutError as error:
            raise LecternError(
                Code.DEADLINE_EXCEEDED,
                "The speech provider took too long to answer.",
                reason="SPEECH_TIMEOUT",
            ) from error


def _said(segment: Segment, settings: VoiceSettings) -> SpokenText:
    return to_spoken(segment.text, settings.language, segment.omitted, settings.pronunciation)


def _charged(segment: Segment, settings: VoiceSettings) -> int:
    """Characters. Rules that make a text longer cost what they make."""
    left_out = sum(end - start for start, end in segment.omitted)
    return max(len(segment.text) - left_out, len(_said(segment, settings).text))
