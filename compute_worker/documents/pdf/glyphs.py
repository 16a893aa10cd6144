"""What a glyph says: ligatures in letters, private bullets as bullets, nothing for what says nothing."""

import re
import unicodedata
from typing import Final

HYPHEN: Final = "\u00ad"
RTL: Final = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_PLAIN = re.compile(
    r"[\x20-\x7e\u00a1-\u00ac\u00ae-\u02af\u0370-\u058f\u2010-\u2027\u2030-\u205e\u3000-\u9fff]*"
)
_LIGATURES = re.compile("[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc\u2f00-\u2fd5]+")
_DROPPED = re.compile(
    "[\x00\x01\x03-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffc-\uffff]+"
)
_HALVES = re.compile("[\ud800-\udfff]")
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
# Symbol and Wingdings reach text through the private use area at U+F000; these are used as bullets.
_SYMBOLS: Final = {
    "\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓", "\uf0a8": "◻", "\uf06c": "●", "\uf06e": "■",
    "\uf02d": "−", "\uf0b0": "°", "\uf0b1": "±", "\uf0e0": "→",
}  # fmt: skip


def readable(raw: str) -> str:
    """The text of glyphs; pdfium's marks for a hyphen at a line's end (U+0002, U+FFFE) become a soft
    hyphen."""
    if (raw.isascii() and raw.isprintable()) or _PLAIN.fullmatch(raw):
        return raw
    text = raw.replace("\x02", HYPHEN).replace("\ufffe", HYPHEN)
    if _HALVES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    text = _DROPPED.sub("", text)
    text = _LIGATURES.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    text = _PRIVATE.sub(lambda match: _SYMBOLS.get(match[0], ""), text)
    return text.strip()
