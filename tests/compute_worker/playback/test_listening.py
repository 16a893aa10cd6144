"""From text to a stream, through a whole worker with everything real."""

import asyncio
import shutil
import subprocess

import aiohttp
import imageio_ffmpeg
import pytest

from compute_worker.speech.model import FRAME_BYTES, FRAME_SAMPLES
from lectern.compute.v1 import playback_pb2
from shared.errors import Code, LecternError
from shared.playback_token import PlaybackTokens

TEXT = "\n\n".join(
    f"This is paragraph number {n} of the story. It says something, and then it ends." for n in range(12)
)


async def whole_audio(listener, **query: int) -> bytes:
    """Everything to the end, while the cursor follows what was received."""
    body = bytearray()

    async def keep_cursor() -> None:
        while True:
            heard = max(
                (o for o in listener.segments if frames_before(listener, o) * FRAME_BYTES <= len(body)),
                default=listener.start_ordinal,
            )
            await listener.cursor(heard)
            await asyncio.sleep(0.2)

    cursor = asyncio.create_task(keep_cursor())
    try:
        async with listener.worker.http.get(listener.url(**query)) as answer:
            assert answer.status == 200
            async for chunk in answer.content.iter_any():
                body.extend(chunk)
    finally:
        cursor.cancel()
    return bytes(body)


def frames_before(listener, ordinal: int) -> int:
    return sum(
        s.frames + s.pause_frames
        for o, s in listener.segments.items()
        if listener.start_ordinal <= o < ordinal
    )


def decoded_samples(mp3: bytes) -> int:
    ffmpeg = shutil.which("ffmpeg") or imageio_ffmpeg.get_ffmpeg_exe()
    command = [ffmpeg, "-v", "error", "-i", "pipe:0", "-f", "s16le", "-ac", "1", "pipe:1"]
    return len(subprocess.run(command, input=mp3, capture_output=True, check=True).stdout) // 2


async def test_a_document_plays_to_its_end_and_its_length_is_that_of_the_announced_frames(worker):
    listener = await worker.listen(await worker.read(TEXT))
    audio = await whole_audio(listener)
    await listener.until(lambda it: len(it.segments) == it.segment_count)
    announced = sum(s.frames + s.pause_frames for s in listener.segments.values())
    assert len(audio) == announced * FRAME_BYTES
    assert decoded_samples(audio) == announced * FRAME_SAMPLES


async def test_every_word_is_announced_once_in_order_inside_its_segment(worker):
    listener = await worker.listen(await worker.read("Hello there. The quick brown fox jumps over 12 dogs."))
    await listener.until(lambda it: len(it.segments) == it.segment_count)
    segment = listener.segments[0]
    assert segment.exact
    words = [(w.start_ms, w.end_ms, w.char_start, w.char_end) for w in segment.words]
    assert words == sorted(words)
    assert all(0 < start < end <= segment.frames * 24 for start, end, _, _ in words)
    assert len(words) == 10


async def test_options_and_rules_change_what_is_said_and_words_still_point_into_the_text(worker):
    text = "Dr. Nguyen (a friend) ran 12km."
    rules = [
        playback_pb2.PronunciationRule(
            kind=playback_pb2.PronunciationRule.KIND_WORD, pattern="Dr.", replacement="Doctor of medicine"
        )
    ]
    reading_ref = await worker.read(text)
    plain = await worker.listen(reading_ref)
    listener = await worker.listen(
        reading_ref, options=playback_pb2.PlanOptions(skip_brackets=True), pronunciation=rules
    )
    assert listener.session_id != plain.session_id
    for it in (plain, listener):
        await it.until(lambda it: len(it.segments) == it.segment_count)
    heard = [text[w.char_start : w.char_end] for w in plain.segments[0].words]
    assert "friend" in heard
    assert heard.count("Dr") + heard.count("Dr.") == 1
    chosen = [text[w.char_start : w.char_end] for w in listener.segments[0].words]
    assert chosen[:4] == ["Dr.", "Dr.", "Dr.", "Nguyen"]
    assert "friend" not in chosen


async def test_a_rule_that_cannot_be_used_names_its_place(worker):
    reading_ref = await worker.read("Some text.")
    kinds = playback_pb2.PronunciationRule
    good, bad = (kinds(kind=kinds.KIND_REGEXP, pattern=pattern) for pattern in ("a", "(a"))
    with pytest.raises(LecternError) as refused:
        await worker.listen(reading_ref, pronunciation=[good, bad])
    assert refused.value.code is Code.INVALID_ARGUMENT
    assert refused.value.details["field"] == "pronunciation.1.pattern"


