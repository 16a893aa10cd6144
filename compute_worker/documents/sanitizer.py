"""The last step of every HTML text: what is not on the list does not get out.

Nothing that remains can run, ask for anything at another host, or be mistaken for a part of the page.
"""

import re
from typing import Final

import nh3

from compute_worker.documents.markup import CONTAINERS, INLINES

_OWN: Final = {"data-block", "data-sentence", "data-unread", "data-role", "data-alt", "lang", "dir"}
_ATTRIBUTES: Final = {
    "*": _OWN,
    "a": {"href", "data-section", "data-target"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start", "reversed", "type"},
    "li": {"value"},
}
_SINGLE: Final = frozenset(
    "a br caption h1 h2 h3 h4 h5 h6 hr img p pre table tbody td th tr wbr".split()  # noqa: SIM905 - shorter so
)
_RESOURCE = re.compile(r"resources/[0-9a-f]{16}\.(png|jpg|gif|webp|avif|svg)")


def _kept(tag: str, attribute: str, value: str) -> str | None:
    if tag == "img" and attribute == "src" and not _RESOURCE.fullmatch(value):
        return None
    return value


_CLEANER: Final = nh3.Cleaner(
    tags=set(CONTAINERS | INLINES | _SINGLE),
    clean_content_tags={"script", "style"},
    attributes=_ATTRIBUTES,
    attribute_filter=_kept,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
    strip_comments=True,
)


def sanitize(html: str) -> str:
    return _CLEANER.clean(html)
