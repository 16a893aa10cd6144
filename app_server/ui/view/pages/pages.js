/** The pages of a PDF beside the reader's text: which of the two is shown, and what the reader asks of either. */

import { PageView } from "./page-view.js";
import { PageTools } from "./page-tools.js";
import { find } from "../../lib/html.js";
import { ZOOM_STEPS } from "../../model/page-layout.js";
import { keepPageSettings, readPageSettings } from "../../model/page-settings.js";

/** @typedef {import("../../model/book.js").Book} Book */
/** @typedef {import("../../model/book.js").Spot} Spot */
/** @typedef {import("../../model/page-settings.js").PageSettings} PageSettings */
/** @typedef {Pick<Storage, "getItem" | "setItem"> | null} Store */

const STYLES = "/ui/styles/pages.css";

customElements.define("lectern-pages", PageView);
customElements.define("lectern-page-tools", PageTools);

export class Pages {
  #reader;
  #documentId;
  #follow;
  #storage;
  /** Is there a text, too? */
  #hasText;
  /** @type {PageSettings} */
  #settings;
  #view = /** @type {PageView} */ (document.createElement("lectern-pages"));
  #tools = /** @type {PageTools} */ (document.createElement("lectern-page-tools"));

  /**
   * Emits "pages-shown" or "text-shown" (detail: the block to show, "" for none) on the reader when the view is changed.
   * @param {{reader: HTMLElement, book: Book, documentId: string, version: string, follow: import("../follow.js").Follow, storage: Store}} parts
   */
  constructor({ reader, book, documentId, version, follow, storage }) {
    this.#reader = reader;
    this.#documentId = documentId;
    this.#follow = follow;
    this.#storage = storage;
    this.#hasText = book.sectionCount > 0;
    const settings = readPageSettings(storage, documentId);
    this.#settings = this.#hasText ? settings : { ...settings, view: "pages" };
    find(reader, ".reader-bar", HTMLElement).after(this.#tools);
    find(reader, ".book-text", HTMLElement).before(this.#view);
    this.#show();
    this.#view.open({ book, documentId, version, settings: this.#settings });
    this.#listen();
    this.#say();
  }

  get isShown() {
    return this.#settings.view === "pages";
  }

  /** The section of the page that is looked at. */
  get section() {
    return this.#view.section;
  }

  /** @param {Spot} spot */
  async goTo(spot) {
    await this.#view.goToSpot(spot);
  }

  /**
   * @param {string} blockId @param {readonly [number, number] | null} sentence @param {readonly [number, number] | null} word
   * @returns {{getBoundingClientRect: () => DOMRect} | null} the place of the sentence on the screen
   */
  light(blockId, sentence, word) {
    const place = this.#view.light(blockId, sentence, word);
    const page = this.#view.spokenPage;
    if (this.#view.isPaged && page !== null && this.#follow.isFollowing && !this.#view.isOn(page)) this.#view.goTo(page);
    return place;
  }

  forget() {
    this.#view.forget();
  }

  /** To where the voice is, whatever its page is scrolled to. */
  goToVoice() {
    const page = this.#view.spokenPage;
    if (page !== null && !this.#view.isOn(page)) this.#view.goTo(page);
  }

  /** @param {string} command @returns {boolean} whether it is one of the pages' */
  command(command) {
    if (command === "view") this.#hasText && this.#set({ view: this.isShown ? "text" : "pages" });
    else if (!this.isShown) return false;
    else if (command === "go-to-page") this.#tools.focusNumber();
    else if (command === "larger" || command === "smaller") this.#zoom(command === "larger" ? 1 : -1);
    else return false;
    return true;
  }

  #listen() {
    const { signal } = this.#view;
    const on = (/** @type {EventTarget} */ target, /** @type {string} */ type, /** @type {(event: any) => void} */ handler) =>
      target.addEventListener(type, handler, { signal });
    on(this.#view, "page-change", () => this.#say());
    on(this.#tools, "pages-set", (event) => this.#set(event.detail));
    on(this.#tools, "pages-go", (event) => this.#view.goTo(event.detail));
    on(this.#tools, "pages-turn", (event) => this.#view.turn(event.detail));
    on(this.#tools, "pages-zoom", (event) => this.#zoom(event.detail));
    on(window, "keydown", (event) => {
      const step = event.key === "PageDown" ? 1 : event.key === "PageUp" ? -1 : 0;
      if (!step || !this.isShown || !this.#view.isPaged || event.target.closest?.("input, select, textarea, dialog, [popover]")) return;
      event.preventDefault();
      this.#view.turn(step);
    });
  }

  /** @param {1 | -1} step */
  #zoom(step) {
    const now = Math.round(this.#view.scale * 100) / 100;
    const next = step > 0 ? ZOOM_STEPS.find((zoom) => zoom > now) : ZOOM_STEPS.findLast((zoom) => zoom < now);
    if (next !== undefined) this.#set({ zoom: next });
  }

  /** @param {Partial<PageSettings>} change */
  #set(change) {
    const isOther = change.view !== undefined && change.view !== this.#settings.view;
    this.#settings = { ...this.#settings, ...change };
    keepPageSettings(this.#storage, this.#documentId, this.#settings);
    const blockId = isOther && !this.isShown ? this.#view.blockHere() : "";
    this.#show();
    this.#view.change(this.#settings);
    this.#say();
    if (isOther) this.#reader.dispatchEvent(new CustomEvent(this.isShown ? "pages-shown" : "text-shown", { detail: blockId }));
  }

  #show() {
    this.#reader.dataset.view = this.#settings.view;
    this.#view.hidden = !this.isShown;
  }

  #say() {
    const { page, pageCount: count, scale } = this.#view;
    this.#tools.show({ settings: this.#settings, page, count, scale });
  }
}

/** @returns {Promise<void>} once what the pages look like is known */
export function loadStyles() {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = STYLES;
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve(), { once: true });
    link.addEventListener("error", () => reject(new TypeError("the styles of the pages could not be loaded")), { once: true });
    document.head.append(link);
  });
}
