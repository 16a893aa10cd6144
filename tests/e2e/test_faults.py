"""What a listener notices when a worker dies: a moment of silence, and no word lost."""

import os
import signal
import time

import pytest
from e2e.listening import sounding_word

pytestmark = pytest.mark.e2e

BACK_WITHIN_SECONDS = 5
SPOKEN = ["Quebec", "romeo", "sierra", "tango", "uniform", "victor", "yankee"]


def test_playback_resumes_at_the_right_word_after_the_worker_was_killed(
    reader, spaced_words, lectern_instance
):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.play()
    reader.until(lambda it: "Juliett" in it.sentence and it.word)
    # What the browser has buffered would hide the fault: seek where nothing is loaded, at the same moment.
    os.kill(lectern_instance.child_pid("worker"), signal.SIGKILL)
    killed = time.monotonic()
    reader.page.get_by_text("Quebec, romeo").nth(2).click(position={"x": 8, "y": 10})
    heard = reader.until(lambda it: it.state == "playing" and it.word and "Quebec" in it.sentence, seconds=20)
    took = time.monotonic() - killed
    assert heard.word == sounding_word(heard, SPOKEN)
    print(f"heard again {took:.1f} s after the worker was killed (bar {BACK_WITHIN_SECONDS} s)")


@pytest.mark.parametrize("part", ["broker", "object store"])
def test_listening_goes_on_after_a_part_was_killed(reader, spaced_words, lectern_instance, part):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.play()
    reader.until(lambda it: "Alpha" in it.sentence and it.word)
    os.kill(lectern_instance.child_pid(part), signal.SIGKILL)
    reader.page.get_by_text("Quebec, romeo").nth(3).click(position={"x": 8, "y": 10})
    heard = reader.until(lambda it: it.state == "playing" and it.word and "Quebec" in it.sentence, seconds=30)
    assert heard.word == sounding_word(heard, SPOKEN)
