/** One page of the document on the screen: its image, what is lit on it, and its text. */

import { fragment, html } from "../../lib/html.js";
import { icon } from "../icons.js";

/** @typedef {import("../../model/page-layout.js").PageBox} PageBox */
/** @typedef {import("../../model/page-lines.js").Box} Box */
/** @typedef {import("../../model/page-tiles.js").Part} Part */
/** @typedef {import("./tiles.js").Tiles} Tiles */

/** Pixels; the same as in shared/page_images.py. */
const WIDTHS = [320, 480, 640, 800, 1000, 1200, 1600, 2000, 2400, 3200, 4000];
const MOST_PIXELS = 24_000_000;
/** What lies under squares: it is seen for a moment only. */
const UNDER_TILES = 2000;

const SILENT = "There is no text on this page to read aloud.";

/** The narrowest image that is sharp. @param {number} pixels */
export function imageWidthFor(pixels) {
  return WIDTHS.find((width) => width >= pixels - 1) ?? /** @type {number} */ (WIDTHS.at(-1));
}

export class Leaf {
  element = document.createElement("section");
  #urlOf;
  #image = document.createElement("img");
  #lit = document.createElement("div");
  text = document.createElement("div");
  #note = document.createElement("div");
  #wanted = 0;
  #isSilent = false;
  #size = { width: 1, height: 1 };
  /** Squares of it, where it is looked at closely. @type {Promise<Tiles> | null} */
  #tiles = null;
  /** @type {{size: {width: number, height: number}, pixels: number, part: Part} | null} */
  #needed = null;
  #loading = new AbortController();

  /** @param {{page: number, count: number, urlOf: (width: number, tile?: {column: number, row: number}) => string}} parts */
  constructor({ page, count, urlOf }) {
    this.#urlOf = urlOf;
    this.element.className = "leaf is-loading";
    this.element.dataset.page = String(page);
    this.element.setAttribute("aria-label", `Page ${page + 1} of ${count}`);
    this.#image.className = "leaf-image";
    this.#image.alt = "";
    this.#image.draggable = false;
    this.#lit.className = "leaf-lit";
    this.#lit.setAttribute("aria-hidden", "true");
    this.text.className = "leaf-text";
    this.#note.className = "leaf-note";
    this.#note.hidden = true;
    this.element.append(this.#image, this.#lit, this.text, this.#note);
  }

  /** @param {PageBox} box */
  place({ left, top, width, height, scale }) {
    this.#size = { width, height };
    const { style } = this.element;
    style.left = `${left}px`;
    style.top = `${top}px`;
    style.width = `${width}px`;
    style.height = `${height}px`;
    style.setProperty("--point", `${scale}px`);
  }

  /** Ask for an image that is sharp at a width; a narrower one stays until it is here. @param {number} pixels @param {Part} seen of the page */
  draw(pixels, seen) {
    const isWhole = pixels <= this.#widest + 1;
    if (isWhole) this.#closeTiles();
    else void this.#drawTiles(pixels, seen);
    const width = imageWidthFor(isWhole ? pixels : UNDER_TILES);
    if (width === this.#wanted) return;
    // Making the page smaller needs no new image.
    if (this.#wanted > width && this.element.dataset.image) return;
    this.#load(width);
  }

  /** That a picture of the whole page can be. */
  get #widest() {
    const { width, height } = this.#size;
    return Math.min(/** @type {number} */ (WIDTHS.at(-1)), Math.sqrt((MOST_PIXELS * width) / height));
  }

  /** @param {number} pixels @param {Part} part */
  async #drawTiles(pixels, part) {
    if (part.left >= part.right || part.top >= part.bottom) return this.#closeTiles();
    this.#tiles ??= this.#newTiles();
    const size = this.#size;
    const wanted = (this.#needed = { size, pixels, part });
    const tiles = await this.#tiles.catch(() => null);
    if (!tiles) this.#tiles = null; // asked for again with the next movement
    else if (wanted === this.#needed) tiles.show(wanted);
    return undefined;
  }

  async #newTiles() {
    const { Tiles } = await import("./tiles.js");
    const tiles = new Tiles({ urlOf: this.#urlOf });
    this.#image.after(tiles.element);
    return tiles;
  }

  #closeTiles() {
    this.#needed = null;
    void this.#tiles?.then((tiles) => tiles.close(), () => undefined);
    this.#tiles = null;
  }

  /** @param {number} width */
  #load(width) {
    this.#wanted = width;
    this.#loading.abort();
    const loading = (this.#loading = new AbortController());
    const { signal } = loading;
    this.#say(this.#isSilent ? SILENT : "");
    const next = new Image();
    signal.addEventListener("abort", () => next.removeAttribute("src"), { once: true });
    next.decoding = "async";
    next.src = this.#urlOf(width);
    // Not before it can be painted at once: in the place of the present one it would be a blank page until then.
    next.decode().then(
      () => signal.aborted || this.#show(next, width),
      () => signal.aborted || this.#fail(width),
    );
  }

  /** @param {HTMLImageElement} image @param {number} width */
  #show(image, width) {
    image.className = this.#image.className;
    image.alt = this.#image.alt;
    image.draggable = false;
    this.#image.replaceWith(image);
    this.#image = image;
    this.element.dataset.image = String(width);
    this.element.classList.remove("is-loading");
  }

  /** @param {number} width */
  #fail(width) {
    if (this.element.dataset.image) return; // the one that is shown will do
    this.element.classList.remove("is-loading");
    this.#say("This page could not be shown.", () => this.#load(width));
  }

  /** What a page without text says. */
  sayThatItIsSilent() {
    this.#image.alt = "A picture of a page, without text";
    this.element.classList.add("is-silent");
    this.#isSilent = true;
    if (this.#note.hidden) this.#say(SILENT);
  }

  /** @param {string} message @param {() => void} [again] */
  #say(message, again) {
    this.#note.hidden = !message;
    this.#note.replaceChildren(fragment(html`<p>${message}</p>${again ? html`<button type="button" class="button button-small">${icon("retry")} Try again</button>` : ""}`));
    this.#note.classList.toggle("is-failure", again !== undefined);
    if (again) {
      this.#note.setAttribute("role", "alert");
      this.#note.querySelector("button")?.addEventListener("click", (event) => {
        event.stopPropagation();
        this.element.classList.add("is-loading");
        again();
      }, { once: true });
    }
  }

  /** @param {Box[]} sentence @param {Box[]} word */
  light(sentence, word) {
    const boxes = [...sentence.map((box) => /** @type {const} */ ([box, "lit-sentence"])), ...word.map((box) => /** @type {const} */ ([box, "lit-word"]))];
    while (this.#lit.children.length > boxes.length) this.#lit.lastChild?.remove();
    boxes.forEach(([box, kind], index) => {
      const element = /** @type {HTMLElement} */ (this.#lit.children[index] ?? this.#lit.appendChild(document.createElement("span")));
      element.className = kind;
      for (const [name, value] of /** @type {const} */ ([["--x", box.left], ["--y", box.top], ["--w", box.right - box.left], ["--h", box.bottom - box.top]])) {
        element.style.setProperty(name, String(Math.round(value * 10) / 10));
      }
    });
  }

  close() {
    this.#loading.abort();
    this.#closeTiles();
    this.element.remove();
  }
}
