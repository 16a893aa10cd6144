/** What the reader chose on this device. Works without storage, too (private windows refuse it). */

/** @typedef {{providerRef: string, model: string, voice: string}} VoiceChoice */
/** @typedef {"system" | "light" | "sepia" | "dark"} Theme */
/** @typedef {{theme: Theme, textSize: number, lineWidth: "narrow" | "medium" | "wide", font: "own" | "book", speed: number, voice: VoiceChoice | null}} PreferenceValues */

const KEY = "lectern.preferences";
export const TEXT_SIZES = [0.85, 0.925, 1, 1.1, 1.2, 1.35, 1.5, 1.75];
export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4];

/** @type {PreferenceValues} */
const DEFAULTS = { theme: "system", textSize: 1, lineWidth: "medium", font: "own", speed: 1, voice: null };

export class Preferences extends EventTarget {
  /** Where more can be kept on this device, null where that is refused. */
  storage;
  /** @type {PreferenceValues} */
  #values;

  /** @param {Pick<Storage, "getItem" | "setItem"> | null} storage */
  constructor(storage) {
    super();
    this.storage = storage;
    this.#values = { ...DEFAULTS, ...this.#read() };
  }

  /** @template {keyof PreferenceValues} K @param {K} name @returns {PreferenceValues[K]} */
  get(name) {
    return this.#values[name];
  }

  /** @template {keyof PreferenceValues} K @param {K} name @param {PreferenceValues[K]} value */
  set(name, value) {
    if (this.#values[name] === value) return;
    this.#values = { ...this.#values, [name]: value };
    try {
      this.storage?.setItem(KEY, JSON.stringify(this.#values));
    } catch {
      // Full or forbidden: the choice holds until the page is closed.
    }
    this.dispatchEvent(new CustomEvent("change", { detail: name }));
  }

  /** @returns {Partial<PreferenceValues>} */
  #read() {
    try {
      return JSON.parse(this.storage?.getItem(KEY) ?? "{}") ?? {};
    } catch {
      return {};
    }
  }
}

/** @template T @param {readonly T[]} steps @param {T} value @param {1 | -1} direction @returns {T} the next step, or the same at the end */
export function nextStep(steps, value, direction) {
  const index = Math.max(0, steps.indexOf(value));
  return steps[Math.min(steps.length - 1, Math.max(0, index + direction))] ?? value;
}
