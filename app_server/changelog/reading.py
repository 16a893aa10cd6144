"""From the bytes of an Atom (RFC 4287), RSS 2.0 or JSON feed (jsonfeed.org) to its newest entries. No I/O."""

import html
import json
import re
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

from lxml import etree

from app_server.changelog.model import News

MOST_ENTRIES: Final = 20
_TITLE_CHARACTERS: Final = 200
_SUMMARY_CHARACTERS: Final = 600
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_BREAKS: Final = re.compile(r"</?(?:p|div|br|li|ul|ol|h[1-6]|tr|td)\b[^>]*>", re.IGNORECASE)
_TAGS: Final = re.compile(r"<[^>]*>")
_BLANKS: Final = re.compile(r"\s+")


def read_feed(body: bytes) -> list[News]:
    """In the feed's order. Raises ValueError for what is no feed."""
    entries = _json_entries(body) if body.lstrip()[:1] == b"{" else _xml_entries(body)
    return [entry for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False)]


def _json_entries(body: bytes) -> Iterator[News]:
    items = json.loads(body).get("items")
    if items is None:
        raise ValueError("no JSON feed")
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            text = _text_of(item, "content_text", "summary", "content_html")
            yield _news(
                _text_of(item, "title"), _text_of(item, "url"), _text_of(item, "date_published"), text
            )


def _text_of(item: dict[str, Any], *names: str) -> str:
    return next((str(item[name]) for name in names if item.get(name)), "")


def _xml_entries(body: bytes) -> Iterator[News]:
    # No entities, no network, no external definitions: the feed is somebody else's.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError("no feed") from error
    if root.tag == f"{_ATOM}feed":
        yield from map(_atom_news, root.iterfind(f"{_ATOM}entry"))
    elif root.tag == "rss":
        yield from map(_rss_news, root.iterfind("channel/item"))
    else:
        raise ValueError("neither Atom nor RSS")


def _atom_news(entry: Any) -> News:
    links = entry.findall(f"{_ATOM}link")
    link = next((one for one in links if one.get("rel", "alternate") == "alternate"), None)
    published = entry.findtext(f"{_ATOM}published") or entry.findtext(f"{_ATOM}updated") or ""
    text = _inner(entry, f"{_ATOM}summary") or _inner(entry, f"{_ATOM}content")
    return _news(
        _inner(entry, f"{_ATOM}title"), "" if link is None else link.get("href", ""), published, text
    )


def _rss_news(item: Any) -> News:
    return _news(
        _inner(item, "title"),
        item.findtext("link") or "",
        item.findtext("pubDate") or "",
        _inner(item, "description"),
    )


def _inner(entry: Any, name: str) -> str:
    element = entry.find(name)
    return "" if element is None else "".join(element.itertext())


def _news(title: str, url: str, published: str, text: str) -> News:
    return News(
        title=_plain(title, _TITLE_CHARACTERS) or "Untitled",
        url=_web_address(url.strip()),
        published=_day(published.strip()),
        summary=_plain(text, _SUMMARY_CHARACTERS),
    )


def _plain(text: str, most: int) -> str:
    """Feeds hold markup, often escaped."""
    without_tags = _TAGS.sub("", _BREAKS.sub(" ", html.unescape(text)))
    bare = _BLANKS.sub(" ", html.unescape(without_tags)).strip()
    return bare if len(bare) <= most else f"{bare[: most - 1]}…"


def _web_address(url: str) -> str:
    try:
        return url if urlsplit(url).scheme in {"http", "https"} else ""
    except ValueError:
        return ""


def _day(text: str) -> str:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(text).date().isoformat()
        except (ValueError, TypeError):
            continue
    return text[:40]
