/** Where the pages of a document lie in a view of a given size: arithmetic only, so that any page can be found at once. */

import { lastAtMost } from "./search.js";

/** @typedef {{width: number, height: number}} Size */
/** @typedef {{left: number, top: number, width: number, height: number, scale: number}} PageBox scale: pixels for a point */
/** "width" and "page" fit the view, a number is a share of the printed size. @typedef {"width" | "page" | number} Zoom */
/** @typedef {"scroll" | "single" | "double"} Flow */

export const ZOOM_STEPS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4];
/** Pixels for a point at the printed size. */
const PRINTED = 96 / 72;
const GAP = 16;
const LEAST_SCALE = 0.05;

export class PageLayout {
  #sizes;
  /** @type {PageBox[]} */
  #boxes = [];
  /** Pages side by side. @type {number[][]} */
  #rows = [];
  /** @type {number[]} */
  #rowOf = [];
  /** @type {number[]} */
  #tops = [];
  height = 0;
  width = 0;
  isPaged = false;

  /** @param {readonly Size[]} sizes in points */
  constructor(sizes) {
    this.#sizes = sizes.map(({ width, height }) => ({ width: Math.max(width, 1), height: Math.max(height, 1) }));
  }

  get pageCount() {
    return this.#sizes.length;
  }

  /** @param {{view: Size, flow: Flow, zoom: Zoom, margin: number}} wanted view and margin in pixels */
  arrange({ view, flow, zoom, margin }) {
    this.isPaged = flow !== "scroll";
    this.#rows = rowsOf(this.#sizes.length, flow);
    const room = { width: Math.max(80, view.width - 2 * margin), height: Math.max(80, view.height - 2 * margin) };
    const widths = this.#rows.map((row) => this.#rowSize(row));
    const scales = this.#scales(widths, room, zoom);
    this.width = Math.max(view.width, ...widths.map(({ width }, row) => width * /** @type {number} */ (scales[row]) + 2 * margin));
    this.#tops = [];
    let top = margin;
    this.#rows.forEach((row, number) => {
      if (this.isPaged) top = margin;
      this.#tops.push(top);
      top += this.#place(row, number, top, /** @type {number} */ (scales[number])) + GAP;
    });
    this.height = top - GAP + margin;
  }

  /** @param {number} page @returns {PageBox} */
  box(page) {
    return /** @type {PageBox} */ (this.#boxes[page]);
  }

  /** How high the view of a page is: in a paged flow only its row is shown. @param {number} page @param {number} margin */
  heightAround(page, margin) {
    if (!this.isPaged) return this.height;
    return Math.max(...this.rowWith(page).map((other) => this.box(other).height)) + 2 * margin;
  }

  /** The pages beside a page, it included. @param {number} page @returns {number[]} */
  rowWith(page) {
    return this.#rows[this.#rowOf[page] ?? 0] ?? [];
  }

  /** The first page of the row that many rows on. @param {number} page @param {number} rows */
  turned(page, rows) {
    const wanted = Math.min(this.#rows.length - 1, Math.max(0, (this.#rowOf[page] ?? 0) + rows));
    return this.#rows[wanted]?.[0] ?? 0;
  }

  /** Of a scrolled flow: the pages that lie between two heights. @param {number} top @param {number} bottom @returns {number[]} */
  between(top, bottom) {
    const first = Math.max(0, lastAtMost(this.#tops, top, (at) => at));
    const last = Math.max(first, lastAtMost(this.#tops, bottom, (at) => at));
    return this.#rows.slice(first, last + 1).flat();
  }

  /** @param {number} y @returns {number} */
  pageAt(y) {
    return this.#rows[Math.max(0, lastAtMost(this.#tops, y, (at) => at))]?.[0] ?? 0;
  }

  /** @param {number[]} row @returns {Size} in points */
  #rowSize(row) {
    const sizes = row.map((page) => /** @type {Size} */ (this.#sizes[page]));
    return { width: sizes.reduce((sum, { width }) => sum + width, 0), height: Math.max(...sizes.map(({ height }) => height)) };
  }

  /**
   * What fits is measured by the usual page; a larger one is made to fit, too.
   * @param {Size[]} rows @param {Size} room @param {Zoom} zoom @returns {number[]}
   */
  #scales(rows, room, zoom) {
    if (typeof zoom === "number") return rows.map(() => Math.max(LEAST_SCALE, zoom * PRINTED));
    const usual = { width: middleOf(rows.map(({ width }) => width)), height: middleOf(rows.map(({ height }) => height)) };
    const fitting = (/** @type {Size} */ { width, height }) => Math.min(room.width / width, zoom === "page" ? room.height / height : Infinity);
    const scale = fitting(usual);
    return rows.map((row) => Math.max(LEAST_SCALE, Math.min(scale, fitting(row))));
  }

  /** @param {number[]} row @param {number} number @param {number} top @param {number} scale @returns {number} its height */
  #place(row, number, top, scale) {
    const size = this.#rowSize(row);
    let left = Math.max(0, (this.width - size.width * scale) / 2);
    for (const page of row) {
      const { width, height } = /** @type {Size} */ (this.#sizes[page]);
      this.#boxes[page] = { left, top, width: width * scale, height: height * scale, scale };
      this.#rowOf[page] = number;
      left += width * scale;
    }
    return size.height * scale;
  }
}

/** In twos the first page stands alone, as in a book. @param {number} count @param {Flow} flow @returns {number[][]} */
function rowsOf(count, flow) {
  if (flow !== "double") return Array.from({ length: count }, (_, page) => [page]);
  const rows = count ? [[0]] : [];
  for (let page = 1; page < count; page += 2) rows.push(page + 1 < count ? [page, page + 1] : [page]);
  return rows;
}

/** @param {number[]} values */
function middleOf(values) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 1;
}
