/**
 * The pages of a document, of which only those near the window hold anything: images sharp at every zoom, text to select,
 * and what is spoken lit on them. In `data-page` it shows which page is looked at (from 1), for tests and tools.
 */

import { pageImageUrl } from "../../api/reading.js";
import { Component } from "../../lib/component.js";
import { isAbort } from "../../lib/signals.js";
import { PageLayout } from "../../model/page-layout.js";
import { Leaf } from "./leaf.js";
import { spotAt, writePageText } from "./page-text.js";
import { PageTexts } from "./page-texts.js";
import { SpokenPlace } from "./spoken-place.js";

/** @typedef {import("../../model/book.js").Book} Book */
/** @typedef {import("../../model/book.js").Spot} Spot */
/** @typedef {import("../../model/page-lines.js").Box} Box */
/** @typedef {import("../../model/page-settings.js").PageSettings} PageSettings */

/** Kept ready above and below the window, in windows. */
const READY = 1;
/** The same of what is drawn in squares. */
const SOON = 0.25;
/** While pages fly past, none of them is asked for. */
const REST_MS = 90;
/** Where in the window the page lies that is looked at. */
const EYE = 0.4;
const WIDE_MARGIN = 16;
const NARROW_MARGIN = 6;
const PHONE_PIXELS = 640;
/** Left free above a place that is gone to. */
const AIR = 90;

/** Emits "text-spot" (detail: Spot) when a word is clicked and "page-change" when another page is looked at. */
export class PageView extends Component {
  /** @type {PageTexts} */
  #texts = /** @type {any} */ (undefined);
  /** @type {SpokenPlace} */
  #spoken = /** @type {any} */ (undefined);
  #language = "";
  /** @type {PageLayout} */
  #layout = /** @type {any} */ (undefined);
  #documentId = "";
  #version = "";
  /** @type {PageSettings} */
  #settings = { view: "pages", zoom: "width", flow: "scroll" };
  /** @type {Map<number, Leaf>} */
  #leaves = new Map();
  #space = document.createElement("div");
  #page = 0;
  #isDue = false;
  #restTimer = 0;

