"""What the elements of HTML mean to a reader: which are blocks, which are shown, which are left out."""

import re
from typing import Final, TypeAlias

from lxml import etree

from compute_worker.documents.failures import over_limit


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Element: TypeAlias = etree._Element  # noqa: SLF001 - lxml publishes its element type under this name only

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}

BLOCKS: Final = _words(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup p "
    "pre search section summary table tbody td tfoot th thead tr ul"
)

# Shown as they are around text; any other inline element is seen through.
INLINES: Final = _words(
    "abbr b bdi bdo cite code del dfn em i ins kbd mark q rp rt ruby s samp small span strong sub sup u var"
)
_INLINE_SYNONYMS: Final = {"strike": "s", "tt": "code", "big": "span", "font": "span"}

# Shown as they are around blocks, where their parent allows; any other block element becomes a div. So do
# the parts of a table that only lays out a page: an HTML parser would move what it holds out of place.
CONTAINERS: Final = _words("blockquote dd div dl dt figcaption figure li ol section ul")
_PARENTS: Final = {"li": {"ul", "ol"}, "dt": {"dl"}, "dd": {"dl"}}

# Never shown, with everything in them.
DROPPED: Final = _words(
    "applet area audio base basefont bgsound button canvas col colgroup command datalist embed frame "
    "frameset head iframe input keygen link map meta meter noembed noframes noscript object optgroup option "
    "output param portal progress script select source style template textarea title track video"
)
# Furniture of web pages, dropped where a page (not a book) is read.
BOILERPLATE: Final = frozenset({"nav", "menu", "search", "dialog", "label"})
BOILERPLATE_ROLES: Final = frozenset(
    {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar"}
)
BOILERPLATE_CLASSES: Final = frozenset(
    {"noprint", "mw-editsection", "mw-jump", "mw-jump-link", "navbox", "sr-only"}
)

_EPUB_TYPE: Final = ("{http://www.idpf.org/2007/ops}type", "epub:type")
_XML_LANG: Final = ("lang", "{http://www.w3.org/XML/1998/namespace}lang", "xml:lang")
_HIDING = re.compile(r"(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_SELF_CLOSED = re.compile(
    r"<(a|div|em|i|b|iframe|li|p|script|section|span|style|td|textarea|title|video|audio)(\s[^<>]*)?/>"
)
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,30});")
_PROLOG = re.compile(r"^\s*<\?xml[^>]*\?>")
_XML_ENTITIES: Final = frozenset({"amp", "lt", "gt", "quot", "apos"})


def tag_of(element: Element) -> str:
    """The local name in lower case; empty for comments, instructions and the like."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2].lower()


def semantics_of(element: Element) -> frozenset[str]:
    """Words of epub:type and of role, the latter without their "doc-"."""
    if not element.attrib:
        return frozenset()
    words = [element.get(name, "") for name in _EPUB_TYPE] + [element.get("role", "").replace("doc-", "")]
    return frozenset(" ".join(words).lower().split())


def language_of(element: Element) -> str | None:
    return next((str(element.attrib[name]) for name in _XML_LANG if name in element.attrib), None)


def is_hidden(element: Element) -> bool:
    attributes = element.attrib
    return ("hidden" in attributes and attributes["hidden"] != "until-found") or (
        "style" in attributes and _HIDING.search(str(attributes["style"])) is not None
    )


def has_blocks(element: Element) -> bool:
    return any(tag_of(inner) in BLOCKS for inner in element.iterdescendants())


def inline_tag(tag: str) -> str:
    """What an inline element is shown as; empty when it is seen through."""
    shown = _INLINE_SYNONYMS.get(tag, tag)
    return shown if shown in INLINES else ""


def container_tag(tag: str, parent: str) -> str:
    """What a block element is shown as inside its parent, so that an HTML parser nests it the same way."""
    fits = tag in CONTAINERS and (tag not in _PARENTS or parent in _PARENTS[tag])
    return tag if fits else "div"


def parse_xhtml(text: str) -> Element | None:
    """An XML parse, or where the text isn't well-formed, an HTML parse."""
    prepared = _PROLOG.sub("", _ENTITY.sub(_character, text), count=1)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(prepared, parser)
    except (etree.XMLSyntaxError, ValueError):
        return parse_html(_SELF_CLOSED.sub(r"<\1\2></\1>", prepared))


def parse_html(text: str) -> Element | None:
    """None when there is nothing in it. Raises DOCUMENT_TOO_COMPLEX where libxml2 gives up half-way."""
    parser = etree.HTMLParser(no_network=True, huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(_PROLOG.sub("", text, count=1), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise over_limit("DOCUMENT_TOO_COMPLEX", "This file is nested too deeply to be read.")
    return root


def body_of(root: Element) -> Element:
    return next((element for element in root.iter() if tag_of(element) == "body"), root)


def _character(entity: "re.Match[str]") -> str:
    if entity.group(1) in _XML_ENTITIES:
        return entity.group()
    from html import unescape  # noqa: PLC0415 - its table of 2,200 names is only for texts that name one

    character = unescape(entity.group())
    # A name that nobody knows stays readable as the text it is.
    return f"&amp;{entity.group(1)};" if character == entity.group() else character
