/** The character and the word under a point. */

import { toCodePoints, toUtf16 } from "../model/offsets.js";

/** @param {number} x @param {number} y @returns {{node: Node, offset: number} | null} */
export function caretAt(x, y) {
  const page = /** @type {any} */ (document);
  if (page.caretPositionFromPoint) {
    const position = page.caretPositionFromPoint(x, y);
    return position && { node: position.offsetNode, offset: position.offset };
  }
  const range = page.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

/** @param {string} text @param {number} offset code points @param {string} language */
export function wordStart(text, offset, language) {
  const units = toUtf16(text, offset);
  // A window around the point: segmenting a whole long block for one click would be felt.
  const from = Math.max(0, units - 60);
  const segments = new Intl.Segmenter(language || undefined, { granularity: "word" }).segment(text.slice(from, units + 60));
  const word = segments.containing(Math.min(units - from, Math.max(0, text.length - from - 1)));
  return word ? toCodePoints(text, from + word.index) : offset;
}
