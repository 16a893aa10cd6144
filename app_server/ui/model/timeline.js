/**
 * Stream arithmetic. A joined stream holds whole frames only: the speech of a segment, its pause, the next segment, and
 * so on, from the segment and millisecond it was asked from. So stream time and segment time convert exactly.
 */

import { FRAME_MS } from "./frame.js";
import { lastAtMost } from "./search.js";

export { FRAME_MS };

/** A silence shorter than this between two words keeps the first one lit. */
const HELD_GAP_MS = 250;

/** @typedef {import("../api/types.js").SegmentEvent} SegmentEvent */
/** @typedef {import("../api/types.js").WordTime} WordTime */

/** The start of the frame a moment lies in. @param {number} milliseconds */
export function frameStart(milliseconds) {
  return Math.max(0, Math.floor(milliseconds / FRAME_MS) * FRAME_MS);
}

/** Speech and pause together. @param {SegmentEvent} segment */
export function slotMs(segment) {
  return (segment.frames + segment.pauseFrames) * FRAME_MS;
}

/** What is known of the segments of one session, by ordinal. */
export class SegmentTimes {
  /** @type {Map<number, SegmentEvent>} */
  #segments = new Map();

  /** @param {Partial<SegmentEvent> & {ordinal: number}} event fields left out have their default value */
  add(event) {
    const segment = { frames: 0, pauseFrames: 0, exact: false, failed: false, cached: false, words: [], ...event };
    this.#segments.set(segment.ordinal, segment);
    return segment;
  }

  /** @param {number} ordinal */
  get(ordinal) {
    return this.#segments.get(ordinal);
  }

  values() {
    return this.#segments.values();
  }

  clear() {
    this.#segments.clear();
  }
}

export class StreamTimeline {
  #times;
  #first;
  #firstAtMs;
  /** Stream time at which each segment's slot starts, the first one's being negative when the stream starts inside it. */
  /** @type {number[]} */
  #starts;

  /** @param {SegmentTimes} times @param {{ordinal: number, atMs?: number}} start */
  constructor(times, { ordinal, atMs = 0 }) {
    this.#times = times;
    this.#first = ordinal;
    this.#firstAtMs = atMs;
    this.#starts = [-atMs];
  }

  get firstOrdinal() {
    return this.#first;
  }

  /**
   * @param {number} streamMs
   * @returns {{ordinal: number, ms: number, isKnown: boolean}} the segment a moment lies in; `isKnown` is false when
   *   the events tell of no segment that reaches so far, and the ordinal is then the first unknown one
   */
  locate(streamMs) {
    this.#extend((start) => start <= streamMs);
    let index = Math.max(0, lastAtMost(this.#starts, streamMs, (start) => start));
    let segment = this.#times.get(this.#first + index);
    // Segments without any frame take no time: nothing is ever heard of them.
    while (segment && slotMs(segment) === 0 && index + 1 < this.#starts.length) {
      index += 1;
      segment = this.#times.get(this.#first + index);
    }
    const ms = streamMs - /** @type {number} */ (this.#starts[index]);
    return { ordinal: this.#first + index, ms, isKnown: segment !== undefined };
  }

  /**
   * @param {number} ordinal
   * @param {number} ms from the start of the segment
   * @returns {number | null} stream time, null when it lies before the stream or beyond what is known
   */
  streamMsOf(ordinal, ms) {
    const index = ordinal - this.#first;
    if (index < 0 || (index === 0 && ms < this.#firstAtMs)) return null;
    this.#extend(() => this.#starts.length <= index);
    const start = this.#starts[index];
    return start === undefined ? null : start + ms;
  }

  /** Walk on over known segments while the last start satisfies the condition. @param {(lastStart: number) => boolean} wanted */
  #extend(wanted) {
    for (;;) {
      const last = /** @type {number} */ (this.#starts.at(-1));
      const segment = this.#times.get(this.#first + this.#starts.length - 1);
      if (!segment || !wanted(last)) return;
      this.#starts.push(last + slotMs(segment));
    }
  }
}

/**
 * @param {WordTime[]} words in order of time
 * @param {number} ms
 * @returns {number} index of the word that is lit, -1 in a longer silence
 */
export function wordIndexAt(words, ms) {
  const index = lastAtMost(words, ms, (word) => word[0]);
  if (index < 0) return -1;
  const end = /** @type {WordTime} */ (words[index])[1];
  const next = words[index + 1];
  const litUntil = next && next[0] - end <= HELD_GAP_MS ? next[0] : end;
  return ms < litUntil ? index : -1;
}

/**
 * When a character of a segment is spoken.
 * @param {SegmentEvent} segment
 * @param {{start: number, end: number}} range the segment's characters in its block
 * @param {number} offset
 */
export function msOfOffset(segment, range, offset) {
  if (offset <= range.start) return 0;
  const word = segment.words.find(([, , , end]) => end > offset);
  if (word) return word[0];
  const share = (offset - range.start) / Math.max(1, range.end - range.start);
  return Math.min(1, share) * segment.frames * FRAME_MS;
}
