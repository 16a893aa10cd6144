"""What is new, as a feed tells it. No I/O."""

from dataclasses import dataclass


@dataclass(frozen=True)
class News:
    """Plain text throughout: nothing of a feed is shown as markup."""

    title: str
    # http or https; empty without one.
    url: str
    # As the feed writes it, shortened to a day where that can be read (2026-01-31); may be empty.
    published: str
    summary: str
