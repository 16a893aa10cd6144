/** Character offsets: the server counts Unicode code points, the DOM counts UTF-16 units. */

const SURROGATE = /[\uD800-\uDFFF]/;

/**
 * @param {string} text
 * @param {number} codePoints how many to walk from the start
 * @returns {number} UTF-16 units, at most the text's length
 */
export function toUtf16(text, codePoints) {
  if (codePoints <= 0) return 0;
  if (!SURROGATE.test(text)) return Math.min(codePoints, text.length);
  let units = 0;
  for (let walked = 0; walked < codePoints && units < text.length; walked += 1) {
    units += /** @type {number} */ (text.codePointAt(units)) > 0xffff ? 2 : 1;
  }
  return units;
}

/**
 * @param {string} text
 * @param {number} units UTF-16 units from the start; inside a pair counts as before it
 * @returns {number} code points
 */
export function toCodePoints(text, units) {
  const end = Math.min(units, text.length);
  if (!SURROGATE.test(text)) return Math.max(end, 0);
  let walked = 0;
  for (let unit = 0; unit < end; walked += 1) {
    unit += /** @type {number} */ (text.codePointAt(unit)) > 0xffff ? 2 : 1;
    if (unit > end) break;
  }
  return walked;
}
