/** How long text takes to be spoken: learnt from the segments heard so far. */

import { FRAME_MS } from "./frame.js";

/** An ordinary reading voice: about 15 characters a second. */
const USUAL_MS_PER_CHARACTER = 66;
/** So many characters of the usual pace are mixed in, so that a first short segment does not make the estimate jump. */
const PRIOR_CHARACTERS = 600;

export class Pace {
  #milliseconds = USUAL_MS_PER_CHARACTER * PRIOR_CHARACTERS;
  #characters = PRIOR_CHARACTERS;
  /** @type {Set<number>} */
  #seen = new Set();

  /** @param {import("../api/types.js").SegmentEvent} segment @param {number} characters */
  learn(segment, characters) {
    if (segment.failed || characters <= 0 || this.#seen.has(segment.ordinal)) return;
    this.#seen.add(segment.ordinal);
    this.#milliseconds += (segment.frames + segment.pauseFrames) * FRAME_MS;
    this.#characters += characters;
  }

  /** @param {number} characters @param {number} speed @returns {number} seconds */
  secondsFor(characters, speed) {
    return ((this.#milliseconds / this.#characters) * characters) / 1000 / speed;
  }
}

/** "1:02:03" or "2:03". @param {number} seconds */
export function formatClock(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, index) => (index ? String(part).padStart(2, "0") : String(part))).join(":");
}

/** "3 h 20 min", for ears and tight places. @param {number} seconds */
export function formatDuration(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "under a minute";
  const hours = Math.floor(minutes / 60);
  return hours ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}
