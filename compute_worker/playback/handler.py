"""The playback operation: one generation run for one session."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import partial

from compute_worker.credentials.ports import CredentialSource
from compute_worker.operations.events import Events
from compute_worker.operations.ports import Job, ProgressReporter
from compute_worker.playback.feed import Feeds
from compute_worker.playback.generation import GenerationRun
from compute_worker.playback.head_start import HeadStarts
from compute_worker.playback.plans import Plans
from compute_worker.playback.sessions import Sessions
from compute_worker.playback.speaker import SegmentSpeaker
from compute_worker.playback.speaking_turn import SpeakingTurn
from compute_worker.playback.started_speech import StartedSpeech
from compute_worker.speech.ports import SpeechProvider, SpeechProviders


class PlaybackHandler:
    def __init__(
        self,
        *,
        sessions: Sessions,
        plans: Plans,
        feeds: Feeds,
        events: Events,
        speaker: SegmentSpeaker,
        credentials: CredentialSource,
        providers: SpeechProviders,
        started: StartedSpeech,
        head_starts: HeadStarts,
    ) -> None:
        self._sessions = sessions
        self._plans = plans
        self._feeds = feeds
        self._events = events
        self._speaker = speaker
        self._credentials = credentials
        self._providers = providers
        self._started = started
        self._head_starts = head_starts

    async def run(self, job: Job, progress: ProgressReporter) -> str:
        session = await self._sessions.get(str(job.arguments["session_id"]))
        plan = await self._plans.plan(session.reading_ref, session.options)
        # Each takes its time with the broker or the app, and a listener waits for all of it.
        reporting = asyncio.create_task(progress.report(phase="generating", done=0, total=len(plan.segments)))
        async with (
            _ended(reporting),
            aclosing(self._resolved_once(session.settings.provider_ref)) as provider,
            self._feeds.open(session.session_id) as feed,
            self._sessions.follow_cursor(session.session_id) as cursor,
        ):
            await reporting
            run = GenerationRun(
                session=session,
                plan=plan,
                cursor=cursor,
                feed=feed,
                events=self._events,
                speaker=self._speaker,
                provider=provider,
                turn=SpeakingTurn(job.turn),
                started=self._started,
                take_over=partial(self._head_starts.take_over, session.session_id),
            )
            return await run.run()

    def _resolved_once(self, provider_ref: str) -> "_ResolvedOnce":
        return _ResolvedOnce(self._credentials, self._providers, provider_ref)


class _ResolvedOnce:
    """The session's provider, asked for when the run begins and kept for this run only."""

    def __init__(self, credentials: CredentialSource, providers: SpeechProviders, provider_ref: str) -> None:
        self._credentials = credentials
        self._providers = providers
        self._provider_ref = provider_ref
        self._asking = asyncio.create_task(self._ask())

    async def __call__(self) -> SpeechProvider:
        """Asks again where asking has failed: by now it may be well."""
        if self._asking.done() and self._asking.exception() is not None:
            self._asking = asyncio.create_task(self._ask())
        return await asyncio.shield(self._asking)

    async def aclose(self) -> None:
        self._asking.cancel()
        await asyncio.gather(self._asking, return_exceptions=True)

    async def _ask(self) -> SpeechProvider:
        return self._providers.open(await self._credentials.resolve(self._provider_ref))


@asynccontextmanager
async def _ended(task: "asyncio.Task[None]") -> AsyncIterator[None]:
    """The task, when the block is left, however it is left."""
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
