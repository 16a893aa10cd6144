"""Work is done once or fails with a reason, and what is heard is right, whatever dies in between."""

from pathlib import Path

import pytest

from faults.run import SHORT, run

SEED = 2  # what goes wrong when; `make soak` takes others


@pytest.mark.timeout(480)  # a minute, on a machine that has nothing else to do
async def test_listeners_hear_everything_while_parts_die_and_come_back(tmp_path: Path) -> None:
    await run(tmp_path, SEED, SHORT, tell=print)
