import assert from "node:assert/strict";
import test from "node:test";

import { Book } from "../../app_server/ui/model/book.js";
import { PlaybackPlan } from "../../app_server/ui/model/plan.js";

/** Three sections; the middle one is a picture without text. */
const SECTIONS = [
  { blocks: [["0-0", "One. Two. ", [[0, 5], [5, 10]]], ["0-1", "Three.", [[0, 6]]]] },
  { blocks: [] },
  { blocks: [["2-0", "Four😀.", [[0, 6]]]] },
];

function bookOf() {
  let ordinal = 0;
  const sections = SECTIONS.map(({ blocks }, index) => ({
    index, title: "", html: "", language: "", direction: "",
    blocks: blocks.map(([id, text, ranges]) => ({
      id, text, role: "", headingLevel: 0, language: "",
      sentences: ranges.map(([start, end]) => ({ ordinal: ordinal++, start, end })),
    })),
  }));
  const reading = {
    title: "", authors: [], language: "", toc: [], warnings: [],
    sections: sections.map(({ index, blocks }) => ({
      index, title: "", firstSentence: 0, blockCount: blocks.length,
      sentenceCount: blocks.flatMap(({ sentences }) => sentences).length,
      characterCount: blocks.reduce((sum, { text }) => sum + [...text].length, 0),
    })),
  };
  return new Book({ reading, loadSection: async (index) => sections[index] });
}

test("sentences are walked over blocks and over sections without text", async () => {
  const book = bookOf();
  assert.deepEqual(await book.neighbour({ blockId: "0-0", offset: 0 }, 1), { blockId: "0-0", offset: 5 });
  assert.deepEqual(await book.neighbour({ blockId: "0-0", offset: 7 }, 1), { blockId: "0-1", offset: 0 });
  assert.deepEqual(await book.neighbour({ blockId: "0-1", offset: 2 }, 1), { blockId: "2-0", offset: 0 });
  assert.deepEqual(await book.neighbour({ blockId: "2-0", offset: 0 }, -1), { blockId: "0-1", offset: 0 });
  assert.equal(await book.neighbour({ blockId: "0-0", offset: 0 }, -1), null);
  assert.equal(await book.neighbour({ blockId: "2-0", offset: 3 }, 1), null);
});

test("shares of the document and places in it convert into each other", async () => {
  const book = bookOf();
  const spots = [{ blockId: "0-0", offset: 0 }, { blockId: "0-0", offset: 5 }, { blockId: "0-1", offset: 0 }];
  for (const spot of spots) {
    await book.section(0);
    assert.deepEqual(await book.spotAt(book.fractionAt(spot)), spot);
  }
  assert.deepEqual(await book.spotAt(0.99), { blockId: "2-0", offset: 0 });
});

test("a section that failed to load is asked for again", async () => {
  let attempts = 0;
  const { reading } = bookOf();
  const book = new Book({ reading, loadSection: async () => {
    attempts += 1;
    throw new Error("away");
  } });
  await assert.rejects(book.section(0));
  await assert.rejects(book.section(0));
  assert.equal(attempts, 2);
});

const PLAN = {
  planId: "p", segmentCount: 3,
  sections: [
    { section: 0, title: "a", firstOrdinal: 0, segmentCount: 2, characterCount: 16, segments: [
      { ordinal: 0, blockId: "0-0", start: 0, end: 10, firstSentence: 0, sentenceCount: 2, pauseFrames: 9 },
      { ordinal: 1, blockId: "0-2", start: 0, end: 6, firstSentence: 2, sentenceCount: 1, pauseFrames: 9 }] },
    { section: 1, title: "b", firstOrdinal: 2, segmentCount: 0, characterCount: 0 },
    { section: 2, title: "c", firstOrdinal: 2, segmentCount: 1, characterCount: 6 },
  ],
};
const LAST = { ordinal: 2, blockId: "2-0", start: 0, end: 6, firstSentence: 3, sentenceCount: 1, pauseFrames: 9 };

function planOf() {
  const asked = [];
  const load = async (section) => {
    asked.push(section);
    const sections = PLAN.sections.map((item) => ({ ...item, segments: item.section === section ? (section === 2 ? [LAST] : item.segments) : undefined }));
    return { ...PLAN, sections };
  };
  return { plan: new PlaybackPlan({ segmentCount: 3, load }), asked };
}

test("a character is said by its segment, or else by the next one that says anything", async () => {
  const { plan } = planOf();
  assert.equal((await plan.segmentAt("0-0", 7)).ordinal, 0);
  assert.equal((await plan.segmentAt("0-1", 0)).ordinal, 1, "a block that is not read");
  assert.equal((await plan.segmentAt("0-3", 0)).ordinal, 2, "after the section's last segment");
  assert.equal((await plan.segmentAt("2-0", 99)).ordinal, 2, "after everything");
});

test("a segment is known once its section has been fetched, once", async () => {
  const { plan, asked } = planOf();
  assert.equal(plan.segment(2), undefined);
  await Promise.all([plan.segmentsOf(2), plan.segmentsOf(2)]);
  assert.deepEqual(plan.segment(2), LAST);
  assert.deepEqual(asked, [2]);
});

test("the position bar is measured in the plan's characters", async () => {
  const { plan } = planOf();
  await plan.segmentsOf(0);
  assert.equal(plan.fractionAt(plan.segment(1), 3), 13 / 22);
  assert.equal(plan.sectionAtFraction(0.9), 2);
  assert.deepEqual(await plan.spotAt(0.5), { blockId: "0-2", offset: 0 });
});

test("what is not read is stepped over, in both directions", async () => {
  const book = bookOf();
  const section = (await book.section(0)).section;
  section.blocks[1].role = "BLOCK_ROLE_FOOTNOTE";
  assert.deepEqual(await book.neighbour({ blockId: "0-0", offset: 5 }, 1), { blockId: "2-0", offset: 0 });
  assert.deepEqual(await book.neighbour({ blockId: "2-0", offset: 0 }, -1), { blockId: "0-0", offset: 5 });
  book.options = { includeRoles: ["footnote"], skipRoles: [] };
  assert.deepEqual(await book.neighbour({ blockId: "2-0", offset: 0 }, -1), { blockId: "0-1", offset: 0 });
});
