"""From the bytes of a text file to text, whatever its encoding and whether or not it says so."""

import codecs
import re
from typing import Final

from compute_worker.documents.failures import empty, refused
from compute_worker.documents.language import plausibility

_SAMPLE_BYTES: Final = 64 * 1024
_BOMS: Final = [
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
# What browsers read under these labels (https://encoding.spec.whatwg.org/#names-and-labels).
_LABELS: Final = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "tis-620": "cp874",
}
_WESTERN: Final = frozenset(
    "àâäáãåæçèéêëìíîïñòóôöõøùúûüÿœßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØÙÚÛÜŸŒ‘’“”„«»‹›–—…•·°§©®€£\u00a0¡¿ªº"
)
_META = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([-\w:]+)""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]+encoding\s*=\s*["']([-\w:]+)""")
# Everything that is neither text nor white space; a NUL and its kin would not survive a browser anyway.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff]")


def declared_in_markup(content: bytes) -> str:
    head = content[:4096]
    found = _XML.search(head) or _META.search(head)
    return found.group(1).decode("ascii") if found else ""


def decode(content: bytes, *, declared: str = "") -> str:
    """Text with "\\n" line ends and without control characters."""
    if not content.strip(b"\0 \t\r\n"):
        raise empty()
    text = _decoded(content, declared)
    cleaned = _CONTROLS.sub("", text)
    if len(text) - len(cleaned) > max(8, len(text) // 50):
        raise refused(
            "NOT_TEXT", "This file does not hold text that could be read: it looks like binary data."
        )
    return cleaned.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")


def _decoded(content: bytes, declared: str) -> str:
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return content.decode(encoding, errors="replace")
    encoding = _known(declared)
    for candidate in (encoding, "utf-8"):
        # A page that could be read as ASCII cannot really be UTF-16, whatever it claims.
        if candidate and not candidate.startswith(("utf-16", "utf-32")):
            try:
                text = content.decode(candidate)
            except UnicodeDecodeError:
                continue
            if "\0" not in text:
                return text
    wide = _as_utf16(content)
    if wide is not None:
        return wide
    if encoding == "utf-8" and not _is_nearly_utf8(content):
        encoding = ""
    return content.decode(encoding or _guessed(content), errors="replace")


def _known(label: str) -> str:
    try:
        name = codecs.lookup(label.strip()).name if label.strip() else ""
    except LookupError:
        return ""
    return _LABELS.get(name, name)


def _is_nearly_utf8(content: bytes) -> bool:
    """A few damaged characters do not make it another encoding."""
    text = content.decode(errors="replace")
    return text.count("\ufffd") * 20 < sum(1 for character in text if character >= "\x80")


def _as_utf16(content: bytes) -> str | None:
    """UTF-16 without its mark: white space and punctuation come with a zero byte, always on the same side."""
    if len(content) % 2 or b"\0" not in content:
        return None
    sample = content[:_SAMPLE_BYTES]
    plain = frozenset(b" \n\r\t.,:;-!?\"'")
    little = sum(1 for low, high in zip(sample[::2], sample[1::2], strict=False) if not high and low in plain)
    big = sum(1 for high, low in zip(sample[::2], sample[1::2], strict=False) if not high and low in plain)
    if max(little, big) * 50 < len(sample) // 2:
        little, big = sample[1::2].count(0), sample[::2].count(0)
    try:
        return content.decode("utf-16-le" if little > big else "utf-16-be")
    except UnicodeDecodeError:
        return None


def _guessed(content: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - 70 ms that files in UTF-8 need not wait for

    sample = content[:_SAMPLE_BYTES]
    if _looks_western(sample.decode("cp1252", errors="replace")):
        return "cp1252"
    matches = list(from_bytes(sample))
    if not matches:
        return "cp1252"
    return _known(max(matches, key=lambda match: plausibility(str(match)) - match.chaos).encoding)


def _looks_western(text: str) -> bool:
    """A few accents among plain letters, and no sign inside a word: what Western Europe writes."""
    accented = [character for character in text if character >= "\x80"]
    plain = sum(1 for character in text if character.isascii() and character.isalpha())
    return len(accented) * 2 < plain and all(character in _WESTERN for character in accented)
