"""Hypothesis' PDFs: their parts are what the format has, put together as no program would."""

from collections.abc import Sequence

from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.integers(-20, 900),
    st.sampled_from([0, -1, 0.001, 1e-30, 1e30, 2**31, -(2**31), 2**63, 99999999999999999999]),
    st.floats(-1000, 1000, width=32),
).map(lambda number: f"{number:f}" if isinstance(number, float) else str(number))
_STRINGS = st.one_of(
    st.binary(max_size=24).map(lambda raw: f"<{raw.hex()}>"),
    st.sampled_from(
        ["(Some words to read.)", "(of the river)", "(", ")", "<0041>", "(\\777\\)", "<feff05d0>"]
    ),
)
_LINE = b"BT /F2 12 Tf 1 0 0 1 40 %d Tm /P <</MCID %d>> BDC (The river rose in the night.) Tj EMC ET\n"
_NAMES = st.sampled_from(["/F0", "/F1", "/F2", "/X0", "/X1", "/P", "/Span", "/Nothing", "/#00"])
_NODES = ("Document", "P", "H1", "Table", "TR", "TD", "L", "LI", "Figure", "Nonsense")


def _operator(name: str, *operands: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*operands).map(lambda found: " ".join([*found, name]))


_SHOWN = st.tuples(st.sampled_from(["/F0", "/F1"]), *[NUMBERS] * 4, _STRINGS).map(
    lambda found: "BT {} {} Tf 1 0 {} 1 {} {} Tm {} Tj ET".format(*found)
)
_OPERATORS = st.one_of(
    _SHOWN,
    _operator("Tf", _NAMES, NUMBERS),
    _operator("Tj", _STRINGS),
    _operator("TJ", st.lists(_STRINGS | NUMBERS, max_size=4).map(lambda parts: f"[{' '.join(parts)}]")),
    _operator("Tm", *[NUMBERS] * 6),
    _operator("cm", *[NUMBERS] * 6),
    _operator("Td", NUMBERS, NUMBERS),
    _operator("Tz", NUMBERS),
    _operator("Tr", NUMBERS),
    _operator("Do", _NAMES),
    _operator("re f", *[NUMBERS] * 4),
    _operator("BDC", _NAMES, NUMBERS.map(lambda number: f"<</MCID {number}>>")),
    st.sampled_from(["BT", "ET", "q", "Q", "EMC", "BI /W 1 /H 1 /BPC 8 /CS /G ID x EI", "<<", "]", "% x"]),
)
_STREAMS = st.lists(_OPERATORS, max_size=12).map(lambda operators: "\n".join(operators).encode())
_HELVETICA = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_TYPE0 = (
    "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[<</Type/Font/BaseFont/X"
    "/Subtype/CIDFontType2/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>"
)
_TYPE3 = (
    "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[0 0 0 0 0 0]/CharProcs<</a 8 0 R>>"
    "/Encoding<</Differences[65/a]>>/FirstChar 65/LastChar 65/Widths[1]/Resources 5 0 R>>"
)
_TURNS = st.one_of(st.sampled_from(["0", "90", "180", "270"]), NUMBERS)
_FONTS = st.sampled_from(
    [
        _HELVETICA,
        "<</Type/Font/Subtype/TrueType/BaseFont/No-Bold/FirstChar 0/LastChar 3/Widths[9 -9 0 1e9]>>",
        _TYPE0,
        _TYPE3,
        "<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode 9 0 R>>",
        "null",
        "3 0 R",
    ]
)
_MAPS = st.lists(st.tuples(st.binary(min_size=1, max_size=2), st.binary(max_size=6)), max_size=5).map(
    lambda pairs: (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        + f"{len(pairs)} beginbfchar ".encode()
        + b" ".join(f"<{code.hex()}> <{text.hex()}>".encode() for code, text in pairs)
        + b" endbfchar endcmap"
    )
)


@st.composite
def pdfs(draw: st.DrawFn) -> bytes:
    """Of one to three pages. Objects refer to each other, to themselves and to what is not there."""
    pages = draw(
        st.lists(
            st.tuples(st.just([]) | st.lists(NUMBERS, max_size=5), _TURNS, _STREAMS), min_size=1, max_size=3
        )
    )
    plain = b"".join(_LINE % (700 - 14 * number, number) for number in range(draw(st.integers(0, 6))))
    kids = [10 + 2 * number for number in range(len(pages))]
    parents = draw(st.lists(st.integers(1, 12), max_size=1))  # a tree of pages that may not end
    objects: dict[int, bytes] = {
        1: b"<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R/Outlines 6 0 R/AcroForm 7 0 R/Lang(xx)"
        b"/MarkInfo<</Marked true>>>>",
        2: f"<</Type/Pages/Count {draw(st.sampled_from([len(pages), 0, -1, 9, 10**9]))}"
        f"/Kids[{_references([*kids, *parents])}]>>".encode(),
        3: draw(_FONTS).encode(),
        4: _structure(draw(st.lists(st.tuples(st.sampled_from(_NODES), st.integers(0, 9)), max_size=6))),
        5: f"<</Font<</F0 3 0 R/F1 {draw(_FONTS)}/F2 {_HELVETICA}>>/XObject<</X0 8 0 R/X1 2 0 R>>>>".encode(),
        6: b"<</First 6 0 R/Last 6 0 R/Next 6 0 R/Title(Loop)/Dest[10 0 R/XYZ 0 0 0]>>",
        7: b"<</Fields[<</FT/Tx/V(filled)/T(a)/Kids[7 0 R]>>]>>",
        8: _stream(draw(_STREAMS), b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources 5 0 R"),
        9: _stream(draw(_MAPS)),
    }
    for kid, (box, turn, content) in zip(kids, pages, strict=True):
        shape = f"/MediaBox[{' '.join(box)}]" if box else ""
        objects[kid] = (
            f"<</Type/Page/Parent 2 0 R{shape}/Rotate {turn}/Resources 5 0 R/Contents {kid + 1} 0 R"
            "/Annots[<</Subtype/Widget/FT/Tx/Rect[0 0 9 9]/V(value)>>]/StructParents 0>>"
        ).encode()
        objects[kid + 1] = _stream(plain + content)
    return draw(_damaged(_file(objects, has_table=draw(st.booleans()))))


def _references(numbers: Sequence[int]) -> str:
    return " ".join(f"{number} 0 R" for number in numbers)


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<<%b/Length %d>>stream\n%b\nendstream" % (entries, len(content), content)


def _structure(nodes: Sequence[tuple[str, int]]) -> bytes:
    """Each element holds the next, and the last the first."""
    inner = "4 0 R"
    for kind, number in reversed(nodes):
        inner = f"<</Type/StructElem/S/{kind}/Pg 10 0 R/K[{number} {inner}]>>"
    return f"<</Type/StructTreeRoot/K[{inner}]/RoleMap<</Nonsense/Nonsense/L/P>>>>".encode()


def _file(objects: dict[int, bytes], *, has_table: bool) -> bytes:
    body, offsets = bytearray(b"%PDF-1.7\n"), {}
    for number, content in objects.items():
        offsets[number] = len(body)
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start, size = len(body), max(objects) + 1
    if has_table:
        rows = [f"{offsets.get(number, 0):010d} 00000 n \n" for number in range(size)]
        body += f"xref\n0 {size}\n{''.join(rows)}".encode()
    body += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, start)
    return bytes(body)


@st.composite
def _damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """As it is, more often than not."""
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 4]))):
        place = draw(st.integers(0, len(content)))
        content = content[:place] + draw(st.binary(max_size=4)) + content[place + draw(st.integers(0, 8)) :]
    return content
