"""Whether a recording can be what was asked for, judged by its length."""

import regex

from compute_worker.speech.words import spoken_words
from shared.errors import Code, LecternError

_SLOW = regex.compile(r"[\p{N}\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}\p{S}%&@]")
_SHORTEST_SECONDS_PER_LETTER = 1 / 60  # four times a usual pace
_SLOWEST_SECONDS_PER_LETTER = 0.6  # spelled out, letter by letter
_SLOWEST_SECONDS_PER_SIGN = 3.0  # "1,234,567.89"
_LEEWAY_SECONDS = 10.0
_FEW_LETTERS = 12


def check_length(text: str, seconds: float, native_speed: float) -> None:
    """Providers cut off, or say only the first sentence, or babble on; speed is what was asked for."""
    spoken = "".join(text[start:end] for start, end in spoken_words(text))
    slow = len(_SLOW.findall(spoken))
    letters = len(spoken) - slow
    shortest = (letters + slow) * _SHORTEST_SECONDS_PER_LETTER / max(native_speed, 1.0)
    longest = letters * _SLOWEST_SECONDS_PER_LETTER + slow * _SLOWEST_SECONDS_PER_SIGN
    if letters + slow >= _FEW_LETTERS and seconds < shortest:
        raise _failure(
            "The speech provider's audio is far too short for its text.", "AUDIO_TOO_SHORT", seconds
        )
    if seconds > _LEEWAY_SECONDS + longest / min(max(native_speed, 0.1), 1.0):
        raise _failure("The speech provider's audio is far too long for its text.", "AUDIO_TOO_LONG", seconds)


def _failure(message: str, reason: str, seconds: float) -> LecternError:
    return LecternError(
        Code.UNAVAILABLE, message, reason=reason, retryable=True, details={"seconds": f"{seconds:.2f}"}
    )
