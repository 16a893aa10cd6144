import assert from "node:assert/strict";
import test from "node:test";

import { INITIAL_STATE, nextState } from "../../app_server/ui/model/player-state.js";

/** @param {...string} events */
const after = (...events) => events.reduce(nextState, INITIAL_STATE);

test("sound starts only when it is wanted", () => {
  assert.equal(after("sound").status, "idle");
  assert.deepEqual(after("play"), { status: "starting", wantsSound: true });
  assert.deepEqual(after("play", "sound"), { status: "playing", wantsSound: true });
  assert.deepEqual(after("play", "pause", "sound"), { status: "paused", wantsSound: false });
});

test("a stall and its end leave the wish alone", () => {
  assert.deepEqual(after("play", "sound", "wait"), { status: "buffering", wantsSound: true });
  assert.deepEqual(after("play", "sound", "wait", "sound"), { status: "playing", wantsSound: true });
});

test("a lost stream is got back, unless the listener paused", () => {
  assert.equal(after("play", "sound", "lost").status, "reconnecting");
  assert.equal(after("play", "sound", "lost", "sound").status, "playing");
  assert.equal(after("play", "sound", "pause", "lost").status, "paused");
});

test("a seek while reconnecting does not hide that", () => {
  assert.equal(after("play", "lost", "seek").status, "reconnecting");
  assert.equal(after("play", "sound", "seek").status, "starting");
  assert.equal(after("seek").status, "idle");
  assert.equal(after("play", "finish", "seek").status, "paused");
});

test("an end and a failure wait for the listener", () => {
  assert.deepEqual(after("play", "sound", "finish"), { status: "ended", wantsSound: false });
  assert.deepEqual(after("play", "fail"), { status: "failed", wantsSound: false });
  assert.deepEqual(after("play", "fail", "play"), { status: "starting", wantsSound: true });
});

test("a change that changes nothing gives the same object", () => {
  const playing = after("play", "sound");
  assert.equal(nextState(playing, "sound"), playing);
});
