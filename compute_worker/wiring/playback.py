"""Listening: sessions, the audio that is streamed, and the runs that make it."""

from compute_worker.operations.lanes import LISTENING
from compute_worker.operations.policy import PLANNING
from compute_worker.operations.request_turns import RequestTurns
from compute_worker.operations.runner import OperationRunner, RunnerOptions
from compute_worker.playback.audio_route import AudioRoute
from compute_worker.playback.feed import Feeds
from compute_worker.playback.handler import PlaybackHandler
from compute_worker.playback.plans import Plans
from compute_worker.playback.service import Playback
from compute_worker.playback.servicer import PlaybackServicer
from compute_worker.playback.sessions import Sessions
from compute_worker.wiring.foundations import Foundations
from compute_worker.wiring.runners import Runners
from compute_worker.wiring.speech import Speech
from shared.playback_token import PlaybackTokens

# A listener waits at most this long for another worker when one dies; runs only wait most of the time.
_RUNNER = RunnerOptions(
    lane=LISTENING,
    max_attempts=20,
    max_concurrent=4096,
    heartbeat_seconds=1.0,
    ack_wait_seconds=4.0,
)


class Listening:
    def __init__(self, *, base: Foundations, speech: Speech) -> None:
        self._base = base
        self._speech = speech
        self._sessions = Sessions(states=base.states)
        self._feeds = Feeds(events=base.events)
        self.plans = Plans(store=base.store)
        self.playback = Playback(
            sessions=self._sessions,
            plans=self.plans,
            queue=base.queue,
            events=base.events,
            credentials=speech.credentials,
            providers=speech.providers,
            head_starts=speech.head_starts,
            planning_turn=RequestTurns(slots=base.slots, policy=base.policy, action=PLANNING).one,
        )

    def servicer(self) -> PlaybackServicer:
        return PlaybackServicer(
            playback=self.playback,
            sessions=self._sessions,
            plans=self.plans,
            events=self._base.events,
            speaker=self._speech.speaker,
        )

    def audio(self) -> AudioRoute:
        return AudioRoute(
            tokens=PlaybackTokens(secret=self._base.settings.playback_token_secret),
            sessions=self._sessions,
            plans=self.plans,
            feeds=self._feeds,
            speaker=self._speech.speaker,
            playback=self.playback,
        )

    def runner(self, runners: Runners) -> OperationRunner:
        handler = PlaybackHandler(
            sessions=self._sessions,
            plans=self.plans,
            feeds=self._feeds,
            events=self._base.events,
            speaker=self._speech.speaker,
            credentials=self._speech.credentials,
            providers=self._speech.providers,
            started=self._speech.started,
            head_starts=self._speech.head_starts,
        )
        return runners.runner(
            _RUNNER,
            handler,
            on_success=lambda job: self.playback.look_again(str(job.arguments["session_id"])),
        )
