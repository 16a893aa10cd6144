/** The plan of a session as far as it has been fetched: which segment says which characters. */

import { blockOrder, sectionOf } from "./block-ids.js";
import { lastAtMost } from "./search.js";

/** @typedef {import("../api/types.js").PlanSegment} PlanSegment */
/** @typedef {import("../api/types.js").PlanSection} PlanSection */

export class PlaybackPlan {
  #load;
  segmentCount;
  /** @type {PlanSection[]} */
  sections = [];
  /** @type {Map<number, PlanSegment[]>} */
  #segments = new Map();
  /** @type {Map<number, Promise<void>>} */
  #loading = new Map();

  /** @param {{segmentCount: number, load: (section: number) => Promise<import("../api/types.js").PlanPart>}} parts */
  constructor({ segmentCount, load }) {
    this.segmentCount = segmentCount;
    this.#load = load;
  }

  /** @param {number} section @returns {Promise<PlanSegment[]>} */
  async segmentsOf(section) {
    const known = this.#segments.get(section);
    if (known) return known;
    let loading = this.#loading.get(section);
    if (!loading) {
      loading = this.#fetch(section).finally(() => this.#loading.delete(section));
      this.#loading.set(section, loading);
    }
    await loading;
    return this.#segments.get(section) ?? [];
  }

  /** @param {number} ordinal @returns {PlanSegment | undefined} undefined when its section has not been fetched */
  segment(ordinal) {
    const section = this.sectionAt(ordinal);
    if (section === undefined) return undefined;
    const segments = this.#segments.get(section.section);
    return segments?.[ordinal - section.firstOrdinal];
  }

  /** @param {number} ordinal @returns {PlanSection | undefined} */
  sectionAt(ordinal) {
    const index = lastAtMost(this.sections, ordinal, (section) => section.firstOrdinal);
    return this.sections.slice(0, index + 1).findLast((section) => section.segmentCount > 0);
  }

  /**
   * The segment that says a character, or the next one that says anything.
   * @param {string} blockId
   * @param {number} offset
   */
  async segmentAt(blockId, offset) {
    const wanted = blockOrder(blockId);
    const segments = await this.segmentsOf(wanted.section);
    const found = segments.find((segment) => {
      const block = blockOrder(segment.blockId).block;
      return block > wanted.block || (block === wanted.block && segment.end > offset);
    });
    if (found) return found;
    const next = this.sections.find(({ section, segmentCount }) => section > wanted.section && segmentCount > 0);
    return next ? (await this.segmentsOf(next.section))[0] : segments.at(-1);
  }

  /** Share of the document that lies before a character. @param {PlanSegment} segment @param {number} offset */
  fractionAt(segment, offset) {
    const section = sectionOf(segment.blockId);
    let before = 0;
    let total = 0;
    for (const item of this.sections) {
      if (item.section < section) before += item.characterCount;
      total += item.characterCount;
    }
    for (const item of this.#segments.get(section) ?? []) {
      if (item.ordinal < segment.ordinal) before += item.end - item.start;
    }
    before += Math.min(Math.max(0, offset - segment.start), segment.end - segment.start);
    return total ? Math.min(1, before / total) : 0;
  }

  get characterCount() {
    return this.sections.reduce((total, section) => total + section.characterCount, 0);
  }

  /** Where a section starts on the position bar. @param {number} index */
  sectionStart(index) {
    let before = 0;
    for (const item of this.sections) if (item.section < index) before += item.characterCount;
    return before / Math.max(1, this.characterCount);
  }

  /** The section at a share of the document. @param {number} fraction */
  sectionAtFraction(fraction) {
    return this.sections.findLast(({ section, segmentCount }) => segmentCount > 0 && this.sectionStart(section) <= fraction)?.section ?? 0;
  }

  /** @param {number} fraction of the document @returns {Promise<{blockId: string, offset: number} | undefined>} */
  async spotAt(fraction) {
    const section = this.sectionAtFraction(fraction);
    let left = (fraction - this.sectionStart(section)) * this.characterCount;
    const segments = await this.segmentsOf(section);
    const found = segments.find((segment) => (left -= segment.end - segment.start) < 0) ?? segments.at(-1);
    return found && { blockId: found.blockId, offset: found.start };
  }

  /** @param {number} section */
  async #fetch(section) {
    const part = await this.#load(section);
    this.segmentCount = part.segmentCount ?? this.segmentCount;
    const sections = part.sections.map(
      /** @param {Partial<PlanSection>} item @returns {PlanSection} */
      (item) => ({ section: 0, title: "", firstOrdinal: 0, segmentCount: 0, characterCount: 0, ...item }),
    );
    const merged = new Map([...this.sections, ...sections].map((item) => [item.section, item]));
    this.sections = [...merged.values()].sort((left, right) => left.section - right.section);
    for (const item of sections) {
      if (item.segments?.length) this.#segments.set(item.section, item.segments.map(withDefaults));
    }
    if (!this.#segments.has(section)) this.#segments.set(section, []);
  }
}

/** @param {Partial<PlanSegment>} segment @returns {PlanSegment} */
function withDefaults(segment) {
  return { ordinal: 0, blockId: "", start: 0, end: 0, firstSentence: 0, sentenceCount: 0, pauseFrames: 0, ...segment };
}
