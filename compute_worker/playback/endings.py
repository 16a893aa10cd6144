"""How a generation run ended well, as the operation's result remembers it for later cursors."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ending:
    """From first to last (to the end without one) no run would find anything to do; nowhere without first."""

    text: str
    first: int | None = None
    last: int | None = None

    def needs_run_at(self, ordinal: int) -> bool:
        if self.first is None or ordinal < self.first:
            return True
        return self.last is not None and ordinal > self.last


IDLE = Ending("idle")


def complete(first: int) -> Ending:
    """All from that ordinal to the document's end exists."""
    return Ending(f"complete:{first}", first)


def limited(first: int, last: int) -> Ending:
    """All from first exists up to last, which the listener's allowance doesn't allow to be made."""
    return Ending(f"limited:{first}-{last}", first, last)


def ending_of(text: str) -> Ending:
    kind, _, place = text.partition(":")
    first, _, last = place.partition("-")
    if kind == "complete" and first.isdigit():
        return complete(int(first))
    if kind == "limited" and first.isdigit() and last.isdigit():
        return limited(int(first), int(last))
    return IDLE
