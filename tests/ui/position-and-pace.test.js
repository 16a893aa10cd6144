import assert from "node:assert/strict";
import test from "node:test";

import { Backoff } from "../../app_server/ui/lib/signals.js";
import { Pace, formatClock, formatDuration } from "../../app_server/ui/model/pace.js";
import { Preferences, SPEEDS, nextStep } from "../../app_server/ui/model/preferences.js";
import { PositionKeeper } from "../../app_server/ui/model/reading-position.js";

const at = (offset) => ({ segmentOrdinal: 0, blockId: "0-0", offset, section: 0, fraction: offset / 100 });

function keeperOf() {
  const saved = [];
  const clock = { now: 0 };
  const keeper = new PositionKeeper({ save: async (position, isLast) => void saved.push([position.offset, isLast]), now: () => clock.now });
  return { keeper, saved, clock };
}

test("a moving place is saved every few seconds, the last one when the page goes", () => {
  const { keeper, saved, clock } = keeperOf();
  for (const [now, offset] of [[0, 1], [1000, 2], [3999, 3], [4000, 4], [5000, 5]]) {
    clock.now = now;
    keeper.note(at(offset));
  }
  assert.deepEqual(saved, [[1, false], [4, false]]);
  keeper.flush({ isLast: true });
  assert.deepEqual(saved.at(-1), [5, true]);
});

test("a place that is saved is not saved again", () => {
  const { keeper, saved } = keeperOf();
  keeper.note(at(1));
  keeper.note(at(1));
  keeper.flush();
  assert.equal(saved.length, 1);
});

test("a place that could not be saved is kept for the next time", async () => {
  let isAway = true;
  const saved = [];
  const keeper = new PositionKeeper({ save: async ({ offset }) => {
    if (isAway) throw new Error("away");
    saved.push(offset);
  }, now: () => 0 });
  keeper.note(at(1));
  await new Promise((resolve) => setImmediate(resolve));
  isAway = false;
  keeper.flush();
  assert.deepEqual(saved, [1]);
});

test("the pace follows what is heard, and speed divides it", () => {
  const pace = new Pace();
  const before = pace.secondsFor(10_000, 1);
  for (let ordinal = 0; ordinal < 50; ordinal += 1) {
    pace.learn({ ordinal, frames: 500, pauseFrames: 0, exact: true, failed: false, cached: false, words: [] }, 100);
  }
  assert.ok(pace.secondsFor(10_000, 1) > before * 1.5);
  assert.equal(pace.secondsFor(10_000, 2), pace.secondsFor(10_000, 1) / 2);
});

test("times are written the way clocks and people do", () => {
  assert.equal(formatClock(0), "0:00");
  assert.equal(formatClock(65.4), "1:05");
  assert.equal(formatClock(3600), "1:00:00");
  assert.equal(formatDuration(20), "under a minute");
  assert.equal(formatDuration(3 * 3600 + 240), "3 h 4 min");
});

test("preferences hold without storage and survive spoilt storage", () => {
  const broken = { getItem: () => "{spoilt", setItem: () => { throw new Error("full"); } };
  for (const storage of [null, broken]) {
    const preferences = new Preferences(storage);
    preferences.set("speed", 2);
    assert.equal(preferences.get("speed"), 2);
    assert.equal(preferences.get("theme"), "system");
  }
});

test("steps stop at both ends", () => {
  assert.equal(nextStep(SPEEDS, 4, 1), 4);
  assert.equal(nextStep(SPEEDS, 0.5, -1), 0.5);
  assert.equal(nextStep(SPEEDS, 1, 1), 1.25);
});

test("attempts come further and further apart, up to a bound", () => {
  const backoff = new Backoff({ firstMs: 250, mostMs: 2000, random: () => 0 });
  assert.deepEqual(Array.from({ length: 5 }, () => backoff.next()), [250, 500, 1000, 2000, 2000]);
  backoff.reset();
  assert.equal(backoff.next(), 250);
});
