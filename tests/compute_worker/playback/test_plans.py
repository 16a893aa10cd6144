"""Plans are made one at a time, and nothing is kept of one that could not be made."""

import asyncio

import pytest

from compute_worker.playback.model import PlanOptions
from compute_worker.playback.plans import Plans
from shared.errors import LecternError
from shared.objects.memory_store import MemoryStore


async def test_nothing_is_kept_of_plans_that_cannot_be_made():
    plans = Plans(store=MemoryStore())
    for number in range(3):
        asked = [plans.plan(f"gone-{number}", PlanOptions()) for _ in range(2)]
        for error in await asyncio.gather(*asked, return_exceptions=True):
            assert isinstance(error, LecternError)
            assert error.reason == "READING_NOT_FOUND"
    assert plans._locks == {}
    with pytest.raises(LecternError):
        await plans.plan("gone-0", PlanOptions())