  /** @param {{book: Book, documentId: string, version: string, settings: PageSettings}} parts */
  open({ book, documentId, version, settings }) {
    this.#texts = new PageTexts({ book });
    this.#spoken = new SpokenPlace({ texts: this.#texts, onScreen: (page, box) => this.#onScreen(page, box) });
    this.#language = book.reading.language;
    this.#documentId = documentId;
    this.#version = version;
    this.#settings = settings;
    this.#layout = new PageLayout(book.reading.pages);
    this.#space.className = "pages-space";
    this.replaceChildren(this.#space);
    const sizes = new ResizeObserver(() => this.#arrange());
    sizes.observe(document.documentElement);
    this.signal.addEventListener("abort", () => sizes.disconnect(), { once: true });
    this.listen(window, "scroll", () => this.#due(), { passive: true });
    // Pinched larger, a page is looked at more closely though its layout stays.
    if (visualViewport) this.listen(visualViewport, "resize scroll", () => this.#due(), { passive: true });
    this.listen(this, "click", (event) => this.#onClick(event));
    this.#arrange();
  }

  get page() {
    return this.#page;
  }

  get pageCount() {
    return this.#layout.pageCount;
  }

  get isPaged() {
    return this.#layout.isPaged;
  }

  /** Is a page in the row that is shown? A scrolled view shows them all. @param {number} page */
  isOn(page) {
    return !this.isPaged || this.#layout.rowWith(this.#page).includes(page);
  }

  /** How large the page is that is looked at, as a share of its printed size. */
  get scale() {
    return (this.#layout.box(this.#page).scale * 72) / 96;
  }

  /** The section of the page that is looked at. */
  get section() {
    return this.#texts.sectionsOn(this.#page)[0] ?? 0;
  }

  /** @param {PageSettings} settings */
  change(settings) {
    this.#settings = settings;
    this.#arrange();
  }

  /** Shown again after the text was. */
  wake() {
    this.#arrange();
  }

  /** @param {number} page @param {number} [y] points from its top */
  goTo(page, y = 0) {
    const target = Math.min(this.pageCount - 1, Math.max(0, page));
    this.#look(target);
    if (this.isPaged) this.#arrange();
    const box = this.#layout.box(target);
    const above = this.#above();
    const top = y > 0 ? box.top + y * box.scale - AIR : box.top - 8;
    scrollTo({ top: Math.max(0, this.#origin() + top - above), behavior: "instant" });
    this.#update();
  }

  /** @param {1 | -1} step */
  turn(step) {
    this.goTo(this.#layout.turned(this.#page, step));
  }

  /** @param {Spot} spot @returns {Promise<void>} once its page is there */
  async goToSpot(spot) {
    const { page, top } = await this.#texts.placeOf(spot);
    this.goTo(page, top);
  }

  /** The first block that begins on the page that is looked at, or is on it. @returns {string} "" on a silent page */
  blockHere() {
    return this.#texts.firstOn(this.#page);
  }

  /**
   * Light what is spoken.
   * @param {string} blockId @param {readonly [number, number] | null} sentence @param {readonly [number, number] | null} word
   * @returns {{getBoundingClientRect: () => DOMRect} | null} the sentence's place on the screen, also while its page is not there
   */
  light(blockId, sentence, word) {
    if (this.#spoken.say({ blockId, sentence, word })) this.#lightAll();
    return this.#spoken.place;
  }

  /** Which page the spoken sentence begins on. @returns {number | null} */
  get spokenPage() {
    return this.#spoken.page;
  }

  forget() {
    this.#spoken.forget();
    this.#lightAll();
  }

  /** Where a part of a page lies on the screen; far below it while its page is not shown. @param {number} number @param {Box} box */
  #onScreen(number, { left, top, right, bottom }) {
    if (!this.isConnected || this.hidden) return new DOMRect();
    const page = this.#layout.box(number);
    const space = this.#space.getBoundingClientRect();
    const y = this.isOn(number) ? space.top + page.top + top * page.scale : innerHeight * 4;
    return new DOMRect(space.left + page.left + left * page.scale, y, (right - left) * page.scale, Math.max(1, (bottom - top) * page.scale));
  }

  get #margin() {
    return innerWidth < PHONE_PIXELS ? NARROW_MARGIN : WIDE_MARGIN;
  }

  /** What the bars cover at the top. */
  #above() {
    return document.querySelector("lectern-page-tools")?.getBoundingClientRect().bottom ?? 0;
  }

  /** Where the space begins in the document. */
  #origin() {
    return this.#space.getBoundingClientRect().top + scrollY;
  }

  /** Sizes and places anew; what is looked at stays where it is. */
  #arrange() {
    if (this.hidden || !this.isConnected) return;
    const anchor = this.#leaves.size ? this.#anchor() : null;
    const above = this.#above();
    const below = document.querySelector("lectern-player")?.getBoundingClientRect().height ?? 0;
    const view = { width: document.documentElement.clientWidth, height: Math.max(200, innerHeight - above - below) };
    const { zoom, flow } = this.#settings;
    this.#layout.arrange({ view, zoom, flow, margin: this.#margin });
    document.documentElement.style.setProperty("--view-width", `${view.width}px`);
    this.#space.style.height = `${this.#layout.heightAround(this.#page, this.#margin)}px`;
    this.#space.style.width = `${this.#layout.width}px`;
    this.classList.toggle("is-paged", this.isPaged);
    if (anchor) {
      const box = this.#layout.box(anchor.page);
      scrollTo({ top: this.#origin() + box.top + anchor.share * box.height - anchor.at, left: this.#layout.width > view.width ? (this.#layout.width - view.width) * anchor.across : 0, behavior: "instant" });
    }
    this.#update();
    this.emit("page-change");
  }

  /** The point of a page that lies at the eye. */
  #anchor() {
    const box = this.#layout.box(this.#page);
    const at = innerHeight * EYE;
    const y = scrollY + at - this.#origin();
    const spare = this.#layout.width - document.documentElement.clientWidth;
    return { page: this.#page, share: (y - box.top) / box.height, at, across: spare > 1 ? scrollX / spare : 0.5 };
  }

  #due() {
    if (this.#isDue || this.hidden) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (!this.signal.aborted && !this.hidden) this.#update();
    });
  }

  /** Bring the leaves near the window, take the others away. */
  #update() {
    const top = -this.#space.getBoundingClientRect().top;
    if (!this.isPaged) this.#look(this.#layout.pageAt(top + innerHeight * EYE));
    const near = new Set(this.#near(top));
    for (const [page, leaf] of this.#leaves) {
      if (near.has(page)) continue;
      leaf.close();
      this.#leaves.delete(page);
    }
    for (const page of near) {
      const leaf = this.#leaves.get(page) ?? this.#newLeaf(page);
      leaf.place(this.#layout.box(page));
    }
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#draw(), REST_MS);
  }

  /** @param {number} top of the window, in the space */
  #near(top) {
    if (this.isPaged) return this.#layout.rowWith(this.#page);
    return this.#layout.between(top - innerHeight * READY, top + innerHeight * (1 + READY));
  }

  /** Those in view first. */
  #draw() {
    if (this.signal.aborted || this.hidden) return;
    const pages = [...this.#leaves.keys()].sort((left, right) => Math.abs(left - this.#page) - Math.abs(right - this.#page));
    const pixels = devicePixelRatio * (visualViewport?.scale ?? 1);
    for (const page of pages) this.#leaves.get(page)?.draw(this.#layout.box(page).width * pixels, this.#seen(page));
  }

  /** What of a page is in the window, or soon will be. @param {number} number @returns {import("../../model/page-tiles.js").Part} */
  #seen(number) {
    const page = this.#layout.box(number);
    const space = this.#space.getBoundingClientRect();
    const view = visualViewport ?? { offsetLeft: 0, offsetTop: 0, width: innerWidth, height: innerHeight };
    const [left, top] = [view.offsetLeft - space.left - page.left, view.offsetTop - space.top - page.top];
    const share = (/** @type {number} */ at, /** @type {number} */ length) => Math.min(1, Math.max(0, at / length));
    return {
      left: share(left - view.width * SOON, page.width),
      right: share(left + view.width * (1 + SOON), page.width),
      top: share(top - view.height * SOON, page.height),
      bottom: share(top + view.height * (1 + SOON), page.height),
    };
  }

  /** @param {number} page */
  #newLeaf(page) {
    const leaf = new Leaf({ page, count: this.pageCount, urlOf: (width, tile) => pageImageUrl(this.#documentId, page, { width, version: this.#version }, tile) });
    this.#leaves.set(page, leaf);
    // In the order of the pages, for those who hear the page or select over its end.
    const after = [...this.#leaves.keys()].filter((other) => other > page).sort((left, right) => left - right)[0];
    this.#space.insertBefore(leaf.element, after === undefined ? null : (this.#leaves.get(after)?.element ?? null));
    void this.#write(page, leaf);
    return leaf;
  }

  /** @param {number} page @param {Leaf} leaf */
  async #write(page, leaf) {
    try {
      await this.#texts.load(page);
    } catch (error) {
      // The image shows the page all the same; the next visit asks again.
      if (!isAbort(error)) leaf.element.dataset.text = "missing";
      return;
    }
    if (this.#leaves.get(page) !== leaf) return;
    const blocks = this.#texts.blocksOn(page) ?? [];
    writePageText(leaf.text, page, blocks, this.#language);
    leaf.element.dataset.text = blocks.length ? "there" : "none";
    if (!blocks.length) leaf.sayThatItIsSilent();
    leaf.light(...this.#spoken.on(page));
  }

  #lightAll() {
    for (const [page, leaf] of this.#leaves) leaf.light(...this.#spoken.on(page));
  }

  /** @param {number} page */
  #look(page) {
    if (page === this.#page && this.dataset.page) return;
    this.#page = page;
    this.dataset.page = String(page + 1);
    this.emit("page-change");
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    if (event.button !== 0 || !getSelection()?.isCollapsed) return;
    const spot = spotAt(event, this.#language);
    if (spot) this.emit("text-spot", spot);
  }
}
