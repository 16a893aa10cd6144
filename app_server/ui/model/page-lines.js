/** Where the characters of a block stand on its pages, from the lines and words of its locator. */

/** @typedef {{page: number, left: number, top: number, right: number, bottom: number}} Box points from the page's upper left corner */
/** @typedef {{start: number, end: number, near: number, far: number}} PlacedWord code points in the block; edges along the line */
/** @typedef {Box & {start: number, end: number, words: PlacedWord[], isVertical: boolean}} PlacedLine */
/** @typedef {import("../api/types.js").Block} Block */

/** @type {WeakMap<Block, PlacedLine[]>} */
const known = new WeakMap();

/** @param {Block} block @returns {PlacedLine[]} in the order in which they are read */
export function linesOf(block) {
  let lines = known.get(block);
  if (!lines) {
    lines = readLines(block);
    known.set(block, lines);
  }
  return lines;
}

/** @param {Block} block @returns {PlacedLine[]} */
function readLines(block) {
  const raw = block.locator?.page?.lines ?? [];
  const letters = [...block.text];
  return raw.map((line, number) => {
    const start = line.start ?? 0;
    const end = raw[number + 1]?.start ?? letters.length;
    const starts = line.wordStarts ?? [];
    const edges = line.wordEdges ?? [];
    const words = starts.map((at, index) => ({
      start: start + at,
      end: endOfWord(letters, Math.min(end, start + (starts[index + 1] ?? end - start))),
      near: edges[2 * index] ?? 0,
      far: edges[2 * index + 1] ?? 0,
    }));
    return {
      page: line.page ?? 0, left: line.left ?? 0, top: line.top ?? 0, right: line.right ?? 0, bottom: line.bottom ?? 0,
      start, end, words, isVertical: line.isVertical ?? false,
    };
  });
}

/** Without the space behind it. @param {string[]} letters @param {number} end */
function endOfWord(letters, end) {
  let at = end;
  while (at > 0 && /\s/.test(letters[at - 1] ?? "x")) at -= 1;
  return at;
}

/** Does a line run from right to left? @param {PlacedLine} line */
export function isFromRight({ words }) {
  const [first, last] = [words[0], words.at(-1)];
  return first !== undefined && last !== undefined && last.near < first.near;
}

/**
 * One box for each line that a range of characters touches.
 * @param {Block} block @param {number} start @param {number} end @returns {Box[]}
 */
export function boxesOf(block, start, end) {
  return linesOf(block).flatMap((line) => {
    if (line.start >= end || line.end <= start) return [];
    const parts = line.words.filter((word) => word.start < end && word.end > start);
    const { page, left, top, right, bottom } = line;
    if (!parts.length) return line.words.length ? [] : [{ page, left, top, right, bottom }];
    const edges = parts.flatMap((word) => partOf(word, start, end, isFromRight(line)));
    const [near, far] = [Math.min(...edges), Math.max(...edges)];
    return [line.isVertical ? { page, left, top: near, right, bottom: far } : { page, left: near, top, right: far, bottom }];
  });
}

/**
 * The edges of what a range takes of a word, as if its letters were of one width: they are where words are not parted by
 * spaces, as in Chinese.
 * @param {PlacedWord} word @param {number} start @param {number} end @param {boolean} fromRight @returns {[number, number]}
 */
function partOf(word, start, end, fromRight) {
  const length = Math.max(1, word.end - word.start);
  const from = Math.max(0, (start - word.start) / length);
  const to = Math.min(1, (end - word.start) / length);
  const width = word.far - word.near;
  return fromRight ? [word.far - to * width, word.far - from * width] : [word.near + from * width, word.near + to * width];
}
