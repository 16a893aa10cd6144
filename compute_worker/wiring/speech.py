"""Speech: whose it is, how it is made, measured and kept."""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from compute_worker.alignment.ports import Aligner
from compute_worker.alignment.process import AlignmentProcess
from compute_worker.audio.media_tool import MediaTool
from compute_worker.audio.normalizer import AudioNormalizer
from compute_worker.credentials.client import CredentialBrokerClient
from compute_worker.credentials.metering import SpeechMeterClient
from compute_worker.playback.cache_key import CacheKeys
from compute_worker.playback.claims import Claims
from compute_worker.playback.head_start import HeadStarts
from compute_worker.playback.speaker import SegmentSpeaker
from compute_worker.playback.speech_cache import SpeechCache
from compute_worker.playback.started_speech import StartedSpeech
from compute_worker.playback.use_marks import open_use_marks
from compute_worker.playback.word_refinement import WordRefinement
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.providers import SpeechProviderRegistry
from compute_worker.speech.servicer import SpeechServicer
from compute_worker.speech.synthesizer import SegmentSynthesizer
from compute_worker.speech.turns import SharedTurns
from compute_worker.whisper.aligner import ModelAligner
from compute_worker.whisper.engines import aligner_of, open_model_aligner
from compute_worker.wiring.foundations import Foundations


@dataclass(frozen=True, kw_only=True)
class Speech:
    credentials: CredentialBrokerClient
    meter: SpeechMeterClient
    providers: SpeechProviderRegistry
    speaker: SegmentSpeaker
    started: StartedSpeech
    head_starts: HeadStarts
    servicer: SpeechServicer
    align_model: ModelAligner | None


@asynccontextmanager
async def open_speech(base: Foundations) -> AsyncIterator[Speech]:
    settings = base.settings
    async with AsyncExitStack() as stack:
        espeak = await stack.enter_async_context(EspeakPool())
        cache = SpeechCache(
            store=base.store, marks=await stack.enter_async_context(open_use_marks(base.store))
        )
        align_model = await stack.enter_async_context(
            open_model_aligner(
                base_url=settings.models.align_base_url,
                folder=settings.models.folder,
                session=base.http,
                timeout_seconds=settings.work.align_timeout_ms / 1000,
            )
        )
        aligner = await stack.enter_async_context(_open_aligner(base, espeak=espeak, model=align_model))
        broker_timeout_seconds = settings.credential_broker.timeout_ms / 1000
        meter = SpeechMeterClient(channel=base.app_channel, timeout_seconds=broker_timeout_seconds)
        credentials = CredentialBrokerClient(
            channel=base.app_channel,
            timeout_seconds=broker_timeout_seconds,
            speech_cache=cache,
            speech_meter=meter,
        )
        media_tool = MediaTool(media_bin=str(settings.media_bin))
        synthesizer = SegmentSynthesizer(normalizer=AudioNormalizer(media_tool=media_tool))
        claims = Claims(states=base.states, worker_id=base.worker_id)
        # Who has a provider's answer goes on with it while the place is given back.
        places = Claims(states=base.states, worker_id=base.worker_id, release_seconds=0.0)
        providers = SpeechProviderRegistry(
            session=base.http,
            espeak=espeak,
            turns=SharedTurns(states=base.states, leases=places, chance=random.Random()),  # noqa: S311 - no secret
        )
        speaker = SegmentSpeaker(
            cache=cache,
            keys=CacheKeys(playback_secret=settings.playback_token_secret),
            claims=claims,
            synthesizer=synthesizer,
            refinement=WordRefinement(aligner=aligner, cache=cache, media_tool=media_tool),
            meter=meter,
            segment_timeout_seconds=settings.work.segment_timeout_ms / 1000,
        )
        started = await stack.enter_async_context(StartedSpeech())
        head_starts = HeadStarts(
            speaker=speaker,
            events=base.events,
            started=started,
            is_free_for_all=base.slots.is_free_for_all,
        )
        yield Speech(
            credentials=credentials,
            meter=meter,
            providers=providers,
            speaker=speaker,
            started=started,
            head_starts=await stack.enter_async_context(head_starts),
            servicer=SpeechServicer(credentials=credentials, providers=providers, synthesizer=synthesizer),
            align_model=align_model,
        )


@asynccontextmanager
async def _open_aligner(
    base: Foundations, *, espeak: EspeakPool, model: ModelAligner | None
) -> AsyncIterator[Aligner | None]:
    """None lights sentences only."""
    work = base.settings.work
    async with AlignmentProcess(timeout_seconds=work.align_timeout_ms / 1000) as process:
        yield aligner_of(base.settings.models.align_engine, pool=espeak, process=process, model=model)
