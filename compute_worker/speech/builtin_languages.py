"""Which voice of eSpeak NG speaks a BCP 47 language. A test compares the list with the library's own."""

from typing import Final

FALLBACK: Final = "en-us"

_CODES: Final = """
    af am an ar as az ba be bg bn bpy bs ca ca-ba ca-nw ca-va chr cmn cs cv cy da de el
    en-029 en-gb en-gb-scotland en-gb-x-gbclan en-gb-x-gbcwmd en-gb-x-rp en-shaw en-us en-us-nyc eo es
    es-419 et eu fa fa-latn fi fo fr fr-be fr-ch ga gd gn grc gu hak haw he hi hr ht hu hy hyw ia id
    io is it ja jbo ka kaa kk kl kn ko kok ku ky la lb lfn lt ltg lv mi mk ml mr ms mt mto my nb nci ne
    nl nog om or pa pap pl pt pt-br qu quc ro ru ru-cl ru-lv sd shn si sk sl smj sq sr sv sw ta te th ti
    tk tn tr tt ug uk ur uz vi vi-vn-x-central vi-vn-x-south yue
"""
LANGUAGES: Final = frozenset(_CODES.split())
LIBRARY_NAMES: Final = {"en-gb": "en"}  # the only voice whose file is not named after what it speaks
_ALIASES: Final = {
    "ar-arz": "ar",
    "en": "en-us",
    "en-au": "en-gb",
    "en-ie": "en-gb",
    "en-in": "en-gb",
    "en-nz": "en-gb",
    "en-za": "en-gb",
    "es-ar": "es-419",
    "es-cl": "es-419",
    "es-co": "es-419",
    "es-mx": "es-419",
    "es-pe": "es-419",
    "es-us": "es-419",
    "es-ve": "es-419",
    "fil": "ms",
    "gsw": "de",
    "in": "id",
    "iw": "he",
    "no": "nb",
    "nn": "nb",
    "sh": "hr",
    "tl": "ms",
    "zh": "cmn",
    "zh-hk": "yue",
    "zh-mo": "yue",
    "zh-yue": "yue",
}


def voice_for_language(language: str) -> str:
    """The closest voice: the tag itself, the tag without its last parts, the language, American English."""
    parts = language.replace("_", "-").lower().split("-")
    while parts:
        tag = "-".join(parts)
        if found := _ALIASES.get(tag) or (tag if tag in LANGUAGES else None):
            return found
        if len(parts) == 3 and f"{parts[0]}-{parts[2]}" in _ALIASES:  # zh-Hant-HK
            return _ALIASES[f"{parts[0]}-{parts[2]}"]
        parts.pop()
    return FALLBACK
