/** Places in a JSON document (RFC 6901), by which the server names what is wrong. */

/** @param {string} pointer @returns {string[]} */
function steps(pointer) {
  return pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** @param {any} document @param {string} pointer "" is all of it */
export function valueAt(document, pointer) {
  return steps(pointer).reduce((value, step) => value?.[step], document);
}

/** Another document with another value there. @param {any} document @param {string} pointer @param {unknown} value @returns {any} */
export function withValue(document, pointer, value) {
  const changed = structuredClone(document);
  const path = steps(pointer);
  const last = path.pop();
  if (last === undefined) return value;
  path.reduce((place, step) => place[step], changed)[last] = value;
  return changed;
}
