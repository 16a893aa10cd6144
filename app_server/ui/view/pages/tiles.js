/**
 * Squares of a page over its picture, where it is looked at so closely that the picture is not sharp any more. Until they
 * are here, what was there before is seen.
 */

import { tilesOf } from "../../model/page-tiles.js";

/** @typedef {import("../../model/page-tiles.js").Tile} Tile */

export class Tiles {
  element = document.createElement("div");
  #urlOf;
  /** @type {Map<string, HTMLImageElement>} */
  #images = new Map();
  /** @type {Set<string>} */
  #wanted = new Set();

  /** @param {{urlOf: (width: number, tile: Tile) => string}} parts */
  constructor({ urlOf }) {
    this.#urlOf = urlOf;
    this.element.className = "leaf-tiles";
  }

  /** @param {Parameters<typeof tilesOf>[0]} needed */
  show(needed) {
    const { width, tiles } = tilesOf(needed);
    this.#wanted = new Set(tiles.map((tile) => keyOf(width, tile)));
    for (const tile of tiles) if (!this.#images.has(keyOf(width, tile))) this.#add(width, tile);
    this.#tidy();
  }

  /** @param {number} width @param {Tile} tile */
  #add(width, tile) {
    const key = keyOf(width, tile);
    const image = new Image();
    image.alt = "";
    image.draggable = false;
    for (const side of /** @type {const} */ (["left", "top", "width", "height"])) image.style[side] = `${tile[side] * 100}%`;
    image.src = this.#urlOf(width, tile);
    // What fails is asked for again with the next movement; the page's picture lies under it.
    image.decode().then(() => this.#show(image), () => this.#remove(key, image));
    this.#images.set(key, image);
    this.element.append(image);
  }

  /** @param {HTMLImageElement} image */
  #show(image) {
    image.dataset.width = String(image.naturalWidth);
    this.#tidy();
  }

  /** What is on its way and not wanted any more is called off, what is seen stays until all of the new ones are here. */
  #tidy() {
    const areHere = [...this.#wanted].every((key) => this.#images.get(key)?.dataset.width);
    for (const [key, image] of this.#images) {
      if (!this.#wanted.has(key) && (areHere || !image.dataset.width)) this.#remove(key, image);
    }
  }

  /** @param {string} key @param {HTMLImageElement} image */
  #remove(key, image) {
    if (this.#images.get(key) !== image) return;
    this.#images.delete(key);
    image.removeAttribute("src");
    image.remove();
  }

  close() {
    for (const [key, image] of this.#images) this.#remove(key, image);
    this.element.remove();
  }
}

/** @param {number} width @param {Tile} tile */
function keyOf(width, { column, row }) {
  return `${width}-${column}-${row}`;
}
