"""Range headers as RFC 9110 reads them."""

import pytest

from compute_worker.playback.byte_range import ByteRange, parse_range


@pytest.mark.parametrize(
    ("header", "parsed"),
    [
        ("bytes=0-", ByteRange(0, None)),
        ("bytes=0-1", ByteRange(0, 1)),
        ("bytes=100-199", ByteRange(100, 199)),
        ("bytes=-500", ByteRange(None, 500)),
        (None, None),
        ("", None),
        ("bytes=-", None),
        ("bytes=5-2", None),
        ("bytes=0-1,5-6", None),
        ("bytes=a-b", None),
        ("items=0-1", None),
        ("bytes=١-٢", None),
    ],
)
def test_one_range_is_understood_and_everything_else_ignored(header, parsed):
    assert parse_range(header) == parsed


@pytest.mark.parametrize(
    ("asked", "total", "resolved"),
    [
        (ByteRange(0, None), 10, (0, 10)),
        (ByteRange(3, 5), 10, (3, 6)),
        (ByteRange(3, 50), 10, (3, 10)),
        (ByteRange(10, None), 10, None),
        (ByteRange(None, 4), 10, (6, 10)),
        (ByteRange(None, 40), 10, (0, 10)),
        (ByteRange(None, 0), 10, None),
        (ByteRange(0, None), 0, None),
    ],
)
def test_a_range_resolves_within_the_length(asked, total, resolved):
    assert asked.resolve(total) == resolved
