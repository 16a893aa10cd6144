"""One byte range of a Range header (RFC 9110, section 14), or none. No I/O."""

import re
from dataclasses import dataclass

SINGLE_RANGE = re.compile(r"bytes=(\d*)-(\d*)", re.ASCII)


@dataclass(frozen=True)
class ByteRange:
    """first None: the last `last` bytes. last None: to the end."""

    first: int | None
    last: int | None

    def resolve(self, total: int) -> tuple[int, int] | None:
        """[start, end) within a known length, None when nothing of it exists."""
        if self.first is None:
            length = min(self.last or 0, total)
            return (total - length, total) if length else None
        if self.first >= total:
            return None
        end = total if self.last is None else min(self.last + 1, total)
        return self.first, end


def parse_range(header: str | None) -> ByteRange | None:
    """None without a header, and for several or malformed ranges, which a server may ignore."""
    match = SINGLE_RANGE.fullmatch(header.strip()) if header else None
    if match is None:
        return None
    first = int(match[1]) if match[1] else None
    last = int(match[2]) if match[2] else None
    if first is None and last is None:
        return None
    if first is not None and last is not None and last < first:
        return None
    return ByteRange(first, last)
