import assert from "node:assert/strict";
import test from "node:test";

import { ApiError } from "../../app_server/ui/api/http.js";
import { Book } from "../../app_server/ui/model/book.js";
import { Player } from "../../app_server/ui/model/player.js";

/** An audio element as far as the player sees one: its sound starts and breaks off by hand. */
class HandAudio extends EventTarget {
  sources = [];
  currentTime = 0;
  readyState = 0;
  paused = true;
  ended = false;
  error = null;
  bufferedTo = 0;

  set src(address) {
    this.sources.push(address);
    Object.assign(this, { currentTime: 0, readyState: 0, error: null, ended: false, bufferedTo: 0 });
  }

  get buffered() {
    return { length: this.bufferedTo ? 1 : 0, start: () => 0, end: () => this.bufferedTo };
  }

  get seekable() {
    return this.buffered;
  }

  async play() {
    this.paused = false;
  }

  pause() {
    this.paused = true;
  }

  load() {}
  removeAttribute() {}

  sound(seconds = 0) {
    Object.assign(this, { readyState: 4, currentTime: seconds, bufferedTo: Math.max(seconds, this.bufferedTo) });
    this.dispatchEvent(new Event("playing"));
  }

  /** The connection is reset. */
  breakOff() {
    this.error = { code: 2 };
    this.dispatchEvent(new Event("error"));
  }

  end() {
    this.ended = true;
    this.dispatchEvent(new Event("ended"));
  }
}

const TEXT = "One two. Three four.";
const SENTENCES = [{ ordinal: 0, start: 0, end: 9 }, { ordinal: 1, start: 9, end: 20 }];
const SEGMENTS = [0, 1].map((ordinal) => ({ ordinal, blockId: `0-${ordinal}`, start: 0, end: 20, firstSentence: ordinal * 2, sentenceCount: 2, pauseFrames: 10 }));
const WORDS = [[46, 300, 0, 3], [340, 700, 4, 8], [900, 1200, 9, 14], [1240, 1500, 15, 20]];
const SEGMENT = { frames: 70, pauseFrames: 10, exact: true, words: WORDS };

class HandApi {
  opened = [];
  cursors = [];
  cancelled = [];
  renewals = 0;
  failuresToRenew = 0;
  /** @type {(type: string, data: object) => void} */
  tell = () => {};

  async openSession(request) {
    this.opened.push(request);
    const id = `s${this.opened.length}`;
    return { sessionId: id, planUrl: "plan", eventsUrl: "events", audioUrl: `http://worker/${id}?token=1`, audioExpiresAt: new Date(Date.now() + 600_000).toISOString(), startOrdinal: 0, segmentCount: 2, settings: request.settings };
  }

  async getPlan() {
    return { planId: "p", segmentCount: 2, sections: [{ section: 0, title: "", firstOrdinal: 0, segmentCount: 2, characterCount: 40, segments: SEGMENTS }] };
  }

  async postCursor(_id, cursor) {
    this.cursors.push({ ...cursor });
  }

  async cancel(id) {
    this.cancelled.push(id);
  }

  async renewAudio(id) {
    this.renewals += 1;
    if (this.renewals <= this.failuresToRenew) throw new ApiError({ status: 0, code: "UNREACHABLE", message: "Away." });
    return { audioUrl: `http://worker/${id}?token=${this.renewals + 1}`, audioExpiresAt: new Date(Date.now() + 600_000).toISOString() };
  }

  followEvents(_url, { signal, onEvent }) {
    this.tell = (type, data) => onEvent({ type, data: JSON.stringify(data), id: "" });
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
  }
}

/** @param {import("node:test").TestContext} t */
function listen(t, spot = { blockId: "0-0", offset: 0 }) {
  const controller = new AbortController();
  t.after(() => controller.abort());
  let ordinal = 0;
  const blocks = ["0-0", "0-1"].map((id) => ({ id, text: TEXT, role: "", headingLevel: 0, language: "", sentences: SENTENCES.map((range) => ({ ...range, ordinal: ordinal++ })) }));
  const reading = { title: "", authors: [], language: "", toc: [], warnings: [], sections: [{ index: 0, title: "", firstSentence: 0, sentenceCount: 4, characterCount: 40, blockCount: 2 }] };
  const book = new Book({ reading, loadSection: async () => ({ index: 0, title: "", html: "", blocks, language: "", direction: "" }) });
  const audio = new HandAudio();
  const api = new HandApi();
  const player = new Player({ audio, api, book, documentId: "d", settings: { providerRef: "builtin" }, spot, signal: controller.signal });
  return { player, audio, api };
}

