/** One section of a book: its text, its links and pictures, and what was pointed at in it. */

import { resourceUrl } from "../api/reading.js";
import { Component } from "../lib/component.js";
import { parseBookMarkup } from "../lib/html.js";
import { BlockText } from "./block-text.js";
import { caretAt, wordStart } from "./caret.js";

/** From so many blocks on, blocks out of sight are not laid out. */
const LONG_SECTION_BLOCKS = 150;

/** @typedef {import("../model/book.js").Spot} Spot */

/** Emits "text-spot" (detail: Spot) when text is clicked and "text-link" ({section, blockId}) for links inside the book. */
export class ReaderText extends Component {
  #documentId = "";
  /** @type {Map<string, BlockText>} */
  #blocks = new Map();

  connected() {
    this.listen(this, "click", (event) => this.#onClick(event));
  }

  /**
   * @param {string} documentId
   * @param {import("../api/types.js").Section} section
   * @param {string} language of the document
   */
  show(documentId, section, language) {
    this.#documentId = documentId;
    this.#blocks.clear();
    const parsed = parseBookMarkup(section.html);
    for (const image of parsed.querySelectorAll("img")) this.#prepareImage(image);
    for (const link of parsed.querySelectorAll("a[href]:not([data-section])")) prepareLink(/** @type {HTMLAnchorElement} */ (link));
    this.lang = section.language || language;
    this.dir = section.direction.endsWith("RTL") ? "rtl" : "ltr";
    this.classList.toggle("is-long", section.blocks.length > LONG_SECTION_BLOCKS);
    this.replaceChildren(...document.adoptNode(parsed.body).childNodes);
  }

  /** @param {string} blockId @returns {HTMLElement | null} */
  element(blockId) {
    return this.querySelector(`[data-block="${CSS.escape(blockId)}"]`);
  }

  /** The first block that is in the window, "" where nothing is shown. */
  topBlock() {
    const shown = /** @type {HTMLElement[]} */ ([...this.querySelectorAll("[data-block]")]);
    return shown.find((element) => element.getBoundingClientRect().bottom > 120)?.dataset.block ?? "";
  }

  /** @param {string} blockId @param {number} start code points @param {number} end */
  range(blockId, start, end) {
    return this.#block(blockId)?.range(start, end) ?? null;
  }

  /** @param {string} blockId */
  #block(blockId) {
    const known = this.#blocks.get(blockId);
    if (known) return known;
    const element = this.element(blockId);
    if (!element) return null;
    const block = new BlockText(element);
    this.#blocks.set(blockId, block);
    return block;
  }

  /** @param {HTMLImageElement} image */
  #prepareImage(image) {
    const source = image.getAttribute("src") ?? "";
    if (source.startsWith("resources/")) image.src = resourceUrl(this.#documentId, source.slice("resources/".length));
    image.loading = "lazy";
    image.decoding = "async";
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const target = /** @type {Element} */ (event.target);
    const link = target.closest("a[href]");
    if (link) {
      if (!(link instanceof HTMLElement) || link.dataset.section === undefined) return;
      event.preventDefault();
      this.emit("text-link", { section: Number(link.dataset.section), blockId: link.dataset.target ?? "" });
      return;
    }
    if (event.button !== 0 || !getSelection()?.isCollapsed || target.closest("button, summary, input")) return;
    const spot = this.#spotAt(event.clientX, event.clientY) ?? this.#sentenceStart(target);
    if (spot) this.emit("text-spot", spot);
  }

  /** The word under a point. @param {number} x @param {number} y @returns {Spot | null} */
  #spotAt(x, y) {
    const caret = caretAt(x, y);
    const blockElement = caret?.node.parentElement?.closest("[data-block]");
    if (!caret || !(blockElement instanceof HTMLElement)) return null;
    const blockId = blockElement.dataset.block ?? "";
    const block = this.#block(blockId);
    const offset = block?.offsetOf(caret.node, caret.offset) ?? null;
    return block && offset !== null ? { blockId, offset: wordStart(block.text, offset, this.lang) } : null;
  }

  /** @param {Element} target @returns {Spot | null} */
  #sentenceStart(target) {
    const piece = target.closest("[data-sentence]");
    const blockElement = piece?.closest("[data-block]");
    const node = piece && document.createTreeWalker(piece, NodeFilter.SHOW_TEXT).nextNode();
    if (!node || !(blockElement instanceof HTMLElement)) return null;
    const blockId = blockElement.dataset.block ?? "";
    return { blockId, offset: this.#block(blockId)?.offsetOf(node, 0) ?? 0 };
  }
}

/** What leads out of the book opens beside it. @param {HTMLAnchorElement} link */
function prepareLink(link) {
  link.target = "_blank";
  link.rel = "noopener noreferrer";
}
