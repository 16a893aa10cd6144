"""Which language a text is in, by its script and, for Latin, by its commonest words."""

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any, Final

from compute_worker.documents.model import TextDirection

_SAMPLE_CHARACTERS: Final = 20_000
_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_LATIN_WORD = re.compile(r"[a-zà-öø-ÿœßąćęłńóśźżğışăâîțș]+")

_BEYOND_LATIN = re.compile("[\u0370-\u1dff\u2e80-\ufeff\U00010000-\U0001efff\U00020000-\U0003ffff]")

_SCRIPTS: Final = [
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff]")),
    ("ru", re.compile(r"[\u0400-\u052f]")),
    ("el", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff\u0750-\u077f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("bn", re.compile(r"[\u0980-\u09ff]")),
    ("pa", re.compile(r"[\u0a00-\u0a7f]")),
    ("gu", re.compile(r"[\u0a80-\u0aff]")),
    ("ta", re.compile(r"[\u0b80-\u0bff]")),
    ("te", re.compile(r"[\u0c00-\u0c7f]")),
    ("kn", re.compile(r"[\u0c80-\u0cff]")),
    ("ml", re.compile(r"[\u0d00-\u0d7f]")),
    ("si", re.compile(r"[\u0d80-\u0dff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("lo", re.compile(r"[\u0e80-\u0eff]")),
    ("my", re.compile(r"[\u1000-\u109f]")),
    ("ka", re.compile(r"[\u10a0-\u10ff]")),
    ("am", re.compile(r"[\u1200-\u137f]")),
    ("km", re.compile(r"[\u1780-\u17ff]")),
    ("hy", re.compile(r"[\u0530-\u058f]")),
    ("latin", re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")),
]

# Letters that tell a language from the first one named for its script.
_TELLING: Final = {
    "ru": [("uk", re.compile(r"[іїєґІЇЄҐ]")), ("sr", re.compile(r"[јљњћђџЈЉЊЋЂЏ]"))],
    "ar": [("ur", re.compile(r"[ٹڈڑےں]")), ("fa", re.compile(r"[پچژگ]"))],
}

# The commonest words of each, as counted in any corpus of it; the ones that several share are left out.
_COMMON_WORDS: Final = {
    "en": "the of and to that was his with he for it as had you not be her but she which",
    "fr": "le les des et une dans il que qui est pour pas sur ce elle au vous nous avec",
    "de": "der die und das ist nicht ein sich mit auf den dem zu eine ich es von auch wie",
    "es": "el los las que y en una por con para del se no su más como pero lo al",
    "it": "il che di per non una sono della con gli si le anche più come è nel alla",
    "pt": "o os que do da em um uma não para com mais dos como se ao pela seu foi",
    "nl": "het een van en dat niet zijn op te met voor hij aan ook er maar om ze",
    "sv": "och att det som en på är av för inte med den till har jag om ett men",
    "da": "og at det er en af på for ikke med den til har jeg der et men var",
    "nb": "og at det er en av på for ikke med den til har jeg som et men var",
    "pl": "i w nie się na to że z do jest jak ale po co tak za od przez jego",
    "fi": "ja on ei se että oli hän mutta niin kuin minä myös ovat joka sen",
    "cs": "a se je na že to v s do si jako ale jsem by po ve za už jen",
    "tr": "bir ve bu da de için ile çok ne gibi daha kadar olarak ama ben var",
    "ro": "și în nu la cu să de care mai un din pe este ca sunt dar fost",
    "hu": "a az és hogy nem is egy van meg csak ez volt mint már de ha",
}
_VOTES: Final = [(language, frozenset(words.split())) for language, words in _COMMON_WORDS.items()]
_MANY_WORDS: Final = 12
_FEW_WORDS: Final = 200
_SURE: Final = 0.8
_RTL: Final = frozenset({"ar", "he", "fa", "ur", "yi", "ps", "sd", "ug", "dv", "ckb", "iw"})


def declared_language(value: str | None) -> str:
    """A well-formed BCP 47 tag, or nothing: books declare "English", "und" and worse."""
    tag = (value or "").strip().replace("_", "-")
    if not _TAG.fullmatch(tag) or tag.lower() in {"und", "zxx", "mul", "unknown"}:
        return ""
    primary, dash, rest = tag.partition("-")
    return "" if len(primary) > 3 else primary.lower() + dash + rest


def detect_language(text: str) -> str:
    """Empty when the text holds too little to tell."""
    sample = text[:_SAMPLE_CHARACTERS]
    script = _main_script(sample)
    if script == "latin":
        return _latin_language(sample)
    for language, letters in _TELLING.get(script, ()):
        if len(letters.findall(sample)) * 200 > len(sample):
            return language
    return script


def plausibility(text: str) -> float:
    """How much a decoded text looks like words, to choose between encodings: more is better. Known words
    speak for it, capitals inside of words against it."""
    sample = text[:_SAMPLE_CHARACTERS]
    words = Counter(_LATIN_WORD.findall(sample.lower()))
    known = max(sum(words[word] for word in common) for _, common in _VOTES)
    odd = sum(1 for left, right in pairwise(sample) if left.islower() and right.isupper())
    return known / max(words.total(), 1) - 4 * odd / max(len(sample), 1)


def differing_script(text: str, language: str) -> str:
    """The language of a block whose script cannot be the document's; empty where it can."""
    if not _BEYOND_LATIN.search(text):
        return ""
    script = _main_script(text)
    primary = language.partition("-")[0]
    if script in {"", "latin", primary} or (script == "zh" and primary in {"ja", "ko"}):
        return ""
    return "" if primary == detect_language(text) or _writes(primary) == script else detect_language(text)


def direction_of(language: str) -> TextDirection:
    return TextDirection.RTL if language.partition("-")[0].lower() in _RTL else TextDirection.LTR


def _writes(primary: str) -> str:
    """The script's key for languages that share one."""
    shared = {"uk": "ru", "bg": "ru", "sr": "ru", "mk": "ru", "be": "ru", "kk": "ru", "mn": "ru", "fa": "ar"}
    shared |= {"ur": "ar", "ps": "ar", "ug": "ar", "mr": "hi", "ne": "hi", "sa": "hi", "yi": "he", "ti": "am"}
    return shared.get(primary, primary)


def _main_script(sample: str) -> str:
    counts = {name: len(letters.findall(sample)) for name, letters in _SCRIPTS}
    if counts["ja"] * 10 > counts["zh"]:  # Japanese mixes kana into Han
        counts["ja"] += counts["zh"]
    name, count = max(counts.items(), key=lambda item: item[1])
    return name if count else ""


def _latin_language(sample: str) -> str:
    """By the commonest words where they are many and of one mind, which costs nothing; else by letters."""
    words = Counter(_LATIN_WORD.findall(sample.lower()))
    votes = Counter({language: sum(words[word] for word in common) for language, common in _VOTES})
    (language, count), (_, next_count) = votes.most_common(2)
    if count >= _MANY_WORDS and count * 20 >= words.total() and count * 2 >= next_count * 3:
        return language
    # A long text without the commonest words of any language we know is in none of them, or in many.
    return _language_by_letters(sample) if words.total() < _FEW_WORDS else ""


def _language_by_letters(sample: str) -> str:
    language, probability = _identifier().classify(sample)
    return str(language) if probability >= _SURE else ""


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - takes 0.2 s to load

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
