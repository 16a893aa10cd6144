/** Which of a document's blocks stand on which page, as far as their sections are here. */

import { boxesOf, linesOf } from "../../model/page-lines.js";
import { sectionOf } from "../../model/block-ids.js";

/** @typedef {import("../../api/types.js").Block} Block */
/** @typedef {import("../../model/book.js").Spot} Spot */

export class PageTexts {
  #book;

  /** @param {{book: import("../../model/book.js").Book}} parts */
  constructor({ book }) {
    this.#book = book;
  }

  /** @param {number} page @returns {number[]} */
  sectionsOn(page) {
    return this.#book.reading.sections
      .filter(({ firstPage, lastPage, blockCount }) => blockCount > 0 && firstPage <= page && page <= lastPage)
      .map(({ index }) => index);
  }

  /** @param {number} page */
  async load(page) {
    await Promise.all(this.sectionsOn(page).map((index) => this.#book.section(index)));
  }

  /** @param {number} page @returns {Block[] | null} null while they are not here */
  blocksOn(page) {
    const texts = this.sectionsOn(page).map((index) => this.#book.peek(index));
    if (texts.includes(undefined)) return null;
    return texts.flatMap((text) => (text?.section.blocks ?? []).filter((block) => linesOf(block).some((line) => line.page === page)));
  }

  /** The block that begins on a page, or is on it. @param {number} page @returns {string} "" on a silent page */
  firstOn(page) {
    const blocks = this.blocksOn(page);
    return (blocks?.find((block) => linesOf(block)[0]?.page === page) ?? blocks?.[0])?.id ?? "";
  }

  /** A block of a section that is here. @param {string} blockId */
  block(blockId) {
    return this.#book.peek(sectionOf(blockId))?.block(blockId);
  }

  /** @param {Spot} spot @returns {Promise<{page: number, top: number}>} top in points */
  async placeOf(spot) {
    const block = (await this.#book.sectionHolding(spot.blockId)).block(spot.blockId);
    const place = block && (boxesOf(block, spot.offset, spot.offset + 1)[0] ?? linesOf(block)[0]);
    return place ?? { page: this.#book.reading.sections[sectionOf(spot.blockId)]?.firstPage ?? 0, top: 0 };
  }
}
