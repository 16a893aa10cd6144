"""COMPUTE_ALIGN_ENGINE=auto: the acoustic aligner first, the model where that one is not to be trusted."""

import asyncio

import structlog

from compute_worker.alignment.model import Alignment
from compute_worker.alignment.ports import Aligner, InstallableAligner
from compute_worker.audio.pcm import Samples
from shared.errors import LecternError

_log = structlog.get_logger(__name__)


class ChosenAligner:
    def __init__(self, *, acoustic: Aligner, model: InstallableAligner) -> None:
        self._acoustic = acoustic
        self._model = model
        self._turn = asyncio.Lock()  # of the acoustic one, whose voice also speaks for listeners

    @property
    def version(self) -> str:
        """With the model there, what the acoustic one gave up is tried again."""
        if self._model.is_installed:
            return f"{self._acoustic.version}+{self._model.version}"
        return self._acoustic.version

    @property
    def segments_at_once(self) -> int:
        return self._model.segments_at_once

    async def prepare(self) -> None:
        await self._acoustic.prepare()

    async def align(self, samples: Samples, text: str, language: str) -> Alignment:
        async with self._turn:
            alignment = await self._acoustic.align(samples, text, language)
        if alignment.is_trusted:
            return alignment
        if not self._model.is_installed:
            self._model.begin_install()  # for the segments to come
            return alignment
        try:
            return await self._model.align(samples, text, language)
        except LecternError as error:
            _log.warning("the alignment model failed; the sentence is lit", reason=error.reason)
            return alignment
