import pytest

from compute_worker.speech.length_check import check_length
from shared.errors import LecternError

SENTENCE = "The quick brown fox jumps over the lazy dog."


@pytest.mark.parametrize(
    ("text", "seconds", "speed"),
    [
        (SENTENCE, 2.6, 1.0),
        (SENTENCE, 0.7, 4.0),
        (SENTENCE, 12.0, 0.25),
        ("No.", 0.1, 1.0),
        ("1,234,567,890.12", 11.0, 1.0),
        ("今天天气很好，我们去公园散步吧。", 3.5, 1.0),
        ("WWW.NASA.GOV/FAQ", 8.0, 1.0),
    ],
)
def test_usual_lengths_pass(text: str, seconds: float, speed: float) -> None:
    check_length(text, seconds, speed)


@pytest.mark.parametrize(
    ("text", "seconds", "reason"),
    [
        (SENTENCE, 0.3, "AUDIO_TOO_SHORT"),
        (SENTENCE * 10, 2.6, "AUDIO_TOO_SHORT"),
        (SENTENCE, 60.0, "AUDIO_TOO_LONG"),
        ("No.", 30.0, "AUDIO_TOO_LONG"),
    ],
)
def test_recordings_that_cannot_be_the_text_are_refused(text: str, seconds: float, reason: str) -> None:
    with pytest.raises(LecternError) as caught:
        check_length(text, seconds, 1.0)
    assert caught.value.reason == reason
