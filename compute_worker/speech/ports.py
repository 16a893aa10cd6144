"""The port behind which every way of making speech stands."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from compute_worker.speech.model import Provider, SpeechRequest, SpokenSegment, SynthesizedAudio, Voice

OnFirstFrames = Callable[[bytes], Awaitable[None]]  # which can be heard while the others are encoded


class SpeechProvider(Protocol):
    """One provider with its credentials. Errors are LecternError with a message that is safe to show:
    retryable ones have been retried already as the provider's policy says."""

    async def synthesize(self, request: SpeechRequest) -> SynthesizedAudio: ...

    async def list_voices(self, model: str) -> list[Voice]: ...

    async def list_models(self) -> list[str]:
        """Which can be asked for; empty where nothing is known or there is no choice."""
        ...

    def default_voice(self, model: str, language: str) -> str:
        """What is used when the listener chose none; never empty."""
        ...


class SpeechProviders(Protocol):
    """Opens a provider for use; keeps connections, helpers and remembered quirks between uses."""

    def open(self, provider: Provider) -> SpeechProvider: ...


class Synthesizer(Protocol):
    """From text to a segment's frames: asks the provider, normalizes, encodes, places the words.

    A word time is produced for every word of the text, monotonic and inside the segment: the provider's
    own where it passed the sanity check, otherwise in proportion (exact=False).
    """

    async def speak(
        self, provider: SpeechProvider, request: SpeechRequest, on_first_frames: OnFirstFrames | None = None
    ) -> SpokenSegment: ...
