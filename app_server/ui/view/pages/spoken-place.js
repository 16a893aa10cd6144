/** What is spoken, as places on pages. */

import { boxesOf, linesOf } from "../../model/page-lines.js";

/** @typedef {import("../../model/page-lines.js").Box} Box */
/** @typedef {{blockId: string, sentence: readonly [number, number] | null, word: readonly [number, number] | null}} Spoken */
/** @typedef {{getBoundingClientRect: () => DOMRect}} ScreenPlace */

export class SpokenPlace {
  #texts;
  #onScreen;
  /** @type {Spoken | null} */
  #spoken = null;
  /** The same object for the same sentence. @type {{key: string, place: ScreenPlace} | null} */
  #target = null;

  /** @param {{texts: import("./page-texts.js").PageTexts, onScreen: (page: number, box: Box) => DOMRect}} parts */
  constructor({ texts, onScreen }) {
    this.#texts = texts;
    this.#onScreen = onScreen;
  }

  /** @param {Spoken} spoken @returns {boolean} whether it is something else than before */
  say(spoken) {
    const before = this.#spoken;
    this.#spoken = spoken;
    return before?.blockId !== spoken.blockId || String(before.sentence) !== String(spoken.sentence) || String(before.word) !== String(spoken.word);
  }

  forget() {
    this.#spoken = null;
  }

  /** The page on which it begins. @returns {number | null} */
  get page() {
    const block = this.#block;
    if (!block || !this.#spoken) return null;
    const [start, end] = this.#spoken.word ?? this.#spoken.sentence ?? [0, 1];
    return (boxesOf(block, start, end)[0] ?? linesOf(block)[0])?.page ?? null;
  }

  /** The sentence on the screen. @returns {ScreenPlace | null} */
  get place() {
    const block = this.#block;
    if (!block || !this.#spoken) return null;
    const { blockId, sentence } = this.#spoken;
    const boxes = sentence ? boxesOf(block, sentence[0], sentence[1]) : linesOf(block);
    const first = boxes[0];
    if (!first) return null;
    const key = `${blockId} ${sentence}`;
    if (this.#target?.key !== key) {
      const last = boxes.filter(({ page }) => page === first.page).at(-1) ?? first;
      this.#target = { key, place: { getBoundingClientRect: () => this.#onScreen(first.page, { ...first, bottom: last.bottom }) } };
    }
    return this.#target.place;
  }

  /** Boxes of the sentence and of the word on a page. @param {number} page @returns {[Box[], Box[]]} */
  on(page) {
    const block = this.#block;
    const boxes = (/** @type {readonly [number, number] | null | undefined} */ range) =>
      block && range ? boxesOf(block, range[0], range[1]).filter((box) => box.page === page) : [];
    return [boxes(this.#spoken?.sentence), boxes(this.#spoken?.word)];
  }

  get #block() {
    return this.#spoken && this.#texts.block(this.#spoken.blockId);
  }
}
