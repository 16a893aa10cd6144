/**
 * The audio element and the stream it plays: where in the plan it is, moving inside what is buffered, and noticing when
 * the sound stops though it should not. Tells "sound", "wait", "lost", "ended" and "paused-elsewhere".
 */

import { every } from "../lib/signals.js";
import { FRAME_MS, StreamTimeline } from "./timeline.js";

const WATCH_MS = 250;
/** Without progress for so long the connection is taken for dead: at once when nothing else of the server is heard. */
const PATIENCE_DEAF_MS = 2_500;
/** The same while events still arrive and say that the audio exists. */
const PATIENCE_READY_MS = 5_000;
/** The same while the segment is still being made; a slow voice needs its time. */
const PATIENCE_MAKING_MS = 30_000;
/**
 * Each stream that was given up doubles what the next one gets, so often: a slow connection isn't a dead one. Chromium
 * plays nothing of a stream before it has 32 KiB of it.
 */
const MOST_DOUBLINGS = 3;
/** Sound without a gap for so long, and the connection is no longer taken for slow. */
const STEADY_MS = 30_000;

export class Sound extends EventTarget {
  #audio;
  #times;
  /** @type {StreamTimeline | null} */
  #timeline = null;
  /** Should sound be heard now? */
  #isWanted = false;
  #isServerHeard = () => true;
  #lastTime = -1;
  #lastProgressAt = 0;
  /** Streams given up since the sound was steady. */
  #givenUp = 0;
  #steadySince = 0;
  #now;

  /**
   * @param {object} parts
   * @param {HTMLAudioElement} parts.audio
   * @param {import("./timeline.js").SegmentTimes} parts.times
   * @param {() => boolean} parts.isServerHeard are events arriving?
   * @param {AbortSignal} parts.signal
   * @param {() => number} [parts.now]
   */
  constructor({ audio, times, isServerHeard, signal, now = () => performance.now() }) {
    super();
    this.#audio = audio;
    this.#times = times;
    this.#isServerHeard = isServerHeard;
    this.#now = now;
    audio.preservesPitch = true;
    const options = { signal };
    audio.addEventListener("playing", () => this.#tell("sound"), options);
    // Bytes arrive: what is slow plays in the end, and begun anew it would not.
    audio.addEventListener("progress", () => (this.#lastProgressAt = this.#now()), options);
    audio.addEventListener("waiting", () => this.#onWaiting(), options);
    audio.addEventListener("error", () => this.#onError(), options);
    audio.addEventListener("ended", () => this.#onEnded(), options);
    audio.addEventListener("pause", () => this.#onPause(), options);
    every(WATCH_MS, () => this.#watch(), signal);
    signal.addEventListener("abort", () => this.unload(), { once: true });
  }

  get isLoaded() {
    return this.#timeline !== null;
  }

  /** Where the sound is, null without a stream. @returns {ReturnType<StreamTimeline["locate"]> | null} */
  get place() {
    return this.#timeline && this.#timeline.locate(this.#audio.currentTime * 1000);
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#audio.defaultPlaybackRate = speed;
    this.#audio.playbackRate = speed;
  }

  /**
   * Go to a place in the stream that is loaded, if it is buffered there.
   * @param {number} ordinal
   * @param {number} atMs
   */
  moveTo(ordinal, atMs) {
    const streamMs = this.#timeline?.streamMsOf(ordinal, atMs) ?? null;
    if (streamMs === null || this.#audio.error) return false;
    const seconds = streamMs / 1000;
    if (!holds(this.#audio.buffered, seconds) || !holds(this.#audio.seekable, seconds)) return false;
    this.#audio.currentTime = seconds;
    this.#restartWatch();
    return true;
  }

  /**
   * Ask for a new stream.
   * @param {string} audioUrl signed address
   * @param {number} ordinal
   * @param {number} atMs a whole number of frames
   */
  load(audioUrl, ordinal, atMs) {
    if (atMs % FRAME_MS !== 0) throw new RangeError(`${atMs} ms is not a whole number of frames`);
    this.#timeline = new StreamTimeline(this.#times, { ordinal, atMs });
    this.#steadySince = this.#now();
    this.#audio.src = `${audioUrl}${audioUrl.includes("?") ? "&" : "?"}from=${ordinal}&at=${atMs}`;
    this.#restartWatch();
  }

  play() {
    this.#isWanted = true;
    this.#restartWatch();
    return this.#audio.play();
  }

  pause() {
    this.#isWanted = false;
    this.#audio.pause();
  }

  unload() {
    this.pause();
    this.#timeline = null;
    this.#audio.removeAttribute("src");
    this.#audio.load();
  }

  #restartWatch() {
    this.#lastTime = this.#audio.currentTime;
    this.#lastProgressAt = this.#now();
  }

  #watch() {
    if (!this.#isWanted || !this.#timeline) return;
    if (this.#audio.currentTime !== this.#lastTime) {
      if (this.#now() - this.#steadySince > STEADY_MS) this.#givenUp = 0;
      return this.#restartWatch();
    }
    if (this.#now() - this.#lastProgressAt <= this.#patienceMs()) return;
    this.#givenUp += 1;
    this.#lose();
  }

  #patienceMs() {
    const times = 2 ** Math.min(this.#givenUp, MOST_DOUBLINGS);
    if (!this.#isServerHeard()) return PATIENCE_DEAF_MS * times;
    return this.place?.isKnown ? PATIENCE_READY_MS * times : PATIENCE_MAKING_MS;
  }

  #lose() {
    if (!this.#isWanted) return;
    this.#isWanted = false;
    this.#tell("lost");
  }

  #onWaiting() {
    this.#steadySince = this.#now();
    this.#tell("wait");
  }

  #onError() {
    if (!this.#timeline) return;
    if (this.#isWanted) this.#lose();
    else this.#timeline = null;
  }

  #onEnded() {
    this.#isWanted = false;
    this.#tell("ended");
  }

  #onPause() {
    // A phone call or an unplugged headset: not an end, not a change of stream, not our own doing.
    if (this.#isWanted && !this.#audio.ended && this.#audio.readyState > 1 && !this.#audio.error) {
      this.#isWanted = false;
      this.#tell("paused-elsewhere");
    }
  }

  /** @param {string} type */
  #tell(type) {
    this.dispatchEvent(new Event(type));
  }
}

/** @param {TimeRanges} ranges @param {number} seconds */
function holds(ranges, seconds) {
  for (let index = 0; index < ranges.length; index += 1) {
    // The last frames of a range may still be cut off: stay clear of its end.
    if (seconds >= ranges.start(index) && seconds < ranges.end(index) - 0.1) return true;
  }
  return false;
}
