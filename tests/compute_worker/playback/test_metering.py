"""Charging new speech, through whole workers: each segment once, whoever makes it, and a limit that stops."""

import asyncio

import pytest

from compute_worker.credentials.metering import SpeechLimitError, SpeechMeterClient
from compute_worker.playback.endings import IDLE, complete, ending_of, limited
from compute_worker.speech.model import FRAME_BYTES
from compute_worker.speech.server import run_server
from compute_worker.speech.server_options import parse_options
from lectern.metering.v1 import metering_pb2
from shared.errors import Code, LecternError
from shared.rpc.channel import open_channel
from shared.rpc.server import serve_grpc
from shared.rpc.tokens import bearer_check

SENTENCES = [f"This is sentence number {n} of what somebody has to pay for." for n in range(12)]
TEXT = "\n\n".join(SENTENCES)


async def heard(listener) -> bytes:
    async with listener.worker.http.get(listener.url()) as answer:
        assert answer.status == 200
        return await answer.read()


async def test_nobody_is_asked_while_speech_is_not_metered(worker, meter_book):
    listener = await worker.listen(await worker.read("Free of charge."), usage_account="ada")
    await listener.until(lambda it: "complete" in it.states)
    assert meter_book.asked == 0


@pytest.mark.parametrize("app_transport", ["grpc", "http"])
async def test_each_segment_is_charged_once_to_who_came_first(worker, open_worker, meter_book):
    meter_book.turn_on()
    other = await open_worker()
    reading_ref = await worker.read(TEXT)
    listeners = [
        await (worker, other)[n % 2].listen(reading_ref, owner_id=name, usage_account=name)
        for n, name in enumerate(["ada", "bert", "cleo"])
    ]
    for listener in listeners:
        async with asyncio.timeout(40):
            while "complete" not in listener.states:
                await listener.cursor(max(listener.segments, default=0))
                await asyncio.sleep(0.1)
    assert len(meter_book.charges) == len(SENTENCES)
    assert sum(meter_book.charged_to(name) for name in ("ada", "bert", "cleo")) == sum(map(len, SENTENCES))
    charged = meter_book.asked
    late = await other.listen(reading_ref, owner_id="late", usage_account="late")
    await late.until(lambda it: len(it.segments) >= 3)
    assert (meter_book.asked, meter_book.charged_to("late")) == (charged, 0)


async def test_a_limit_stops_generation_with_its_reason_and_what_was_made_still_plays(worker, meter_book):
    meter_book.turn_on()
    meter_book.allowance["ada"] = 100  # the second segment crosses it and is the last
    reading_ref = await worker.read(TEXT)
    listener = await worker.listen(reading_ref, usage_account="ada")
    await listener.until(lambda it: "stopped" in it.states)
    assert sorted(listener.segments) == [0, 1]
    [problem] = listener.problems
    assert (problem.code, problem.resets_at_ms) == ("USAGE_LIMIT_REACHED", 1_800_057_600_000)
    assert not problem.HasField("ordinal")
    expected = sum(s.frames + s.pause_frames for s in listener.segments.values()) * FRAME_BYTES
    # The stream ends there, not under what is still to be heard.
    assert len(await heard(listener)) == expected
    # It comes back, is told again, and is charged nothing more.
    again = await worker.listen(reading_ref, usage_account="ada")
    await again.until(lambda it: "stopped" in it.states)
    assert sorted(again.segments) == [0, 1]
    assert meter_book.charged_to("ada") == len(SENTENCES[0] + SENTENCES[1])
    # The allowance grows: playing again goes on.
    meter_book.allowance["ada"] = 10_000
    more = await worker.listen(reading_ref, start=2, usage_account="ada")
    await more.until(lambda it: {0, 1, 2, 3} <= set(it.segments))


async def test_an_allowance_is_spent_in_the_order_of_listening(worker, meter_book):
    """Also when a later segment is ready to be made first: several are ordered at once."""
    meter_book.turn_on()
    meter_book.allowance["ada"] = len("".join(SENTENCES[:4]))
    reading_ref = await worker.read(TEXT)
    meter_book.slow_charges = 1  # the first of those that are asked together comes last
    listener = await worker.listen(reading_ref, usage_account="ada")
    await listener.until(lambda it: "stopped" in it.states)
    assert sorted(listener.segments) == [0, 1, 2, 3]
    assert meter_book.charged_to("ada") == meter_book.allowance["ada"]


