"""The port behind which every way of finding word times stands."""

from typing import Protocol

from compute_worker.alignment.model import Alignment
from compute_worker.audio.pcm import Samples


class Aligner(Protocol):
    @property
    def version(self) -> str:
        """Name and version of the engine; what another version decided may be decided anew."""
        ...

    @property
    def segments_at_once(self) -> int:
        """How many it can use at a time; a few more would only wait."""
        ...

    async def prepare(self) -> None:
        """There will be something to align soon."""
        ...

    async def align(self, samples: Samples, text: str, language: str) -> Alignment:
        """When each word of the text is heard in the samples (at the stream's rate). Raises LecternError
        when the language cannot be spoken, time is up or the engine fails."""
        ...


class InstallableAligner(Aligner, Protocol):
    """One whose model may have to be downloaded."""

    @property
    def is_installed(self) -> bool: ...

    def begin_install(self) -> None:
        """Returns at once."""
        ...