/** Poll with a deadline. @param {() => unknown} condition */
async function until(condition) {
  const deadline = Date.now() + 5_000;
  while (!condition()) {
    assert.ok(Date.now() < deadline, `never true: ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function playing(t, spot) {
  const parts = listen(t, spot);
  parts.player.play();
  await until(() => parts.audio.sources.length === 1 && !parts.audio.paused);
  parts.api.tell("segment", { ordinal: 0, ...SEGMENT });
  parts.api.tell("segment", { ordinal: 1, ...SEGMENT });
  parts.audio.sound(0);
  await until(() => parts.player.plan?.segment(0));
  return parts;
}

test("play opens a session at the place and asks for its sound", async (t) => {
  const { player, audio, api } = await playing(t);
  assert.deepEqual(api.opened[0].start, { locator: { blockId: "0-0", offset: 0 } });
  assert.deepEqual(audio.sources, ["http://worker/s1?token=1&from=0&at=0"]);
  assert.equal(player.state.status, "playing");
  assert.equal(api.cursors.at(-1).playing, true);
});

test("the word that is lit is the one of the sound's own time, however late that is", async (t) => {
  const { player, audio } = await playing(t);
  for (const [seconds, blockId, word] of [[0.1, "0-0", [0, 3]], [0.1, "0-0", [0, 3]], [0.95, "0-0", [9, 14]], [1.8, "0-0", null], [1.92 + 0.4, "0-1", [4, 8]]]) {
    audio.currentTime = seconds;
    player.observe();
    assert.deepEqual([player.place.blockId, player.place.word], [blockId, word], `at ${seconds} s`);
  }
});

test("measured words take the place of estimated ones without a jump, of the sound or of the word", async (t) => {
  const { player, audio, api } = listen(t);
  player.play();
  await until(() => audio.sources.length === 1 && !audio.paused);
  const estimated = [[0, 200, 0, 3], [200, 500, 4, 8], [500, 900, 9, 14], [900, 1500, 15, 20]];
  api.tell("segment", { ordinal: 0, ...SEGMENT, exact: false, words: estimated });
  api.tell("segment", { ordinal: 1, ...SEGMENT, exact: false, words: estimated });
  audio.sound(0);
  await until(() => player.plan?.segment(0));
  const paused = t.mock.method(audio, "pause");
  const lit = [];
  /** @param {number} from @param {number} to */
  const hear = (from, to) => {
    for (let ms = from; ms < to; ms += 10) {
      audio.currentTime = ms / 1000;
      player.observe();
      assert.equal(audio.currentTime, ms / 1000, "the sound stays where it is");
      lit.push({ ms, word: player.place.word, offset: player.place.offset });
    }
  };
  hear(0, 600);
  assert.ok(lit.every(({ word }) => word === null), "an estimate lights the sentence only");
  assert.equal(lit.at(-1).offset, 9, "by the estimate it is the third word already");
  api.tell("segment", { ordinal: 0, ...SEGMENT });
  assert.deepEqual(audio.currentTime, 0.59);
  player.observe();
  assert.deepEqual(player.place.word, [4, 8], "at once the word that sounds");
  hear(600, 1500);
  const words = lit.filter(({ word }) => word);
  for (const { ms, word } of words) {
    const [start, , first, last] = WORDS.findLast(([begin]) => begin <= ms);
    assert.deepEqual(word, [first, last], `at ${ms} ms, ${ms - start} ms into it`);
  }
  const offsets = words.map(({ offset }) => offset);
  assert.deepEqual(offsets, offsets.toSorted((one, other) => one - other), "no word comes twice");
  assert.equal(audio.sources.length, 1, "the same stream goes on");
  assert.equal(paused.mock.callCount(), 0);
  assert.equal(player.state.status, "playing");
});

test("a place inside a segment waits for its words and starts in whole frames", async (t) => {
  const { player, audio, api } = listen(t, { blockId: "0-0", offset: 9 });
  player.play();
  await until(() => api.cursors.length);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(audio.sources, []);
  api.tell("segment", { ordinal: 0, ...SEGMENT });
  await until(() => audio.sources.length);
  assert.equal(audio.sources[0], "http://worker/s1?token=1&from=0&at=864");
  audio.sound(0);
  player.observe();
  assert.deepEqual(player.place.word, [9, 14], "the word before is not lit");
});

test("a jump inside what is buffered asks for nothing", async (t) => {
  const { player, audio } = await playing(t);
  audio.bufferedTo = 3;
  player.seek({ blockId: "0-1", offset: 0 });
  await until(() => audio.currentTime > 1);
  assert.equal(audio.currentTime, 1.92);
  assert.equal(audio.sources.length, 1);
});

test("sound that breaks off comes back at the last word heard, by a new address", async (t) => {
  const { player, audio, api } = await playing(t);
  api.failuresToRenew = 1;
  audio.currentTime = 1.3;
  player.observe();
  audio.breakOff();
  assert.equal(player.state.status, "reconnecting");
  await until(() => audio.sources.length === 2);
  assert.equal(audio.sources[1], "http://worker/s1?token=3&from=0&at=1200");
  audio.sound(0.05);
  assert.equal(player.state.status, "playing");
});

test("an end before the last segment's end is a break, the true one is the end", async (t) => {
  const { player, audio } = await playing(t);
  audio.currentTime = 1;
  audio.end();
  assert.equal(player.state.status, "reconnecting");
  await until(() => audio.sources.length === 2);
  audio.sound(0);
  audio.currentTime = 5;
  audio.end();
  assert.equal(player.state.status, "ended");
  assert.equal(player.fraction, 1);
});

test("another voice is another session at the same word, and the old one is given up", async (t) => {
  const { player, audio, api } = await playing(t);
  audio.currentTime = 1;
  player.observe();
  player.changeVoice({ providerRef: "builtin", voice: "de" });
  await until(() => api.opened.length === 2);
  assert.deepEqual(api.cancelled, ["s1"]);
  assert.deepEqual(api.opened[1].start, { locator: { blockId: "0-0", offset: 9 } });
  assert.equal(api.opened[1].settings.voice, "de");
});

test("only a problem that stands stops the player", async (t) => {
  const { player, audio, api } = listen(t);
  player.play();
  await until(() => audio.sources.length);
  api.tell("problem", { code: "X", message: "An old trouble.", retryable: false });
  api.tell("state", { state: "generating" });
  api.tell("problem", { code: "Y", message: "Today's allowance is used up.", retryable: false });
  await until(() => player.state.status === "failed");
  assert.equal(player.errorMessage, "Today's allowance is used up.");
});

test("what was spoken before a problem is waited for on a slow connection, and heard", async (t) => {
  const { player, audio, api } = listen(t);
  player.play();
  await until(() => audio.sources.length && !audio.paused);
  api.tell("segment", { ordinal: 0, ...SEGMENT });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  api.tell("problem", { code: "Y", message: "Today's allowance is used up.", retryable: false });
  t.mock.timers.tick(1_000); // far longer than a problem has to stand
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(player.state.status, "starting");
  audio.sound(0);
  audio.currentTime = 0.9;
  audio.dispatchEvent(new Event("waiting"));
  assert.equal(player.state.status, "buffering");
  audio.sound(1.9);
  audio.end();
  assert.equal(player.state.status, "failed");
  assert.equal(player.errorMessage, "Today's allowance is used up.");
});

test("pause stops the sound and tells the server", async (t) => {
  const { player, audio, api } = await playing(t);
  player.pause();
  assert.ok(audio.paused);
  await until(() => api.cursors.at(-1).playing === false);
  player.play();
  await until(() => !audio.paused);
  assert.equal(audio.sources.length, 1, "the same stream goes on");
});