async def test_beyond_the_limit_others_speech_can_be_heard(worker, meter_book):
    meter_book.turn_on()
    meter_book.allowance["ada"] = 1
    reading_ref = await worker.read(TEXT)
    rich = await worker.listen(reading_ref, owner_id="rich", start=8, usage_account="rich")
    await rich.until(lambda it: {8, 9, 10, 11} <= set(it.segments))
    poor = await worker.listen(reading_ref, owner_id="poor", usage_account="ada")
    await poor.until(lambda it: "stopped" in it.states)
    assert sorted(poor.segments) == [0]
    # A seek wakes generation, which finds what is there.
    await poor.cursor(9)
    await poor.until(lambda it: {9, 10, 11} <= set(it.segments))
    assert meter_book.charged_to("ada") == len(SENTENCES[0])


async def test_speech_that_failed_costs_nothing(worker, meter_book):
    async with run_server(parse_options(["--port", "0", "--fail-first", "9"])) as address:
        worker.credentials.add_custom("broken", f"{address}/v1")
        meter_book.turn_on()
        listener = await worker.listen(
            await worker.read(TEXT), provider_ref="broken", voice="en-us", usage_account="ada"
        )
        await listener.until(lambda it: "stopped" in it.states)
    assert meter_book.asked >= 1
    assert meter_book.charges == {}


async def test_generation_waits_for_an_app_server_that_is_away(worker, meter_book):
    meter_book.turn_on()
    meter_book.is_broken = True
    listener = await worker.listen(await worker.read("Heard in the end."), usage_account="ada")
    async with asyncio.timeout(20):
        while meter_book.asked < 4:  # more than one patient attempt
            await asyncio.sleep(0.05)
    meter_book.is_broken = False
    await listener.until(lambda it: "complete" in it.states)
    assert listener.problems == []


class _Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
async def channel(meter_book):
    check = bearer_check("meter-token-for-tests")
    async with (
        serve_grpc([meter_book], token_check=check, host="127.0.0.1", port=0) as server,
        open_channel(f"grpc://127.0.0.1:{server.port}", "meter-token-for-tests") as opened,
    ):
        yield opened


async def test_an_answer_is_believed_for_as_long_as_it_says(channel, meter_book):
    clock = _Clock()
    meter = SpeechMeterClient(channel=channel, timeout_seconds=5, clock=clock)

    async def speak(account: str = "ada") -> int:
        async with meter.charged(account, segment_key=f"s{clock.seconds}", characters=5):
            pass
        return meter_book.asked

    assert await speak() == 0  # never told anything: an app server without metering
    meter.learn(metering_pb2.SpeechMetering(is_on=False, refresh_seconds=60))
    clock.seconds = 59
    assert await speak() == 0
    meter_book.turn_on()
    clock.seconds = 60
    assert await speak() == 1
    assert await speak() == 2
    assert await speak("") == 2


async def test_a_limit_is_told_apart_from_other_refusals_and_what_is_called_off_stays_charged(
    channel, meter_book
):
    meter_book.turn_on()
    meter_book.allowance["ada"] = 5
    meter = SpeechMeterClient(channel=channel, timeout_seconds=5)
    meter.learn(metering_pb2.SpeechMetering(is_on=True, refresh_seconds=60))

    async def called_off() -> None:
        async with meter.charged("ada", segment_key="begun", characters=5):
            asyncio.current_task().cancel()
            await asyncio.sleep(60)

    with pytest.raises(asyncio.CancelledError):
        await called_off()
    assert meter_book.charged_to("ada") == 5
    async with meter.charged("ada", segment_key="begun", characters=5):
        pass  # made after all, for nothing
    with pytest.raises(SpeechLimitError) as caught:
        async with meter.charged("ada", segment_key="more", characters=5):
            raise AssertionError("nothing may be spoken")
    assert caught.value.code is Code.RESOURCE_EXHAUSTED
    with pytest.raises(LecternError, match="Failed"):
        async with meter.charged("bert", segment_key="failed", characters=5):
            raise LecternError(Code.UNAVAILABLE, "Failed.")
    assert meter_book.charged_to("bert") == 0


@pytest.mark.parametrize(
    ("ending", "needed"),
    [
        (IDLE, [True, True, True, True]),
        (complete(2), [True, True, False, False]),
        (limited(1, 2), [True, False, False, True]),
    ],
)
def test_what_a_run_left_behind_tells_whether_a_cursor_needs_another(ending, needed):
    assert ending_of(ending.text) == ending
    assert [ending.needs_run_at(ordinal) for ordinal in range(4)] == needed
