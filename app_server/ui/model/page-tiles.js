/** Which squares of a page's picture are needed where no picture of a whole page is wide enough: arithmetic only. */

/** @typedef {import("./page-layout.js").Size} Size */
/** A part of a page, as shares of its width and height. @typedef {{left: number, top: number, right: number, bottom: number}} Part */
/** Its place is in shares of the page, too. @typedef {{column: number, row: number, left: number, top: number, width: number, height: number}} Tile */

/** Pixels; the same as in shared/page_images.py. */
const TILED_WIDTHS = [320, 480, 640, 800, 1000, 1200, 1600, 2000, 2400, 3200, 4000, 5600, 8000, 11200, 16000, 22400, 32000];
const TILE = 1024;

/**
 * The squares that show a part of a page, those in its middle first.
 * @param {{size: Size, pixels: number, part: Part}} wanted pixels: how wide the page is on the screen
 * @returns {{width: number, tiles: Tile[]}}
 */
export function tilesOf({ size, pixels, part }) {
  const width = TILED_WIDTHS.find((offered) => offered >= pixels - 1) ?? /** @type {number} */ (TILED_WIDTHS.at(-1));
  const height = Math.max(1, Math.round((width * size.height) / size.width));
  const columns = numbers(part.left * width, part.right * width, width);
  const rows = numbers(part.top * height, part.bottom * height, height);
  const middle = { column: middleOf(columns), row: middleOf(rows) };
  const away = (/** @type {Tile} */ { column, row }) => Math.hypot(column - middle.column, row - middle.row);
  const tiles = rows.flatMap((row) => columns.map((column) => ({
    column, row,
    left: (column * TILE) / width,
    top: (row * TILE) / height,
    width: Math.min(TILE, width - column * TILE) / width,
    height: Math.min(TILE, height - row * TILE) / height,
  })));
  return { width, tiles: tiles.sort((left, right) => away(left) - away(right)) };
}

/** The squares in a row that hold a stretch of it. @param {number} from @param {number} to @param {number} length all in pixels */
function numbers(from, to, length) {
  const first = Math.floor(Math.max(0, from) / TILE);
  const last = Math.ceil(Math.min(length, to) / TILE);
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
}

/** @param {number[]} found */
function middleOf(found) {
  return ((found[0] ?? 0) + (found.at(-1) ?? 0)) / 2;
}
