import assert from "node:assert/strict";
import test from "node:test";

import { PlayerOnDemand } from "../../app_server/ui/model/player-on-demand.js";

const SETTINGS = { providerRef: "built-in" };
const BOOK = /** @type {any} */ ({ fractionAt: () => 0.25, characterCount: 400 });

/** Writes down what it is asked for. */
class NotingPlayer extends EventTarget {
  wishes = [];
  state = { status: "starting", wantsSound: true };
  place = { blockId: "9-9", offset: 9, ordinal: 9, word: null };

  play() {
    this.wishes.push("play");
  }

  async stepSentence(step) {
    this.wishes.push(`step ${step}`);
  }

  pause() {
    this.wishes.push("pause");
  }

  seek(spot) {
    this.wishes.push(`seek ${spot.blockId}`);
  }

  setSpeed(speed) {
    this.wishes.push(`speed ${speed}`);
  }

  changeVoice(settings) {
    this.wishes.push(`voice ${settings.voice}`);
  }
}

function onDemand(load) {
  return new PlayerOnDemand({ load, book: BOOK, settings: SETTINGS, spot: { blockId: "0-0", offset: 0 }, signal: new AbortController().signal });
}

/** Every promise that can be kept by now has been. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function told(player, type) {
  const events = [];
  player.addEventListener(type, (event) => events.push(event.detail));
  return events;
}

test("nothing is loaded for looking, seeking, another speed or another voice", () => {
  const player = onDemand(() => assert.fail("loaded"));
  const places = told(player, "place");
  player.seek({ blockId: "3-1", offset: 7 });
  player.setSpeed(1.5);
  player.changeVoice({ providerRef: "built-in", voice: "en" });
  assert.deepEqual(places, [{ blockId: "3-1", offset: 7, ordinal: null, word: null }]);
  assert.equal(player.speed, 1.5);
  assert.equal(player.settings.voice, "en");
  assert.equal(player.fraction, 0.25);
  assert.equal(player.state.status, "idle");
});

test("the first wish to hear loads a player at the place, and all wishes reach it in order", async () => {
  const loaded = new NotingPlayer();
  const asked = [];
  let arrive = (_player) => {};
  const player = onDemand((now) => {
    asked.push(now);
    return new Promise((resolve) => (arrive = resolve));
  });
  player.setSpeed(2);
  player.playFrom({ blockId: "1-0", offset: 4 });
  assert.deepEqual(player.state, { status: "starting", wantsSound: true });
  player.toggle();
  player.seek({ blockId: "2-0", offset: 0 });
  player.changeVoice({ providerRef: "built-in", voice: "de" });
  player.play();
  arrive(loaded);
  await settled();
  assert.deepEqual(asked, [{ settings: SETTINGS, spot: { blockId: "1-0", offset: 4 } }]);
  assert.deepEqual(loaded.wishes, ["speed 2", "play", "pause", "seek 2-0", "voice de", "play"]);
  assert.equal(player.place.blockId, "9-9");
});

test("what the player tells is told on", async () => {
  const loaded = new NotingPlayer();
  const player = onDemand(async () => loaded);
  const notices = told(player, "notice");
  await player.stepSentence(1);
  loaded.dispatchEvent(new CustomEvent("notice", { detail: "A passage is skipped." }));
  assert.deepEqual(notices, ["A passage is skipped."]);
});

test("a player that cannot be loaded is a failure, and is asked for again", async () => {
  let tries = 0;
  const loaded = new NotingPlayer();
  const player = onDemand(async () => {
    tries += 1;
    if (tries === 1) throw new TypeError("Failed to fetch dynamically imported module");
    return loaded;
  });
  const failed = new Promise((resolve) => {
    player.addEventListener("state", () => player.state.status === "failed" && resolve(player.errorMessage));
  });
  player.play();
  assert.match(await failed, /could not be loaded/);
  player.play();
  await settled();
  assert.equal(tries, 2);
  assert.deepEqual(loaded.wishes, ["speed 1", "play"]);
});
