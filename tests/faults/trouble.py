"""What goes wrong during a run, chosen by a seed: which part, what, when and for how long."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from faults.mesh import Mesh
from faults.programs import Program

MOST_WORKERS_DOWN = 2
# Kind of part, what is done to it, how often, and for how long at most, in seconds.
KINDS = (
    ("worker", "kill", 5, 3.0),
    ("worker", "pause", 4, 8.0),
    ("worker", "stop", 3, 2.0),
    ("broker", "kill", 3, 3.0),
    ("broker", "pause", 2, 4.0),
    ("store", "kill", 2, 4.0),
    ("store", "pause", 2, 4.0),
    ("app", "kill", 2, 2.0),
    ("app", "pause", 1, 4.0),
)


@dataclass(frozen=True)
class Happening:
    began: float  # time.monotonic()
    ended: float
    part: str
    what: str


class Trouble:
    def __init__(self, mesh: Mesh, chance: random.Random, *, tell: Callable[[str], None]) -> None:
        self.happened: list[Happening] = []
        self._mesh = mesh
        self._chance = chance
        self._tell = tell
        self.began = time.monotonic()

    async def make(self, *, seconds: float, longest_pause: float) -> None:
        """Afterwards everything runs again."""
        async with asyncio.TaskGroup() as group:
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline:
                kind, what, _, longest = self._chance.choices(KINDS, weights=[row[2] for row in KINDS])[0]
                duration = self._chance.uniform(0.3, longest)
                program = self._chance.choice(self._of(kind))
                if self._may(kind, program):
                    await program.busy.acquire()
                    group.create_task(self._do(program, what, duration))
                await asyncio.sleep(self._chance.uniform(0.1, longest_pause))
        await self._mesh.until_ready()

    def _of(self, kind: str) -> list[Program]:
        mesh = self._mesh
        return {"worker": mesh.workers, "broker": mesh.nodes, "store": [mesh.store], "app": mesh.apps}[kind]

    def _may(self, kind: str, program: Program) -> bool:
        """A majority of the broker, one app server and half of the workers stay."""
        down = sum(other.busy.locked() for other in self._of(kind))
        return not program.busy.locked() and down < (MOST_WORKERS_DOWN if kind == "worker" else 1)

    async def _do(self, program: Program, what: str, duration: float) -> None:
        began = time.monotonic()
        self._tell(f"{began - self.began:6.1f} s  {what} {program.name} for {duration:.1f} s")
        try:
            if what == "pause":
                program.pause()
                await asyncio.sleep(duration)
                program.resume()
            else:
                await (program.kill() if what == "kill" else program.stop())
                await asyncio.sleep(duration)
                program.start()
                await program.until_ready(self._mesh.http)
            self.happened.append(Happening(began, time.monotonic(), program.name, what))
        finally:
            program.busy.release()
