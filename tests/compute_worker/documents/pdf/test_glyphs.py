"""What a glyph says."""

import pytest

from compute_worker.documents.pdf.glyphs import HYPHEN, readable


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain", "plain"),
        ("\ufb01nd o\ufb00", "find off"),
        ("\uf0b7", "•"),
        ("\ue123", ""),
        ("com\x02", f"com{HYPHEN}"),
        ("com\ufffe", f"com{HYPHEN}"),
        ("a\u200bb\ufeff", "ab"),
        ("\ufee3\ufeae\ufea3\ufe92\ufe8e", "مرحبا"),
        ("lone \udc4b half", "lone  half"),
        ("\ud83d\udc4b", "👋"),
    ],
)
def test_a_glyph_says_letters_or_nothing(raw: str, expected: str) -> None:
    assert readable(raw) == expected
