import assert from "node:assert/strict";
import test from "node:test";

import { FRAME_MS, SegmentTimes, StreamTimeline, frameStart, msOfOffset, wordIndexAt } from "../../app_server/ui/model/timeline.js";

/** @param {[frames: number, pauseFrames: number][]} segments */
function timesOf(segments, firstOrdinal = 0) {
  const times = new SegmentTimes();
  segments.forEach(([frames, pauseFrames], index) => times.add({ ordinal: firstOrdinal + index, frames, pauseFrames }));
  return times;
}

test("a moment belongs to the segment whose speech or pause it lies in", () => {
  const timeline = new StreamTimeline(timesOf([[10, 2], [5, 0], [7, 3]]), { ordinal: 0 });
  assert.deepEqual(timeline.locate(0), { ordinal: 0, ms: 0, isKnown: true });
  assert.deepEqual(timeline.locate(12 * FRAME_MS - 1), { ordinal: 0, ms: 287, isKnown: true });
  assert.deepEqual(timeline.locate(12 * FRAME_MS), { ordinal: 1, ms: 0, isKnown: true });
  assert.deepEqual(timeline.locate(17 * FRAME_MS + 5), { ordinal: 2, ms: 5, isKnown: true });
});

test("a stream that starts inside a segment counts from there", () => {
  const timeline = new StreamTimeline(timesOf([[10, 2], [5, 0]], 40), { ordinal: 40, atMs: 4 * FRAME_MS });
  assert.deepEqual(timeline.locate(0), { ordinal: 40, ms: 4 * FRAME_MS, isKnown: true });
  assert.deepEqual(timeline.locate(8 * FRAME_MS), { ordinal: 41, ms: 0, isKnown: true });
  assert.equal(timeline.streamMsOf(40, 3 * FRAME_MS), null);
  assert.equal(timeline.streamMsOf(40, 5 * FRAME_MS), FRAME_MS);
  assert.equal(timeline.streamMsOf(41, 7), 8 * FRAME_MS + 7);
});

test("beyond what is known the first unknown segment is named, and learnt later", () => {
  const times = timesOf([[10, 0]]);
  const timeline = new StreamTimeline(times, { ordinal: 0 });
  assert.deepEqual(timeline.locate(300), { ordinal: 1, ms: 60, isKnown: false });
  assert.equal(timeline.streamMsOf(2, 0), null);
  times.add({ ordinal: 1, frames: 1, pauseFrames: 1 });
  times.add({ ordinal: 2, frames: 9, pauseFrames: 1 });
  assert.deepEqual(timeline.locate(300), { ordinal: 2, ms: 12, isKnown: true });
  assert.equal(timeline.streamMsOf(2, 0), 288);
});

test("a segment without any frame takes no time", () => {
  const timeline = new StreamTimeline(timesOf([[2, 0], [0, 0], [3, 0]]), { ordinal: 0 });
  assert.equal(timeline.locate(2 * FRAME_MS).ordinal, 2);
  assert.equal(timeline.streamMsOf(2, 0), 2 * FRAME_MS);
});

test("stream time and segment time convert back and forth without drift over two thousand segments", () => {
  const times = timesOf(Array.from({ length: 2000 }, (_, index) => [37 + (index % 211), 8 + (index % 5)]));
  const timeline = new StreamTimeline(times, { ordinal: 0 });
  let frames = 0;
  for (let ordinal = 0; ordinal < 2000; ordinal += 1) {
    assert.equal(timeline.streamMsOf(ordinal, 11), frames * FRAME_MS + 11);
    assert.deepEqual(timeline.locate(frames * FRAME_MS + 11), { ordinal, ms: 11, isKnown: true });
    const { frames: speech, pauseFrames } = times.get(ordinal);
    frames += speech + pauseFrames;
  }
});

test("a place in a segment is asked for in whole frames", () => {
  assert.equal(frameStart(0), 0);
  assert.equal(frameStart(23.9), 0);
  assert.equal(frameStart(24), 24);
  assert.equal(frameStart(1000), 984);
  assert.equal(frameStart(-24), 0);
});

test("a word is lit from its start to its end, over a short gap, but not through a long one", () => {
  const words = [[46, 300, 0, 3], [350, 600, 4, 9], [1600, 1900, 10, 12]];
  assert.equal(wordIndexAt(words, 45), -1);
  assert.equal(wordIndexAt(words, 46), 0);
  assert.equal(wordIndexAt(words, 320), 0);
  assert.equal(wordIndexAt(words, 350), 1);
  assert.equal(wordIndexAt(words, 700), -1);
  assert.equal(wordIndexAt(words, 1600), 2);
  assert.equal(wordIndexAt(words, 1900), -1);
  assert.equal(wordIndexAt([], 10), -1);
});

test("a character is spoken when its word is", () => {
  const segment = { ordinal: 0, frames: 100, pauseFrames: 0, exact: true, failed: false, cached: false, words: [[46, 300, 10, 13], [350, 600, 14, 19]] };
  const range = { start: 10, end: 20 };
  assert.equal(msOfOffset(segment, range, 10), 0);
  assert.equal(msOfOffset(segment, range, 12), 46);
  assert.equal(msOfOffset(segment, range, 14), 350);
  assert.equal(msOfOffset({ ...segment, words: [] }, range, 15), 50 * FRAME_MS);
});
