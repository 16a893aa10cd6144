"""The built-in voice and a real speech server with troubles to choose."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest

from compute_worker.audio.media_tool import MediaTool, bundled_media_bin
from compute_worker.audio.normalizer import AudioNormalizer
from compute_worker.speech.builtin import BuiltinProvider
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.model import Provider, ProviderType, RequestPolicy, SpeechRequest
from compute_worker.speech.ports import SpeechProvider
from compute_worker.speech.providers import SpeechProviderRegistry
from compute_worker.speech.server import run_server
from compute_worker.speech.server_options import parse_options
from compute_worker.speech.synthesizer import SegmentSynthesizer
from compute_worker.speech.turns import UnlimitedTurns

StartServer = Callable[..., Awaitable[str]]
OpenProvider = Callable[..., SpeechProvider]


@pytest.fixture
async def espeak() -> AsyncIterator[EspeakPool]:
    async with EspeakPool() as pool:
        yield pool


@pytest.fixture
def builtin(espeak: EspeakPool) -> BuiltinProvider:
    return BuiltinProvider(pool=espeak)


@pytest.fixture
def synthesizer() -> SegmentSynthesizer:
    return SegmentSynthesizer(normalizer=AudioNormalizer(media_tool=MediaTool(media_bin=bundled_media_bin())))


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def registry(session: aiohttp.ClientSession, espeak: EspeakPool) -> SpeechProviderRegistry:
    return SpeechProviderRegistry(session=session, espeak=espeak, turns=UnlimitedTurns())


@pytest.fixture
async def start_server() -> AsyncIterator[StartServer]:
    """Starts a speech server with these options; gives its address without /v1."""
    async with AsyncExitStack() as stack:

        async def start(*options: str) -> str:
            return await stack.enter_async_context(run_server(parse_options(["--port", "0", *options])))

        yield start


@pytest.fixture
def open_provider(registry: SpeechProviderRegistry) -> OpenProvider:
    def open_it(base_url: str, *, api_key: str = "", **policy: Any) -> SpeechProvider:
        provider = Provider(
            ref="custom",
            type=ProviderType.CUSTOM_OPENAI,
            base_url=base_url,
            api_key=api_key,
            policy=RequestPolicy(**policy),
        )
        return registry.open(provider)

    return open_it


@pytest.fixture
def request_for() -> Callable[..., SpeechRequest]:
    def make(text: str, **given: Any) -> SpeechRequest:
        return SpeechRequest(text, **{"model": "", "voice": "", "language": "en", **given})

    return make
