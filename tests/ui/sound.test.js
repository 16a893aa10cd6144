import assert from "node:assert/strict";
import { test } from "node:test";

import { Sound } from "../../app_server/ui/model/sound.js";
import { SegmentTimes } from "../../app_server/ui/model/timeline.js";

/** An audio element as far as the sound sees one. */
class SilentAudio extends EventTarget {
  currentTime = 0;
  readyState = 0;
  error = null;
  ended = false;

  async play() {}
  pause() {}
  load() {}
  removeAttribute() {}
}

/** A sound whose first segment is ready on the server, and the seconds at which it counted as lost. @param {import("node:test").TestContext} t */
function wanted(t) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const controller = new AbortController();
  t.after(() => controller.abort());
  const parts = { seconds: 0, isHeard: true, lost: /** @type {number[]} */ ([]) };
  const times = new SegmentTimes();
  times.add({ ordinal: 0, frames: 70, pauseFrames: 10, exact: true, words: [] });
  const audio = new SilentAudio();
  const sound = new Sound({ audio: /** @type {any} */ (audio), times, isServerHeard: () => parts.isHeard, signal: controller.signal, now: () => parts.seconds * 1000 });
  const begin = () => {
    sound.load("http://worker/s1?token=1", 0, 0);
    void sound.play();
  };
  sound.addEventListener("lost", () => {
    parts.lost.push(parts.seconds);
    begin();
  });
  begin();
  /** @param {number} seconds @param {() => void} [meanwhile] each second */
  const pass = (seconds, meanwhile = () => undefined) => {
    for (let second = 0; second < seconds; second += 1) {
      parts.seconds += 1;
      meanwhile();
      t.mock.timers.tick(1000);
    }
  };
  return { parts, audio, pass };
}

test("a stream of which nothing arrives is given up, each time after longer", (t) => {
  const { parts, pass } = wanted(t);
  pass(121);
  assert.deepEqual(parts.lost, [6, 17, 38, 79, 120]);
});

test("nobody hears the server: a stream is given up sooner", (t) => {
  const { parts, pass } = wanted(t);
  parts.isHeard = false;
  pass(10);
  assert.deepEqual(parts.lost, [3, 9]);
});

test("a stream of which bytes arrive is waited for, however slow", (t) => {
  const { parts, audio, pass } = wanted(t);
  pass(60, () => audio.dispatchEvent(new Event("progress")));
  assert.deepEqual(parts.lost, []);
  pass(6);
  assert.deepEqual(parts.lost, [66]);
});

test("a gap is given more time until the sound has been steady", (t) => {
  const { parts, audio, pass } = wanted(t);
  pass(6);
  pass(20, () => (audio.currentTime += 0.02));
  audio.dispatchEvent(new Event("waiting"));
  pass(11);
  assert.deepEqual(parts.lost, [6, 37]);
  pass(40, () => (audio.currentTime += 0.02));
  pass(6);
  assert.deepEqual(parts.lost, [6, 37, 83]);
});
