"""A run asks for its provider's credentials once; what an administrator changes holds from the next on."""

import pytest

from compute_worker.speech.server import run_server
from compute_worker.speech.server_options import parse_options
from lectern.credentials.v1.credentials_pb2 import PROVIDER_TYPE_UNSPECIFIED
from shared.errors import Code, LecternError

OVER_HTTP = pytest.mark.parametrize("app_transport", ["http"])


def server():
    return run_server(parse_options(["--port", "0"]))


async def texts_asked(worker, address: str) -> set[str]:
    async with worker.http.get(f"{address}/v1/stats") as answer:
        return set((await answer.json())["asked"])


async def from_the_third_on(worker, text: str):
    """A listener whose first run has ended; what comes before its start was not made."""
    listener = await worker.listen(await worker.read(text), start=2, provider_ref="shared", voice="en-us")
    await listener.until(lambda it: "complete" in it.states and {2, 3} == set(it.segments), seconds=60)
    return listener


@OVER_HTTP
async def test_a_run_asks_once_and_the_next_one_meets_what_was_edited_or_disabled(worker):
    """In the same session, on a worker that goes on."""
    async with server() as first, server() as second:
        worker.credentials.add_custom("shared", f"{first}/v1")
        listener = await from_the_third_on(worker, "One.\n\nTwo.\n\nThree.\n\nFour.")
        # Once where the session is set up, and once for the run with all its segments.
        assert worker.credentials.asked == ["shared"] * 2
        worker.credentials.add_custom("shared", f"{second}/v1")
        listener.states.clear()
        await listener.cursor(0)
        await listener.until(lambda it: "complete" in it.states and {0, 1} <= set(it.segments), seconds=60)
        assert worker.credentials.asked == ["shared"] * 3
        assert await texts_asked(worker, first) == {"Three.", "Four."}
        assert await texts_asked(worker, second) == {"One.", "Two."}
        other = await from_the_third_on(worker, "Five.\n\nSix.\n\nSeven.\n\nEight.")
        del worker.credentials.providers["shared"]
        await other.cursor(0)
        await other.until(lambda it: it.problems and "stopped" in it.states, seconds=60)
        assert other.problems[0].code == "PROVIDER_NOT_FOUND"
        assert set(other.segments) == {2, 3}
        with pytest.raises(LecternError) as caught:
            await worker.listen(await worker.read("Nine."), provider_ref="shared", voice="en-us")
        assert caught.value.code is Code.NOT_FOUND
        assert await texts_asked(worker, second) == {"One.", "Two.", "Seven.", "Eight."}


async def test_a_provider_that_only_a_newer_app_knows_is_told_to_listeners(worker):
    worker.credentials.add_custom("shared", "https://speech.example/v1")
    worker.credentials.providers["shared"].provider_type = PROVIDER_TYPE_UNSPECIFIED
    with pytest.raises(LecternError) as caught:
        await worker.listen(await worker.read("Never said."), provider_ref="shared", voice="en-us")
    assert (caught.value.code, caught.value.reason) == (Code.UNAVAILABLE, "CREDENTIALS_UNAVAILABLE")
    assert "tell the administrator" in caught.value.message
