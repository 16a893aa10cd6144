/** The text of one block as it lies in the page: code point ranges to DOM ranges and back. */

import { toCodePoints, toUtf16 } from "../model/offsets.js";
import { lastAtMost } from "../model/search.js";

/** @typedef {{node: Text, start: number}} Piece start in UTF-16 units */

export class BlockText {
  /** @type {Piece[]} */
  #pieces = [];
  #text = "";

  /** @param {Element} element with data-block */
  constructor(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = /** @type {Element} */ (node.parentElement);
      if (parent.closest("[data-block]") !== element || !parent.closest("[data-sentence]") || parent.closest("[data-unread]")) continue;
      this.#pieces.push({ node: /** @type {Text} */ (node), start: this.#text.length });
      this.#text += /** @type {Text} */ (node).data;
    }
  }

  get text() {
    return this.#text;
  }

  /** @param {number} start code points @param {number} end exclusive @returns {Range | null} */
  range(start, end) {
    const first = this.#locate(toUtf16(this.#text, start), false);
    const last = this.#locate(toUtf16(this.#text, end), true);
    if (!first || !last) return null;
    const range = document.createRange();
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset);
    return range;
  }

  /** @param {Node} node @param {number} offset UTF-16 units @returns {number | null} code points into the block */
  offsetOf(node, offset) {
    const piece = this.#pieces.find((candidate) => candidate.node === node);
    return piece ? toCodePoints(this.#text, piece.start + offset) : null;
  }

  /**
   * @param {number} units
   * @param {boolean} isEnd an end between two pieces belongs to the first, a start to the second
   */
  #locate(units, isEnd) {
    const index = Math.max(0, lastAtMost(this.#pieces, isEnd ? units - 1 : units, (piece) => piece.start));
    const piece = this.#pieces[index];
    return piece && { node: piece.node, offset: Math.min(units - piece.start, piece.node.length) };
  }
}
