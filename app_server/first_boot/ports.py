"""What first starts ask of their database."""

from typing import Protocol

from app_server.first_boot.model import FirstBootInputs, Input, Outcome


class FirstBootStore(Protocol):
    async def consumed(self) -> set[Input]: ...

    async def take_in(self, inputs: FirstBootInputs, *, now_ms: int) -> dict[Input, Outcome]:
        """All of it or nothing, and once however many programs start at the same time.

        The outcomes are of what was given and had not been taken in before.
        """
        ...
