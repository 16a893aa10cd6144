/** A document's sections as they are fetched, and walking through their sentences. */

import { lastAtMost } from "./search.js";
import { sectionOf } from "./block-ids.js";

/** @typedef {import("../api/types.js").Section} Section */
/** @typedef {import("../api/types.js").Block} Block */
/** @typedef {import("../api/types.js").Sentence} Sentence */
/** A character of a document. @typedef {{blockId: string, offset: number}} Spot */
/** @typedef {{blockId: string, sentence: Sentence}} PlacedSentence */

/** Sections kept in memory around the one that is shown. */
const KEPT_SECTIONS = 6;
/** Not read unless somebody wants to hear them. */
const NOT_READ = ["header", "footer", "page_number", "footnote", "other"];

export class SectionText {
  /** @type {Map<string, Block>} */
  #blocks = new Map();
  /** Every sentence in reading order. @type {PlacedSentence[]} */
  #sentences = [];
  /** @type {Map<string, number>} */
  #charactersBefore = new Map();
  #characterCount = 0;

  /** @param {Section} section */
  constructor(section) {
    this.section = section;
    for (const block of section.blocks) {
      this.#blocks.set(block.id, block);
      this.#charactersBefore.set(block.id, this.#characterCount);
      this.#characterCount += block.text.length;
      for (const sentence of block.sentences) this.#sentences.push({ blockId: block.id, sentence });
    }
  }

  /** @param {string} blockId */
  block(blockId) {
    return this.#blocks.get(blockId);
  }

  get first() {
    return this.#sentences[0];
  }

  get last() {
    return this.#sentences.at(-1);
  }

  /** @param {Spot} spot @returns {Sentence | undefined} */
  sentenceAt({ blockId, offset }) {
    const sentences = this.#blocks.get(blockId)?.sentences ?? [];
    return sentences[Math.max(0, lastAtMost(sentences, offset, (sentence) => sentence.start))];
  }

  /** @param {number} ordinal @returns {PlacedSentence | undefined} */
  sentence(ordinal) {
    const first = this.first?.sentence.ordinal ?? 0;
    return this.#sentences[ordinal - first];
  }

  /** Share of the section before a character, for the time before there is a plan. @param {Spot} spot */
  fractionAt({ blockId, offset }) {
    const before = (this.#charactersBefore.get(blockId) ?? 0) + offset;
    return this.#characterCount ? Math.min(1, before / this.#characterCount) : 0;
  }

  /** The sentence at a share of the section. @param {number} fraction @returns {Spot | undefined} */
  spotAt(fraction) {
    const target = fraction * this.#characterCount;
    const found = this.#sentences.findLast(
      ({ blockId, sentence }) => (this.#charactersBefore.get(blockId) ?? 0) + sentence.start <= target,
    );
    const placed = found ?? this.first;
    return placed && { blockId: placed.blockId, offset: placed.sentence.start };
  }
}

export class Book {
  #loadSection;
  /** @type {Map<number, Promise<SectionText>>} */
  #sections = new Map();
  /** @type {Map<number, SectionText>} */
  #ready = new Map();
  /** @type {number[]} */
  #charactersBefore = [];
  characterCount = 0;
  /** What of it is read. @type {{includeRoles: string[], skipRoles: string[]}} */
  options = { includeRoles: [], skipRoles: [] };

  /** @param {{reading: import("../api/types.js").ReadingDocument, loadSection: (index: number) => Promise<Section>}} parts */
  constructor({ reading, loadSection }) {
    this.reading = reading;
    this.#loadSection = loadSection;
    for (const section of reading.sections) {
      this.#charactersBefore.push(this.characterCount);
      this.characterCount += section.characterCount;
    }
  }

  get sectionCount() {
    return this.reading.sections.length;
  }

  /** @param {number} index @returns {Promise<SectionText>} */
  section(index) {
    const known = this.#sections.get(index);
    if (known) return known;
    const loading = this.#loadSection(index).then((section) => {
      const text = new SectionText(section);
      this.#ready.set(index, text);
      return text;
    });
    this.#sections.set(index, loading);
    loading.catch(() => this.#sections.delete(index));
    for (const old of [...this.#sections.keys()].slice(0, -KEPT_SECTIONS)) {
      this.#sections.delete(old);
      this.#ready.delete(old);
    }
    return loading;
  }

  /** A section that is already here. @param {number} index */
  peek(index) {
    return this.#ready.get(index);
  }

  /** @param {string} blockId */
  sectionHolding(blockId) {
    return this.section(sectionOf(blockId));
  }

  /**
   * The sentence before or after the one a spot lies in, over section bounds; of those that are read.
   * @param {Spot} spot
   * @param {1 | -1} step
   * @returns {Promise<Spot | null>}
   */
  async neighbour(spot, step) {
    let next = await this.#beside(spot, step);
    while (next && !this.isRead(next)) next = await this.#beside(next, step);
    return next;
  }

  /** Of a section that is here: is the block read aloud? @param {Spot} spot */
  isRead({ blockId }) {
    const role = this.peek(sectionOf(blockId))?.block(blockId)?.role.replace("BLOCK_ROLE_", "").toLowerCase() ?? "";
    const { includeRoles, skipRoles } = this.options;
    return includeRoles.includes(role) || !(NOT_READ.includes(role) || skipRoles.includes(role));
  }

  /** @param {Spot} spot @param {1 | -1} step @returns {Promise<Spot | null>} */
  async #beside(spot, step) {
    const index = sectionOf(spot.blockId);
    const section = await this.section(index);
    const current = section.sentenceAt(spot);
    const placed = current && section.sentence(current.ordinal + step);
    if (placed) return { blockId: placed.blockId, offset: placed.sentence.start };
    for (let other = index + step; other >= 0 && other < this.sectionCount; other += step) {
      if (!this.reading.sections[other]?.sentenceCount) continue;
      const text = await this.section(other);
      const edge = step > 0 ? text.first : text.last;
      if (edge) return { blockId: edge.blockId, offset: edge.sentence.start };
    }
    return null;
  }

  /** Share of the document before a spot, as far as the loaded sections tell. @param {Spot} spot */
  fractionAt(spot) {
    const index = sectionOf(spot.blockId);
    const inside = (this.peek(index)?.fractionAt(spot) ?? 0) * (this.reading.sections[index]?.characterCount ?? 0);
    return this.characterCount ? Math.min(1, ((this.#charactersBefore[index] ?? 0) + inside) / this.characterCount) : 0;
  }

  /** Where a section starts on the position bar. @param {number} index */
  sectionStart(index) {
    return this.characterCount ? (this.#charactersBefore[index] ?? 0) / this.characterCount : 0;
  }

  /** The section at a share of the document. @param {number} fraction */
  sectionAtFraction(fraction) {
    return Math.max(0, lastAtMost(this.#charactersBefore, fraction * this.characterCount, (before) => before));
  }

  /** @param {number} fraction of the document @returns {Promise<Spot | undefined>} */
  async spotAt(fraction) {
    const index = this.sectionAtFraction(fraction);
    const summary = this.reading.sections[index];
    const inside = fraction * this.characterCount - (this.#charactersBefore[index] ?? 0);
    return (await this.section(index)).spotAt(summary?.characterCount ? inside / summary.characterCount : 0);
  }
}
