import pytest

from compute_worker.audio.wav import parse_wav
from compute_worker.speech.builtin import BuiltinProvider
from compute_worker.speech.builtin_languages import LANGUAGES, voice_for_language
from compute_worker.speech.words import spoken_words
from shared.errors import LecternError

TEXTS = {
    "en": 'Hello there Mr. Smith, it costs $3.50 — 42 apples. "Naïve" café, 1,234 e.g. AT&T!',
    "de": "Guten Tag, schöne Welt! Am 3. Oktober 1990 kostete es 12,50 €.",
    "fr": "L’élève n’a pas mangé aujourd’hui; c’est dommage.",
    "zh": "你好，世界。今天天气很好。",
    "ja": "こんにちは世界。カタカナです。",
    "ar": "مرحبا بالعالم",
    "hi": "हिन्दी भाषा में एक वाक्य।",
    "th": "สวัสดีครับ",
    "ko": "안녕하세요 세계",
    "ru": "Привет, мир! 25 рублей.",
}


@pytest.mark.parametrize("language", TEXTS)
async def test_every_word_has_one_range_in_order_and_inside_the_sound(
    language: str, builtin: BuiltinProvider, request_for
) -> None:
    text = TEXTS[language]
    audio = await builtin.synthesize(request_for(text, language=language))
    pcm = parse_wav(audio.body)
    assert pcm is not None
    assert audio.words is not None
    assert tuple((word.char_start, word.char_end) for word in audio.words) == spoken_words(text)
    duration_ms = len(pcm.samples) * 1000 / pcm.sample_rate
    previous = 0
    for word in audio.words:
        assert previous <= word.start_ms <= word.end_ms <= duration_ms + 1
        previous = word.start_ms


async def test_markup_and_phoneme_brackets_are_only_text(builtin: BuiltinProvider, request_for) -> None:
    marked = '<speak><break time="5s"/>one [[tu:]] two</speak>'
    audio = await builtin.synthesize(request_for(marked))
    assert audio.words is not None
    assert {marked[w.char_start : w.char_end] for w in audio.words} >= {"speak", "break", "one", "tu", "two"}


async def test_control_characters_change_neither_the_voice_nor_the_positions(
    builtin: BuiltinProvider, request_for
) -> None:
    text = "one\x00two \x01+500P three\x1b four"
    audio = await builtin.synthesize(request_for(text))
    assert audio.words is not None
    said = [text[word.char_start : word.char_end] for word in audio.words]
    assert [word for word in said if word.isalpha()] == ["one", "two", "three", "four"]


async def test_speed_changes_the_length(builtin: BuiltinProvider, request_for) -> None:
    usual, fast = [
        len((await builtin.synthesize(request_for(TEXTS["en"], native_speed=speed))).body)
        for speed in (1.0, 2.0)
    ]
    assert fast < 0.65 * usual


async def test_a_request_does_not_depend_on_the_ones_before(builtin: BuiltinProvider, request_for) -> None:
    first = await builtin.synthesize(request_for(TEXTS["en"]))
    await builtin.synthesize(request_for(TEXTS["de"], language="de", native_speed=1.7))
    again = await builtin.synthesize(request_for(TEXTS["en"]))
    assert first.words is not None
    assert again.words is not None
    for before, after in zip(first.words, again.words, strict=True):  # the library is exact to some samples
        assert after.start_ms == pytest.approx(before.start_ms, abs=15)


async def test_the_library_has_every_voice_of_our_list(builtin: BuiltinProvider) -> None:
    listed = {voice.voice_id for voice in await builtin.list_voices("")}
    assert listed == {code + variant for code in LANGUAGES for variant in ("", "+f2")}
    assert len(LANGUAGES) > 100


async def test_all_voices_can_be_asked_for(builtin: BuiltinProvider, request_for) -> None:
    for voice in sorted(LANGUAGES):
        assert (await builtin.synthesize(request_for("1", voice=voice))).body


async def test_variants_sound_different(builtin: BuiltinProvider, request_for) -> None:
    male, female = [await builtin.synthesize(request_for("Hello", voice=v)) for v in ("en-us", "en-us+f2")]
    assert male.body != female.body


@pytest.mark.parametrize("voice", ["nope", "../../etc/passwd", "en-us+f2+f3", "x" * 200])
async def test_an_unknown_voice_is_an_error_and_not_another_voice(
    voice: str, builtin: BuiltinProvider, request_for
) -> None:
    with pytest.raises(LecternError) as caught:
        await builtin.synthesize(request_for("Hello", voice=voice))
    assert caught.value.reason == "VOICE_UNKNOWN"


@pytest.mark.parametrize(
    ("language", "voice"),
    [
        ("en", "en-us"),
        ("en-US", "en-us"),
        ("en_GB", "en-gb"),
        ("en-AU", "en-gb"),
        ("de-AT", "de"),
        ("fr", "fr"),
        ("fr-CA", "fr"),
        ("pt-BR", "pt-br"),
        ("zh", "cmn"),
        ("zh-Hans-CN", "cmn"),
        ("zh-Hant-HK", "yue"),
        ("es-MX", "es-419"),
        ("nn", "nb"),
        ("tlh", "en-us"),
        ("", "en-us"),
        ("und", "en-us"),
    ],
)
def test_the_default_voice_speaks_the_language(language: str, voice: str) -> None:
    assert voice_for_language(language) == voice
    assert voice in LANGUAGES


@pytest.mark.parametrize(
    ("joined", "apart"), [("He came in.", "He came soon."), ("He came off.", "He came soon.")]
)
async def test_a_word_that_begins_with_a_vowel_does_not_take_the_sound_before_it(
    builtin: BuiltinProvider, request_for, joined: str, apart: str
) -> None:
    """The library tells of "in" when it begins the "m" of "came"."""

    async def duration_of_came(text: str) -> int:
        words = (await builtin.synthesize(request_for(text, language="en"))).words
        assert words is not None
        return words[1].end_ms - words[1].start_ms

    assert await duration_of_came(joined) > 0.8 * await duration_of_came(apart)
