"""From a text as it is written to what is said, with the way back to where each part came from."""

import bisect
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import regex

from compute_worker.speech.omissions import Range
from shared.pronunciation import AS_WRITTEN, Pronunciation, PronunciationRule, Replacement, apply

_LINK_PHRASES = {
    "en": "link to {}",
    "de": "Link zu {}",
    "es": "enlace a {}",
    "fr": "lien vers {}",
    "it": "collegamento a {}",
    "nl": "link naar {}",
    "pl": "odnośnik do {}",
    "pt": "link para {}",
    "ru": "ссылка на {}",
    "sv": "länk till {}",
}
_TOKEN = regex.compile(
    r"""
      (?P<link> \b (?:https?|ftp):// (?:[^\s/@<>"]*@)? (?P<host>[^\s/:?\#<>"'()\[\]{}]+)
                [^\s<>"{}|\\^`]* (?<! [.,;:!?'’”)\]] )
              | \b www\. (?P<host>[^\s/:?\#<>"'()\[\]{}]+) [^\s<>"{}|\\^`]* (?<! [.,;:!?'’”)\]] ) )
    | (?P<unseen> [\u00AD\u200B\u2060\uFEFF\uFFFC\uFFFD\u200E\u200F\u202A-\u202E\u2066-\u2069]+ )
    | (?P<ligature> [\uFB00-\uFB06] )
    | (?P<space> (?: [\s\p{Cc}\p{Co}\p{Cs}]
                   | [\p{Extended_Pictographic}--[©®™]] [\uFE0E\uFE0F\u200D\p{EMod}]*
                   | [\u2190-\u21FF\u2500-\u25FF\u2600-\u27BF\u2B00-\u2BFF•‣⁃⁂⁕※¶❧☙]
                   | \p{Regional_Indicator}
                   | (?P<run> [*_~=\#\-–—·.+^] ) (?P=run){3,}
                   | (?P<break> [*_~=\#] ) (?: \s* (?P=break) ){2,} )+ )
    """,
    regex.VERBOSE | regex.V1,
)


@dataclass(frozen=True)
class _Piece:
    """A stretch of spoken text; verbatim ones correspond code point by code point."""

    spoken_start: int
    spoken_end: int
    start: int
    end: int
    is_verbatim: bool


@dataclass(frozen=True)
class SpokenMap:
    pieces: tuple[_Piece, ...] = field(repr=False)

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the written text that a range of the spoken text stands for."""
        if not self.pieces:
            return 0, 0
        first = self._piece_at(start)
        last = self._piece_at(max(start, end - 1))
        return (
            first.start + (start - first.spoken_start if first.is_verbatim else 0),
            last.start + min(end, last.spoken_end) - last.spoken_start if last.is_verbatim else last.end,
        )

    def between(self, start: int, end: int) -> Iterator[_Piece]:
        """The pieces of a range of the spoken text, cut to it."""
        for piece in self.pieces:
            first, last = max(piece.spoken_start, start), min(piece.spoken_end, end)
            if first >= last:
                continue
            if piece.is_verbatim:
                shift = piece.start - piece.spoken_start
                yield _Piece(first, last, first + shift, last + shift, True)
            else:
                yield replace(piece, spoken_start=first, spoken_end=last)

    def _piece_at(self, position: int) -> _Piece:
        index = bisect.bisect_right(self.pieces, position, key=lambda piece: piece.spoken_start)
        return self.pieces[max(0, index - 1)]


@dataclass(frozen=True)
class SpokenText:
    """rules_left_out: of the pronunciation, as they take too long on this text."""

    text: str
    map: SpokenMap
    rules_left_out: tuple[PronunciationRule, ...] = ()


@lru_cache(maxsize=512)  # a segment is asked for from its order until its words are measured
def to_spoken(
    text: str,
    language: str,
    omitted: tuple[Range, ...] = (),
    pronunciation: Pronunciation = AS_WRITTEN,
) -> SpokenText:
    """Links become "link to host"; ornaments, emoji and invisible characters go; white space is one space.
    What is omitted is not said, and the rules of pronunciation are applied to what is left."""
    spoken = _cleaned(text, language, omitted)
    applied = pronunciation.applied(spoken.text)
    for replacements in applied.passes:
        spoken = _replaced(spoken, replacements)
    return replace(spoken, rules_left_out=applied.left_out) if applied.left_out else spoken


def _cleaned(text: str, language: str, omitted: tuple[Range, ...]) -> SpokenText:
    pieces: list[_Piece] = []
    spoken: list[str] = []
    length = 0
    for said, start, end in _say_all(text, language, omitted):
        if said == " " and (not spoken or spoken[-1].endswith(" ")):
            continue
        pieces.append(_Piece(length, length + len(said), start, end, said == text[start:end]))
        spoken.append(said)
        length += len(said)
    if spoken and spoken[-1] == " ":
        spoken.pop()
        pieces.pop()
    return SpokenText("".join(spoken), SpokenMap(tuple(pieces)))


def _replaced(spoken: SpokenText, replacements: Sequence[Replacement]) -> SpokenText:
    """What was put in stands as a whole for the written text that it replaces."""
    pieces: list[_Piece] = []
    length = position = 0
    for one in [*replacements, None]:
        upto = len(spoken.text) if one is None else one.start
        kept = list(spoken.map.between(position, upto))
        if one is not None and one.said:
            kept.append(_Piece(0, len(one.said), *spoken.map.to_original(one.start, one.end), False))
        for piece in kept:
            size = piece.spoken_end - piece.spoken_start
            pieces.append(replace(piece, spoken_start=length, spoken_end=length + size))
            length += size
        position = len(spoken.text) if one is None else one.end
    return SpokenText(apply(replacements, spoken.text), SpokenMap(tuple(pieces)))


def _say_all(text: str, language: str, omitted: tuple[Range, ...]) -> Iterator[tuple[str, int, int]]:
    position = 0
    for start, end in [*omitted, (len(text), len(text))]:
        for said, first, last in _say(text[position:start], language):
            yield said, position + first, position + last
        position = end


def _say(text: str, language: str) -> Iterator[tuple[str, int, int]]:
    position = 0
    for match in _TOKEN.finditer(text):
        if position < match.start():
            yield text[position : match.start()], position, match.start()
        if match["link"]:
            yield _name_link(match["host"], language), *match.span()
        elif match["ligature"]:
            yield unicodedata.normalize("NFKC", match[0]), *match.span()
        elif match["space"]:
            yield " ", *match.span()
        position = match.end()
    if position < len(text):
        yield text[position:], position, len(text)


def _name_link(host: str, language: str) -> str:
    phrase = _LINK_PHRASES.get(language.split("-", maxsplit=1)[0].lower(), "{}")
    return phrase.format(host.removeprefix("www.").rstrip("."))
