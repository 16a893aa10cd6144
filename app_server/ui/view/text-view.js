/** The text of a document, a section at a time: which one is shown, what is lit in it, and the ways to its neighbours. */

import { find, html, render } from "../lib/html.js";
import { sectionOf } from "../model/block-ids.js";
import { Highlighter } from "./highlighter.js";
import { ReaderText } from "./reader-text.js";

/** @typedef {import("../model/book.js").Book} Book */
/** @typedef {import("../model/book.js").Spot} Spot */

/** A section that is not here by then is waited for in sight. */
const SLOW_MS = 150;

customElements.define("lectern-text", ReaderText);

export class TextView {
  #reader;
  #book;
  #documentId;
  #notice;
  #text;
  #highlighter;
  /** The section on the page, and the one on its way there. */
  #shown = -1;
  #wanted = -1;

  /** @param {{reader: HTMLElement, book: Book, documentId: string, notice: import("./page-notice.js").PageNotice, signal: AbortSignal}} parts */
  constructor({ reader, book, documentId, notice, signal }) {
    this.#reader = reader;
    this.#book = book;
    this.#documentId = documentId;
    this.#notice = notice;
    this.#text = find(reader, "lectern-text", ReaderText);
    this.#highlighter = new Highlighter({ text: this.#text, signal });
  }

  /** The section that is shown, -1 before any is. */
  get section() {
    return this.#shown;
  }

  /** Is a section shown, or about to be? @param {number} index */
  isOn(index) {
    return index === this.#shown || index === this.#wanted;
  }

  /** @param {number} index @param {string} [blockId] to begin with, "" for the section's start @returns {Promise<boolean>} false when another one was asked for meanwhile */
  async show(index, blockId = "") {
    this.#wanted = index;
    const slow = setTimeout(() => this.#wanted === index && this.#notice.loading(), SLOW_MS);
    const { section } = await this.#book.section(index).finally(() => clearTimeout(slow));
    if (this.#wanted !== index) return false;
    this.#notice.clear();
    this.#highlighter.forget();
    this.#text.show(this.#documentId, section, this.#book.reading.language);
    this.#shown = index;
    this.#reader.dataset.section = String(index);
    this.#showEnds();
    this.goTo(blockId);
    if (this.#book.sectionCount > index + 1) void this.#book.section(index + 1).catch(() => undefined);
    return true;
  }

  /** @param {string} blockId of the section that is shown, "" for its start */
  goTo(blockId) {
    const target = blockId ? this.#text.element(blockId) : null;
    if (target) target.scrollIntoView({ block: "start", behavior: "instant" });
    else scrollTo({ top: 0, behavior: "instant" });
  }

  /** The first block in the window. @returns {string} "" where nothing is shown */
  blockHere() {
    return this.#text.topBlock();
  }

  /**
   * @param {string} blockId @param {readonly [number, number] | null} sentence @param {readonly [number, number] | null} word
   * @returns {{getBoundingClientRect: () => DOMRect} | null} the place of the sentence on the screen
   */
  light(blockId, sentence, word) {
    if (sectionOf(blockId) !== this.#shown) {
      this.forget();
      return null;
    }
    return this.#highlighter.show(blockId, sentence, word) ?? this.#text.element(blockId);
  }

  forget() {
    this.#highlighter.forget();
  }

  #showEnds() {
    const { sections } = this.#book.reading;
    const link = (/** @type {number} */ to, /** @type {string} */ command, /** @type {string} */ label) => {
      const section = sections[to];
      if (!section) return html`<span></span>`;
      return html`<button type="button" class="end-link" data-command="${command}"><span class="eyebrow">${label}</span><span dir="auto">${section.title || `Part ${to + 1}`}</span></button>`;
    };
    const ends = find(this.#reader, ".reader-ends", HTMLElement);
    render(ends, html`${link(this.#shown - 1, "previous-section", "Previous")}${link(this.#shown + 1, "next-section", "Next")}`);
  }
}
