import asyncio
import os
import signal
import sys
import textwrap

import pytest

from compute_worker.speech.espeak_pool import EspeakPool
from shared.errors import LecternError

SHORT = {"voice": "en-us", "words_per_minute": 175, "text": "Hello."}
LONG = {"voice": "en-us", "words_per_minute": 80, "text": "One two three four five six. " * 20_000}


async def until_gone(process_id: int) -> None:
    async with asyncio.timeout(10):
        while True:
            try:
                os.kill(process_id, 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.005)


async def test_a_helper_is_warm_after_entering_and_gone_after_leaving() -> None:
    async with EspeakPool() as pool:
        [process_id] = pool.idle_process_ids
        await pool.ask(SHORT)
        assert pool.idle_process_ids == [process_id], "it is used again"
    await until_gone(process_id)


async def test_requests_at_once_are_shared_among_as_many_helpers_as_allowed() -> None:
    async with EspeakPool(size=2) as pool:
        answers = await asyncio.gather(*(pool.ask(SHORT) for _ in range(10)))
        assert all(len(answer.pcm) > 10_000 for answer in answers)
        assert len(pool.idle_process_ids) == 2


async def test_a_helper_that_was_killed_is_replaced() -> None:
    async with EspeakPool() as pool:
        [process_id] = pool.idle_process_ids
        os.kill(process_id, signal.SIGKILL)
        assert (await pool.ask(SHORT)).pcm
        assert process_id not in pool.idle_process_ids


async def test_a_crash_in_the_middle_of_a_request_is_survived() -> None:
    async with EspeakPool() as pool:
        [process_id] = pool.idle_process_ids
        os.kill(process_id, signal.SIGSTOP)  # so that the request is surely under way
        asking = asyncio.create_task(pool.ask(SHORT))
        while pool.idle_process_ids:
            await asyncio.sleep(0)
        os.kill(process_id, signal.SIGKILL)
        assert (await asking).pcm


async def test_cancelling_kills_the_helper_and_the_next_request_is_answered_rightly() -> None:
    async with EspeakPool(size=1) as pool:
        expected = len((await pool.ask(SHORT)).pcm)
        [process_id] = pool.idle_process_ids
        asking = asyncio.create_task(pool.ask(LONG))
        while pool.idle_process_ids:
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await until_gone(process_id)
        assert len((await pool.ask(SHORT)).pcm) == pytest.approx(expected, rel=0.02)


async def test_time_is_limited() -> None:
    async with EspeakPool(timeout_seconds=5) as pool:
        [process_id] = pool.idle_process_ids
        os.kill(process_id, signal.SIGSTOP)
        impatient = EspeakPool(timeout_seconds=0.2)
        impatient._idle, pool._idle = pool._idle, []
        with pytest.raises(LecternError) as caught:
            await impatient.ask(SHORT)
        assert caught.value.reason == "VOICE_TIMEOUT"
        await until_gone(process_id)


async def test_helpers_do_not_outlive_a_killed_worker() -> None:
    program = textwrap.dedent(
        """
        import asyncio
        from compute_worker.speech.espeak_pool import EspeakPool

        async def main():
            async with EspeakPool() as pool:
                print(pool.idle_process_ids[0], flush=True)
                await asyncio.Event().wait()

        asyncio.run(main())
        """
    )
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE
    )
    assert worker.stdout is not None
    process_id = int(await worker.stdout.readline())
    worker.kill()
    await worker.communicate()
    await until_gone(process_id)
