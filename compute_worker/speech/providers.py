"""Opens providers by their type."""

import random

import aiohttp

from compute_worker.speech.builtin import BuiltinProvider
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.model import Provider, ProviderType
from compute_worker.speech.openai_speech import OpenAiSpeechProvider
from compute_worker.speech.ports import SpeechProvider
from compute_worker.speech.replicate import ReplicateProvider
from compute_worker.speech.turns import Turns
from compute_worker.speech.upstream import Upstreams


class SpeechProviderRegistry:
    """The session must not follow proxies of the environment (trust_env=False, aiohttp's default)."""

    def __init__(self, *, session: aiohttp.ClientSession, espeak: EspeakPool, turns: Turns) -> None:
        self._session = session
        self._builtin = BuiltinProvider(pool=espeak)
        self._upstreams = Upstreams()
        self._turns = turns
        self._chance = random.Random()  # noqa: S311 - jitter is no secret

    def open(self, provider: Provider) -> SpeechProvider:
        if provider.type is ProviderType.BUILTIN:
            return self._builtin
        kind = ReplicateProvider if provider.type is ProviderType.REPLICATE else OpenAiSpeechProvider
        return kind(
            provider=provider,
            session=self._session,
            upstream=self._upstreams.of(provider),
            turns=self._turns,
            chance=self._chance,
        )
