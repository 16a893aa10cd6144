"""What an element means for everything inside of it: its role, its language, whether it is read or shown."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from compute_worker.documents import markup
from compute_worker.documents.language import declared_language
from compute_worker.documents.markup import Element, semantics_of, tag_of
from compute_worker.documents.model import BlockRole

_NOTE_MARK = re.compile(r"[\[(]?\s*([0-9]{1,4}|[a-zA-Z]|[ivxlc]{1,6}|[*†‡§¶#]{1,3})\s*[\])]?\.?")
_BACK_MARK = re.compile(r"[\s↩︎⤴↑^⏎]+")
_NOTES = frozenset({"footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes", "reflist"})
_REFERENCES = frozenset({"biblioentry", "bibliography"})
_CONTEXT_ROLES = {
    "blockquote": BlockRole.QUOTE,
    "li": BlockRole.LIST_ITEM,
    "dd": BlockRole.LIST_ITEM,
    "dt": BlockRole.LIST_ITEM,
    "caption": BlockRole.CAPTION,
    "figcaption": BlockRole.CAPTION,
    "pre": BlockRole.CODE,
    "listing": BlockRole.CODE,
}
STICKY_ROLES = frozenset({BlockRole.FOOTNOTE, BlockRole.REFERENCE})


@dataclass(frozen=True)
class ReadingRules:
    is_web_page: bool = False
    hidden_names: frozenset[str] = field(default_factory=frozenset)
    """".class" and "#id" of what a style sheet hides."""


@dataclass(frozen=True, slots=True)
class Context:
    role: BlockRole
    language: str
    path: str
    depth: int = 0
    unread: str = ""
    is_linked: bool = False
    is_title_page: bool = False


class Semantics:
    def __init__(self, *, rules: ReadingRules, leads_inside: Callable[[str], bool]) -> None:
        """leads_inside: whether a link stays in the document."""
        self._rules = rules
        self._leads_inside = leads_inside

    def entered(self, element: Element, context: Context, path: str) -> Context:
        """What changes for everything inside the element."""
        semantics = semantics_of(element)
        tag = tag_of(element)
        declared = markup.language_of(element)
        unread = context.unread or self._unread_reason(element, tag, semantics)
        role = context.role
        if role not in STICKY_ROLES:
            role = _CONTEXT_ROLES.get(tag, role)
            if semantics & _NOTES or (
                tag in markup.BLOCKS and not _NOTES.isdisjoint(element.get("class", "").split())
            ):
                role = BlockRole.FOOTNOTE
            elif semantics & _REFERENCES and tag not in {"body", "section"}:
                role = BlockRole.REFERENCE
        return Context(
            role=role,
            language=(declared_language(declared) if declared is not None else "") or context.language,
            path=path,
            depth=context.depth + 1,
            unread=unread,
            is_linked=context.is_linked,
            is_title_page=context.is_title_page or bool(semantics & {"titlepage", "halftitlepage"}),
        )

    def _unread_reason(self, element: Element, tag: str, semantics: frozenset[str]) -> str:
        if tag in {"rt", "rp", "rtc"}:
            return "ruby"
        if semantics & {"pagebreak"}:
            return "pagebreak"
        if semantics & {"noteref", "backlink"}:
            return "noteref"
        if tag == "a" and self._is_note_mark(element):
            return "noteref"
        return "hidden" if element.get("aria-hidden") == "true" else ""

    def _is_note_mark(self, element: Element) -> bool:
        """A raised number that leads elsewhere in the document, and the arrow that leads back."""
        href = element.get("href", "")
        if "#" not in href or not self._leads_inside(href):
            return False
        text = "".join(map(str, element.itertext())).strip()
        if "backref" in element.get("class", "") or (text and _BACK_MARK.fullmatch(text)):
            return True
        if not _NOTE_MARK.fullmatch(text):
            return False
        parent = element.getparent()
        raised = (parent is not None and tag_of(parent) == "sup") or any(
            tag_of(inner) == "sup" for inner in element
        )
        return raised or "[" in text or "noteref" in element.get("class", "").lower()

    def is_left_out(self, element: Element, tag: str) -> bool:
        if tag in markup.DROPPED or markup.is_hidden(element):
            return True
        names = element.get("class", "").split()
        hidden = self._rules.hidden_names
        if hidden and (any(f".{name}" in hidden for name in names) or f"#{element.get('id')}" in hidden):
            return True
        if tag == "nav" and semantics_of(element) & {"toc", "landmarks", "page-list"}:
            return True
        if not self._rules.is_web_page:
            return False
        parent = element.getparent()
        return (
            tag in markup.BOILERPLATE
            or element.get("role") in markup.BOILERPLATE_ROLES
            or not markup.BOILERPLATE_CLASSES.isdisjoint(names)
            or (tag in {"header", "footer"} and parent is not None and tag_of(parent) in {"body", "div"})
        )
