"""One block in the making: its text, white space already normal, and the markup around the text.

Everything put in is kept as an event in order. When the block's sentences are known, the events become
HTML in which every piece of text sits in a span that carries its sentence's ordinal.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from html import escape

from compute_worker.documents.model import BlockRole, PageLine, Sentence

_WHITE_SPACE = re.compile(r"[ \t\n\r\f]+")  # HTML's: a no-break space is text


@dataclass(slots=True)
class _Text:
    start: int
    text: str
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class _Markup:
    html: str


@dataclass(frozen=True, slots=True)
class Image:
    """resource is empty when the picture itself is left out."""

    resource: str
    alt: str


@dataclass(slots=True)
class Run:
    tag: str
    role: BlockRole
    language: str
    path: str
    heading_level: int = 0
    attributes: str = ""
    is_preformatted: bool = False
    holds_cells: bool = False
    breaks: list[int] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    anchors: list[Hashable] = field(default_factory=list)
    page_lines: tuple[PageLine, ...] = ()
    _events: list[_Text | _Markup] = field(default_factory=list)
    _length: int = 0
    _cell_start: int = 0
    _last: _Text | None = None

    def add_text(self, text: str, *, attribute: str = "") -> None:
        if self.is_preformatted:
            text = text.lstrip("\n") if self._last is None else text
        else:
            text = _WHITE_SPACE.sub(" ", text)
            if text.startswith(" ") and self._ends_with_space():
                text = text[1:]
        if text:
            self._last = _Text(self._length, text, attribute)
            self._events.append(self._last)
            self._length += len(text)

    def add_unread(self, text: str, reason: str) -> None:
        """Shown, but no part of the block's text."""
        text = _WHITE_SPACE.sub(" ", text)
        if text.strip():
            self.add_markup(f'<span data-unread="{reason}">{escape(text, quote=False)}</span>')

    def add_markup(self, html: str) -> None:
        self._events.append(_Markup(html))

    def close_markup(self, opening: str, closing: str) -> None:
        """Ends an element; one that turned out empty is as if it had never begun."""
        last = self._events[-1]
        if isinstance(last, _Markup) and last.html is opening:
            self._events.pop()
        else:
            self.add_markup(closing)

    def add_image(self, image: Image) -> None:
        """Among text, a picture is only seen, unless it stands for a letter or two."""
        self.images.append(image)
        if image.resource:
            self.add_markup(image_html(image))
        if 0 < len(image.alt) <= 2:
            self.add_text(image.alt, attribute=" data-alt")

    def end_line(self) -> None:
        """A line end in the text, at the end of what was last written; an HTML reader sees a space there."""
        last = self._last
        if last is None or (last.text.endswith("\n\n") and not self.is_preformatted):
            return
        if last.text.endswith(" ") and not self.is_preformatted:
            last.text = last.text[:-1] + "\n"
        else:
            last.text += "\n"
            self._length += 1

    def end_part(self) -> None:
        """The text before and after belongs to different cells or paragraphs: no sentence spans both."""
        if self._last is None:
            return
        if not self._last.text.endswith("\n"):
            self.end_line()
        self.breaks.append(self._length)

    def begin_cell(self) -> None:
        self._cell_start = self._length

    def has_text_in_cell(self) -> bool:
        return self._length > self._cell_start

    def has_text(self) -> bool:
        return any(isinstance(event, _Text) and event.text.strip() for event in self._events)

    def has_markup(self) -> bool:
        return bool(self._events)

    def finished_text(self) -> str:
        """The text, after which nothing more may be added."""
        texts = [event for event in self._events if isinstance(event, _Text)]
        for event in reversed(texts):
            kept = event.text.rstrip(" \t\n\r\f")
            self._length -= len(event.text) - len(kept)
            event.text = kept
            if kept:
                break
        return "".join(event.text for event in texts)

    def inner_html(self, sentences: tuple[Sentence, ...]) -> str:
        remaining = iter(sentences)
        sentence = next(remaining, None)
        pieces: list[str] = []
        for event in self._events:
            if isinstance(event, _Markup):
                pieces.append(event.html)
                continue
            at, end = event.start, event.start + len(event.text)
            while at < end and sentence is not None:
                if sentence.end <= at:
                    sentence = next(remaining, None)
                    continue
                stop = min(end, sentence.end)
                text = escape(event.text[at - event.start : stop - event.start], quote=False)
                pieces.append(f'<span data-sentence="{sentence.ordinal}"{event.attribute}>{text}</span>')
                at = stop
        return "".join(pieces)

    def _ends_with_space(self) -> bool:
        return self._last is None or self._last.text.endswith((" ", "\n"))


def image_html(image: Image) -> str:
    return f'<img src="resources/{image.resource}" alt="{escape(image.alt)}">'