async def test_a_rule_that_takes_too_long_is_told_once_and_to_whoever_comes_later_too(worker):
    pattern = r"([^\x00-\x7f]+)+[!?]"
    rule = playback_pb2.PronunciationRule(
        kind=playback_pb2.PronunciationRule.KIND_REGEXP, pattern=pattern, replacement="never"
    )
    reading_ref = await worker.read(f"{'é' * 300}\n\nA second one.\n\nA third one.")
    first = await worker.listen(reading_ref, pronunciation=[rule])
    await first.until(lambda it: len(it.segments) == it.segment_count)
    late = await worker.listen(reading_ref, pronunciation=[rule])
    for listener in (first, late):
        await listener.until(lambda it: "complete" in it.states)
        (problem,) = listener.problems
        assert (problem.code, problem.ordinal, problem.retryable) == ("PRONUNCIATION_RULE_LEFT_OUT", 0, False)
        assert pattern in problem.message
    assert not any(segment.failed for segment in first.segments.values())


async def test_what_was_spoken_once_is_never_synthesized_again(worker, open_worker):
    reading_ref = await worker.read(TEXT)
    first = await worker.listen(reading_ref)
    audio = await whole_audio(first)
    other = await open_worker()
    second = await other.listen(reading_ref, owner_id="somebody else")
    assert await whole_audio(second) == audio
    assert all(s.cached for s in second.segments.values())


async def test_a_session_is_resumed_by_asking_for_it_again(worker):
    reading_ref = await worker.read(TEXT)
    first = await worker.listen(reading_ref)
    second = await worker.listen(reading_ref, start=3)
    assert (first.session_id, second.start_ordinal) == (second.session_id, 3)


async def test_a_pause_stops_generation_at_the_window(worker):
    listener = await worker.listen(await worker.read(TEXT * 5))
    await listener.cursor(0, playing=False)
    await listener.until(lambda it: "waiting" in it.states)
    assert 3 <= len(listener.segments) <= 8


async def test_a_seek_moves_the_window_at_once(worker):
    listener = await worker.listen(await worker.read(TEXT * 5))
    async with worker.http.get(listener.url(**{"from": 40})) as answer:
        first = await answer.content.readany()
    assert first
    await listener.until(lambda it: 40 in it.segments)


async def test_a_start_inside_a_segment_skips_whole_frames(worker):
    listener = await worker.listen(await worker.read("One two three four five six seven."))
    whole = await whole_audio(listener)
    later = await whole_audio(listener, at=250)
    assert later == whole[10 * FRAME_BYTES :]  # 240 ms


@pytest.fixture
async def known(worker):
    """A listener of a document whose every segment is known."""
    listener = await worker.listen(await worker.read("A short text. With two sentences."))
    await listener.until(lambda it: "complete" in it.states)
    return listener, await whole_audio(listener)


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        (None, 200, slice(None)),
        ("bytes=0-", 206, slice(None)),
        ("bytes=0-1", 206, slice(0, 2)),
        ("bytes=100-299", 206, slice(100, 300)),
        ("bytes=-192", 206, slice(-192, None)),
        ("bytes=0-1,5-6", 200, slice(None)),
        ("nonsense", 200, slice(None)),
    ],
)
async def test_ranges_of_a_known_stream(known, asked, status, part):
    listener, audio = known
    headers = {"Range": asked} if asked else {}
    async with listener.worker.http.get(listener.url(), headers=headers) as answer:
        assert answer.status == status
        assert answer.headers["Accept-Ranges"] == "bytes"
        assert answer.content_length == len(audio[part])
        assert await answer.read() == audio[part]


async def test_a_range_beyond_the_end_tells_the_length(known):
    listener, audio = known
    headers = {"Range": f"bytes={len(audio)}-"}
    async with listener.worker.http.get(listener.url(), headers=headers) as answer:
        assert (answer.status, answer.headers["Content-Range"]) == (416, f"bytes */{len(audio)}")


async def test_ranges_while_the_length_is_unknown(worker):
    listener = await worker.listen(await worker.read(TEXT * 5))
    async with worker.http.get(listener.url(), headers={"Range": "bytes=0-1"}) as answer:
        assert (answer.status, answer.headers["Content-Range"]) == (206, "bytes 0-1/*")
        assert len(await answer.read()) == 2
    async with worker.http.get(listener.url(), headers={"Range": "bytes=0-"}) as answer:
        assert answer.status == 200
        assert "Content-Length" not in answer.headers
        start = await answer.content.readexactly(2000)
    async with worker.http.get(listener.url(), headers={"Range": "bytes=1000-"}) as answer:
        assert answer.status == 206
        assert answer.headers["Content-Range"] == f"bytes 1000-{2**53 - 1}/*"
        assert (await answer.content.readexactly(1000)) == start[1000:]
    async with worker.http.get(listener.url(), headers={"Range": "bytes=1000-1099"}) as answer:
        assert (answer.status, answer.headers["Content-Range"]) == (206, "bytes 1000-1099/*")
        assert await answer.read() == start[1000:1100]


