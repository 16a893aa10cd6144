"""Real papers, reports, forms and broken files: read in the order in which a person reads them."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from books.reading import Reading, load, read

from compute_worker.documents.model import BlockRole, TextDirection
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.pdf import document
from shared.errors import LecternError

pytestmark = pytest.mark.samples
FURNITURE = (BlockRole.HEADER, BlockRole.FOOTER, BlockRole.PAGE_NUMBER)
NOT_READ = (*FURNITURE, BlockRole.FOOTNOTE, BlockRole.OTHER)


@cache
def read_sample(samples: Path, name: str) -> Reading:
    path = samples / "pdf" / f"{name}.pdf"
    return read(document.parse, path.read_bytes(), file_name=path.name)


def read_aloud(reading: Reading) -> str:
    return "\n".join(block.text for block in reading.blocks if block.role not in NOT_READ)


def misplaced(text: str, *pieces: str) -> list[str]:
    """The pieces that do not come after the ones before them."""
    place, missing = 0, []
    for piece in pieces:
        found = text.find(piece, place)
        if found < 0:
            missing.append(piece)
        else:
            place = found + len(piece)
    return missing


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        (
            "two-col-tracemonkey",
            [
                "Trace-based Just-in-Time Type Specialization for Dynamic Languages",
                "Dynamic languages such as JavaScript are more difficult to compile than statically",
                "standard for client-side web programming and is used for the application logic",
                "Compilers for statically typed languages rely on type information",
                "Every compiled trace contains all the guards",
                "we evaluate our dynamic compiler based on a set of industry benchmarks.",
                "Figure 2. State machine describing the major activities of TraceMonkey",
                "2. Overview: Example Tracing Run",
                "3.1 Traces",
                "9. Conclusions",
                "References",
            ],
        ),
        (
            "two-col-naacl06",
            [
                "Preemptive Information Extraction using Unrestricted Relation Discovery",
                "We are trying to extend the boundary",
                "1 Background",
                "Table 1: Sample discovered relation.",
                "2 Basic Idea",
                "hurricane name and the place it affected.",
                "3 Implementation",
                "5 Conclusion",
                "References",
            ],
        ),
        (
            "three-col-federal-register",
            [
                "DEPARTMENT OF TRANSPORTATION",
                "SUMMARY: The FAA proposes to supersede Airworthiness Directive",
                "Examining the AD Docket",
                "Comments Invited",
                "Following the Lion Air Flight 610 accident on October 29, 2018",
                "On March 10, 2019, a Boeing Model 737–8 airplane operated by Ethiopian",
                "Proposed Design Changes",
                "Emergency Order of Prohibition",
            ],
        ),
        (
            "book-cweb",
            [
                "The philosophy behind CWEB is that",
                "Two kinds of material go into CWEB files",
                "What CTANGLE Does",
                "What CWEAVE Does",
            ],
        ),
        (
            "report-nist-tagged",
            [
                "High-Performance Computing Security",
                "2.1.1. Components of the High-Performance Computing Zone",
                "3.2. Threats to HPC Function Zones",
                "5. Conclusions",
                "A.3. Cloud HPC Environments",
            ],
        ),
        (
            "footnotes-dmca-encrypted",
            [
                "The Digital Millennium Copyright Act (DMCA) was signed into law",
                "TITLE I: WIPO TREATY IMPLEMENTATION",
                "Each of the WIPO treaties contains virtually identical language",
                "1. Nonprofit library, archive and educational institution exception",
                "6. Security testing",
            ],
        ),
        ("slides-sns", ["RING PHYSICS ISSUES", "Contributors", "BNL-SNS group:", "Sources of Beam Loss"]),
        (
            "form-f1040-tagged",
            [
                "Department of the Treasury—Internal Revenue Service",
                "1040 U.S. Individual Income Tax Return 2010",
                "Name, Address, and SSN",
                "See separate instructions.",
                "For the year Jan. 1–Dec. 31, 2010",
                "Your first name and initial Last name",
                "If a joint return, spouse’s first name and initial Last name",
                "Home address (number and street)",
                "City, town or post office",
                "Your social security number",
                "Spouse’s social security number",
                "Presidential",
                "Filing Status",
                "Exemptions",
                "Attach Form(s) W-2 here. Also attach Forms W-2G and 1099-R if tax was withheld.",
                "7\nWages, salaries, tips",
                "22\nCombine the amounts",
                "You Owe",
            ],
        ),
        ("two-text-boxes", ["Left column line 1", "Left column line 2", "Right column line 1"]),
        (
            "cjk-chinese-tables",
            ["第七章企业资信状况", "一、发行人历史信用评级情况", "表7-1：发行人历史评级情况", "二、授信情况"],
        ),
        (
            "rtl-hebrew",
            ["שלום עולם מה שלום כולם?", "אני יורד מן החוטים", "לפי סעיף 15(ב)(4) לחוק מבקר המדינה"],
        ),
        ("enc-owner-only-r6", ["pdf encryption test"]),
        ("optional-hyphen", ["optionalhyphen"]),
        ("ligatures", ["abcdeffffiflffiffl"]),
        ("bad-one-byte-missing", ["This is a test document.", "Creative Commons CC0"]),
        ("bad-page-tree-cycle", ["Testcase: ’Pages loop’"]),
        ("bad-bomb-giant", ["GIANT JBIG2 BOMB"]),
        ("bad-slow-issue16263", ["OA"]),
    ],
)
def test_a_sample_is_read_in_its_order(samples: Path, name: str, pieces: list[str]) -> None:
    assert misplaced(read_aloud(read_sample(samples, name)), *pieces) == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("three-col-federal-register", "Federal Register / Vol. 85, No. 152"),
        ("three-col-federal-register", "VerDate"),
        ("three-col-federal-register", "47698"),
        ("report-nist-tagged", "NIST SP 800-223 High-Performance Computing Security"),
        ("footnotes-dmca-encrypted", "Copyright Office Summary December 1998"),
        ("slides-sns", "SNS Accelerator Physics\n"),
        ("book-cweb", "CWEB USER MANUAL (VERSION 3.64)"),
    ],
)
def test_what_stands_at_the_edge_of_every_page_is_not_read(samples: Path, name: str, line: str) -> None:
    reading = read_sample(samples, name)
    assert line not in read_aloud(reading)
    assert any(line.strip() in text for text in reading.texts(*FURNITURE))


def test_footnotes_are_apart_from_the_text(samples: Path) -> None:
    notes = read_sample(samples, "three-col-federal-register").texts(BlockRole.FOOTNOTE)
    assert any(text.startswith("Flight data recorder (FDR) data from the Lion Air") for text in notes)
    dmca = read_sample(samples, "footnotes-dmca-encrypted")
    assert any(text.startswith("Pub. L. No. 105-304") for text in dmca.texts(BlockRole.FOOTNOTE))
    assert "legal remedies" in read_aloud(dmca)


def test_a_table_on_turned_pages_is_read_row_by_row(samples: Path) -> None:
    reading = read_sample(samples, "rotated-0-90-180-270")
    rows = [block for block in reading.blocks if block.text.startswith("cell[1][0]")]
    assert [block.page_lines[0].page for block in rows] == [0, 1, 2, 3]
    assert {block.text for block in rows} == {"\n".join(f"cell[1][{column}]" for column in range(5))}


def test_cells_of_a_chinese_table_in_a_grid_are_read_whole(samples: Path) -> None:
    rows = read_sample(samples, "cjk-chinese-tables").texts(BlockRole.TABLE)
    assert rows[0].split("\n") == ["年份", "主体信用评级", "涵义", "评级机构", "评级展望"]
    assert rows[1].split("\n") == [
        "2023",
        "AA+",
        "偿还债务的能力很强，受不利经济环境的影响不大，违约风险很低",
        "中诚信国际信用评级有限责任公司、联合资信评估有限公司",
        "稳定",
    ]


def test_rows_of_a_table_with_lines_around_it_only_are_apart(samples: Path) -> None:
    rows = read_sample(samples, "two-col-naacl06").texts(BlockRole.TABLE)
    assert "2005-09-26\nDamrey\nHainan" in rows


def test_hebrew_runs_from_right_to_left(samples: Path) -> None:
    reading = read_sample(samples, "rtl-hebrew")
    assert reading.document.language == "he"
    assert {section.direction for section in reading.sections} == {TextDirection.RTL}


def test_the_outline_is_the_table_of_contents(samples: Path) -> None:
    reading = read_sample(samples, "report-nist-tagged")
    assert [entry.title for entry in reading.document.toc][:2] == [
        "1. Introduction",
        "2. HPC System Reference Architecture and Main Components",
    ]
    blocks = {block.id: block for block in reading.blocks}
    for entry in reading.document.toc:
        assert blocks[entry.block_id].text.split()[-1] == entry.title.split()[-1]


def test_every_block_knows_its_lines_on_the_page(samples: Path) -> None:
    for block in read_sample(samples, "two-col-tracemonkey").blocks:
        assert block.page_lines
        starts = [line.start for line in block.page_lines]
        assert starts == sorted(starts)
        assert starts[-1] <= len(block.text)
        for line in block.page_lines:
            assert 0 <= line.left < line.right <= 613
            assert 0 <= line.top < line.bottom <= 793


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("bad-empty-0-bytes", "DOCUMENT_EMPTY"),
        ("enc-user-password", "PASSWORD_REQUIRED"),
    ],
)
def test_a_bad_file_gives_its_own_error(samples: Path, name: str, reason: str) -> None:
    with pytest.raises(LecternError) as caught:
        read_sample(samples, name)
    assert caught.value.reason == reason


@pytest.mark.parametrize("name", ["scan-linn-1p", "type3-nomapping"])
def test_a_sample_without_text_is_shown_and_says_so(samples: Path, name: str) -> None:
    reading = read_sample(samples, name)
    assert reading.document.pages
    assert not reading.blocks
    assert [warning.code for warning in reading.document.warnings] == ["SCANNED_DOCUMENT"]


@pytest.mark.parametrize("name", ["bad-bomb-giant", "bad-slow-issue16263", "bad-page-tree-cycle"])
async def test_a_hostile_file_is_read_within_the_limits(samples: Path, tmp_path: Path, name: str) -> None:
    async def ignore(phase: str, done: int, total: int) -> None:
        pass

    limits = ParserLimits(wall_seconds=60, cpu_seconds=20)
    await ParserProcess(limits=limits).parse(
        path=samples / "pdf" / f"{name}.pdf",
        folder=tmp_path,
        source_format="pdf",
        file_name=name,
        on_progress=ignore,
    )
    assert load(tmp_path).blocks


def test_pdfium_is_loaded_only_for_pdf() -> None:
    code = "import compute_worker.documents.child, sys; sys.exit('pypdfium2' in sys.modules)"
    root = Path(__file__).parents[4]
    environment = {"PYTHONPATH": f"{root}:{root / 'gen'}"}
    assert subprocess.run([sys.executable, "-c", code], check=False, env=environment).returncode == 0
