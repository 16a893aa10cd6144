"""The built-in voice: eSpeak NG in helper processes; no network, over a hundred languages."""

import regex

from compute_worker.audio.wav import write_wav
from compute_worker.speech.builtin_languages import LANGUAGES, LIBRARY_NAMES, voice_for_language
from compute_worker.speech.espeak_pool import EspeakPool
from compute_worker.speech.model import SpeechRequest, SynthesizedAudio, Voice
from compute_worker.speech.word_events import place_words
from shared.errors import Code, LecternError

MODEL = "espeak-ng"
_WORDS_PER_MINUTE = 175
_WORDS_PER_MINUTE_RANGE = (80, 450)
_FEMALE_VARIANT = "+f2"
_UNSPEAKABLE = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\p{Cn}]")  # one for one, so that positions stay
_VOICE_ID = regex.compile(r"[A-Za-z0-9-]{2,40}(\+[A-Za-z0-9]{1,20})?")


class BuiltinProvider:
    def __init__(self, *, pool: EspeakPool) -> None:
        self._pool = pool
        self._voices: list[Voice] = []

    async def synthesize(self, request: SpeechRequest) -> SynthesizedAudio:
        voice = request.voice or self.default_voice(request.model, request.language)
        if not _VOICE_ID.fullmatch(voice):
            raise _unknown_voice(voice)
        text = speakable(request.text)
        answer = await self._pool.ask(
            {"voice": _library_voice(voice), "words_per_minute": _rate(request.native_speed), "text": text}
        )
        if error := answer.header.get("error"):
            if error == "VOICE_UNKNOWN":
                raise _unknown_voice(voice)
            raise LecternError(Code.INTERNAL, "The built-in voice could not say this text.", reason=error)
        sample_rate = answer.header["sample_rate"]
        words = place_words(
            text, answer.header["events"], total_samples=len(answer.pcm) // 2, sample_rate=sample_rate
        )
        return SynthesizedAudio(write_wav(answer.pcm, sample_rate), words)

    async def list_models(self) -> list[str]:
        return []

    async def list_voices(self, model: str) -> list[Voice]:
        del model  # there is one
        if not self._voices:
            answer = await self._pool.ask({"ask": "voices"})
            public = {name: language for language, name in LIBRARY_NAMES.items()}
            named = {
                public.get(voice["file"], voice["file"]): voice["name"] for voice in answer.header["voices"]
            }
            self._voices = [
                Voice(language + variant, named[language] + label, language)
                for language in sorted(named, key=lambda language: named[language])
                if language in LANGUAGES
                for variant, label in (("", ""), (_FEMALE_VARIANT, ", female"))
            ]
        return list(self._voices)

    def default_voice(self, model: str, language: str) -> str:
        del model
        return voice_for_language(language)


def speakable(text: str) -> str:
    """Without what the library stumbles over; every position stays."""
    cleaned: str = _UNSPEAKABLE.sub(" ", text)
    return cleaned


def _library_voice(voice: str) -> str:
    language, plus, variant = voice.partition("+")
    return LIBRARY_NAMES.get(language.lower(), language) + plus + variant


def _rate(native_speed: float) -> int:
    slowest, fastest = _WORDS_PER_MINUTE_RANGE
    return max(slowest, min(fastest, round(_WORDS_PER_MINUTE * native_speed)))


def _unknown_voice(voice: str) -> LecternError:
    return LecternError(
        Code.INVALID_ARGUMENT,
        "The built-in voice has no such voice; choose one from the list.",
        reason="VOICE_UNKNOWN",
        details={"voice": voice[:80]},
    )