@pytest.mark.parametrize("what", ["missing", "garbage", "other session", "other secret", "expired"])
async def test_audio_needs_its_own_valid_token(worker, what):
    listener = await worker.listen(await worker.read("Secret words."))
    claims = {"session_id": listener.session_id, "user_id": "user", "document_id": "document"}
    token = {
        "missing": "",
        "garbage": "a.b.c",
        "other session": worker.tokens.mint(**{**claims, "session_id": "f" * 32}).token,
        "other secret": PlaybackTokens(secret="another").mint(**claims).token,
        "expired": PlaybackTokens(secret="playback-secret-for-tests", clock=lambda: 1e9).mint(**claims).token,
    }[what]
    url = f"{worker.http_url}/v1/tts-playback/sessions/{listener.session_id}/audio?token={token}"
    async with worker.http.get(url) as answer:
        assert answer.status == 403
        assert (await answer.json())["code"] == "PLAYBACK_TOKEN_INVALID"


async def test_the_stream_is_reset_when_the_provider_fails_for_good(worker, free_port):
    worker.credentials.add_custom("broken", f"http://127.0.0.1:{free_port()}/v1")
    listener = await worker.listen(await worker.read("Nobody will say this."), provider_ref="broken")
    with pytest.raises((aiohttp.ClientPayloadError, aiohttp.ClientConnectionError)):
        async with worker.http.get(listener.url()) as answer:
            await answer.read()
    await listener.until(lambda it: it.problems and "stopped" in it.states)
    assert listener.problems[0].message


async def test_an_unknown_provider_is_refused_before_anything_starts(worker):
    reading_ref = await worker.read("Text.")
    with pytest.raises(LecternError) as caught:
        await worker.listen(reading_ref, provider_ref="nobody")
    assert caught.value.code is Code.NOT_FOUND


async def test_the_credential_broker_is_asked_for_the_builtin_voice_too(worker):
    listener = await worker.listen(await worker.read("Ask first."))
    await listener.until(lambda it: len(it.segments) == 1)
    assert worker.credentials.asked.count("builtin") >= 2  # completing the settings, and the run


async def test_an_expired_session_says_so(worker):
    with pytest.raises(LecternError) as caught:
        await worker.playback.UpdateCursor(
            playback_pb2.UpdateCursorRequest(session_id="0" * 32, ordinal=0, playing=True)
        )
    assert caught.value.reason == "SESSION_EXPIRED"


async def test_cancel_stops_generation(worker):
    listener = await worker.listen(await worker.read(TEXT * 10), extent=playback_pb2.EXTENT_DOCUMENT)
    await worker.playback.CancelSession(playback_pb2.CancelSessionRequest(session_id=listener.session_id))
    operations = worker.operations
    assert operations is not None
    assert len(listener.segments) <= 8


async def test_a_text_that_is_gone_is_reported(worker):
    with pytest.raises(LecternError) as caught:
        await worker.listen("reading/" + "0" * 64 + "/1/")
    assert caught.value.reason == "READING_NOT_FOUND"


async def test_the_plan_lists_the_segments_of_the_section_asked_for(worker):
    listener = await worker.listen(await worker.read(TEXT))
    request = playback_pb2.GetPlanRequest(session_id=listener.session_id, section=0)
    plan = await worker.playback.GetPlan(request)
    assert plan.segment_count == listener.segment_count == len(plan.sections[0].segments)
    outlines = await worker.playback.GetPlan(playback_pb2.GetPlanRequest(session_id=listener.session_id))
    assert not outlines.sections[0].segments


async def test_a_problem_that_is_over_is_not_told_to_who_comes_later(worker, free_port):
    worker.credentials.add_custom("broken", f"http://127.0.0.1:{free_port()}/v1")
    reading_ref = await worker.read("First it fails, then it works.")
    listener = await worker.listen(reading_ref, provider_ref="broken", voice="en-us")
    await listener.until(lambda it: it.problems and "stopped" in it.states)
    newcomer = await worker.listen(reading_ref, provider_ref="broken", voice="en-us")
    await newcomer.until(lambda it: "stopped" in it.states)
    assert len(newcomer.problems) >= 1  # the state it is in has a reason
    builtin = worker.credentials.providers["builtin"]
    worker.credentials.providers["broken"] = type(builtin).FromString(builtin.SerializeToString())
    mended = await worker.listen(reading_ref, provider_ref="broken", voice="en-us")
    await mended.until(lambda it: "complete" in it.states)
    later = await worker.listen(reading_ref, provider_ref="broken", voice="en-us")
    await later.until(lambda it: "complete" in it.states and it.segments)
    assert later.problems == []


async def test_what_a_voice_cannot_say_is_passed_over_in_silence(worker):
    unsayable = "ߒߞߏ ߞߊ߲߫ ߞߊ߲ߕߊߡߊ"  # N'Ko, which the English voice does not know
    text = "\n\n".join([f"{unsayable} {unsayable}"] * 5 + ["And then it goes on."])
    listener = await worker.listen(await worker.read(text), voice="en-us")
    await listener.until(lambda it: "complete" in it.states)
    assert listener.problems == []
    assert not listener.segments[listener.segment_count - 1].failed
