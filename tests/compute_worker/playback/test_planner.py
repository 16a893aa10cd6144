"""How blocks become segments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compute_worker.documents.model import Block, BlockRole, Section, Sentence, TextDirection
from compute_worker.playback.model import PlanOptions
from compute_worker.playback.planner import (
    HEADING_PAUSE_FRAMES,
    PARAGRAPH_PAUSE_FRAMES,
    SECTION_PAUSE_FRAMES,
    SENTENCE_PAUSE_FRAMES,
    build_plan,
)
from shared.errors import LecternError


def block(block_id: str, *sentences: str, role: BlockRole = BlockRole.PARAGRAPH) -> Block:
    tiles, position = [], 0
    for ordinal, sentence in enumerate(sentences):
        tiles.append(Sentence(ordinal, position, position + len(sentence)))
        position += len(sentence)
    return Block(block_id, role, 0, "".join(sentences), "en", tuple(tiles), "/p")


def section(index: int, *blocks: Block) -> Section:
    return Section(index, f"Section {index}", "", blocks, "en", TextDirection.LTR)


def plan(*sections: Section, **options: object):
    return build_plan("plan", "reading/x/1/", "en", sections, PlanOptions(**options))


def test_short_sentences_of_a_block_are_joined():
    made = plan(section(0, block("0-0", "He came. ", "He saw. ", "He left.")))
    assert [s.text for s in made.segments] == ["He came. He saw. He left."]
    assert (made.segments[0].first_sentence, made.segments[0].sentence_count) == (0, 3)


def test_joining_stops_once_there_is_enough_to_say():
    made = plan(section(0, block("0-0", "A" * 160 + ". ", "Short.")))
    assert [s.sentence_count for s in made.segments] == [1, 1]


def test_segments_never_cross_blocks():
    made = plan(section(0, block("0-0", "One."), block("0-1", "Two.")))
    assert [s.block_id for s in made.segments] == ["0-0", "0-1"]


def test_pauses_tell_sentence_paragraph_heading_and_section_apart():
    made = plan(
        section(
            0,
            block("0-0", "Title", role=BlockRole.HEADING),
            block("0-1", "B" * 200 + ". ", "C" * 200 + "."),
            block("0-2", "Last."),
        )
    )
    assert [s.pause_frames for s in made.segments] == [
        HEADING_PAUSE_FRAMES,
        SENTENCE_PAUSE_FRAMES,
        PARAGRAPH_PAUSE_FRAMES,
        SECTION_PAUSE_FRAMES,
    ]


def test_what_cannot_be_said_is_not_planned():
    made = plan(section(0, block("0-0", "* * *"), block("0-1", "—"), block("0-2", "Go on.")))
    assert [s.text for s in made.segments] == ["Go on."]


def test_footnotes_are_read_only_when_asked_for():
    content = section(0, block("0-0", "Text."), block("0-1", "A note.", role=BlockRole.FOOTNOTE))
    assert len(plan(content).segments) == 1
    assert len(plan(content, include_roles=("FOOTNOTE",)).segments) == 2


def test_a_section_without_words_keeps_its_place_in_the_outline():
    made = plan(section(0, block("0-0", "One.")), section(1), section(2, block("2-0", "Two.")))
    assert [(s.first_ordinal, s.segment_count) for s in made.sections] == [(0, 1), (1, 0), (1, 1)]


def test_an_overlong_sentence_is_cut_at_a_clause():
    text = "first part of it, " * 40 + "end."
    made = plan(section(0, block("0-0", text)))
    assert all(len(s.text) <= 450 for s in made.segments)
    assert all(s.text.endswith((",", ".")) for s in made.segments)
    assert " ".join(s.text for s in made.segments) == text


def test_a_place_is_found_by_block_and_offset():
    made = plan(section(0, block("0-0", "D" * 200 + ". ", "E" * 200 + "."), block("0-1", "F.")))
    assert made.ordinal_at("0-0", 0) == 0
    assert made.ordinal_at("0-0", 210) == 1
    assert made.ordinal_at("0-1", 0) == 2


def test_a_place_that_is_not_read_leads_to_the_next_that_is():
    made = plan(section(0, block("0-0", "One."), block("0-1", "* * *"), block("0-2", "Two.")))
    assert made.ordinal_at("0-1", 0) == 1


def test_a_limit_out_of_range_is_refused():
    with pytest.raises(LecternError, match="between 150 and 1200"):
        PlanOptions(max_segment_characters=100)


def test_the_same_inputs_have_the_same_identity():
    assert PlanOptions().identity("a") == PlanOptions().identity("a")
    assert PlanOptions().identity("a") != PlanOptions(max_segment_characters=200).identity("a")
    assert PlanOptions().identity("a") != PlanOptions().identity("b")


def words_of(text: str) -> list[str]:
    return [c for c in text if c.isalnum() and c.isascii()]


@given(
    st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=300), max_size=8),
    st.integers(150, 1200),
)
def test_segments_cover_everything_sayable_once_and_in_order(sentences, limit):
    whole = block("0-0", *[s for s in sentences if s])
    made = plan(section(0, whole), max_segment_characters=limit)
    covered, position = "", 0
    for segment in made.segments:
        assert position <= segment.start < segment.end
        assert segment.text == whole.text[segment.start : segment.end]
        assert len(segment.text) <= limit
        covered += segment.text
        position = segment.end
    assert words_of(covered) == words_of(whole.text)


def test_a_listener_chooses_which_roles_are_read():
    blocks = (
        block("0-0", "Text."),
        block("0-1", "A note.", role=BlockRole.FOOTNOTE),
        block("0-2", "A table.", role=BlockRole.TABLE),
    )
    assert [s.text for s in plan(section(0, *blocks)).segments] == ["Text.", "A table."]
    chosen = plan(section(0, *blocks), include_roles=("FOOTNOTE",), skip_roles=("TABLE",))
    assert [s.text for s in chosen.segments] == ["Text.", "A note."]


def test_what_is_left_out_is_known_by_its_place_in_the_segment():
    text = block("0-0", "First [1] of all (so to speak). ", "(It ends. ", "Here too.) ", "Last.")
    made = plan(section(0, text), skip_citations=True, skip_brackets=True)
    (segment,) = made.segments
    assert segment.text == "First [1] of all (so to speak). (It ends. Here too.) Last."
    kept = segment.text
    for start, end in reversed(segment.omitted):
        kept = kept[:start] + kept[end:]
    assert kept == "First of all. Last."


def test_sentences_in_brackets_make_no_segment():
    alone = section(0, block("0-0", "(Laughter.)"), block("0-1", "On."))
    assert [s.text for s in plan(alone, skip_brackets=True).segments] == ["On."]


def test_plans_without_the_new_options_keep_their_identity():
    """Recordings that were aligned with them would have to be aligned anew."""
    assert PlanOptions().identity("reading/x/1/") == "97e5da572bd6f72051393fdd74b72aff"
    assert PlanOptions(skip_citations=True).identity("r") != PlanOptions(skip_brackets=True).identity("r")
