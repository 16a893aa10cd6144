/** How the pages of each document were looked at last on this device; a new one begins as the last one was left. */

/** @typedef {import("./page-layout.js").Zoom} Zoom */
/** @typedef {import("./page-layout.js").Flow} Flow */
/** @typedef {{view: "pages" | "text", zoom: Zoom, flow: Flow}} PageSettings */

const KEY = "lectern.pages";
const MOST_DOCUMENTS = 200;
/** @type {PageSettings} */
const DEFAULTS = { view: "pages", zoom: "width", flow: "scroll" };

/** @param {Pick<Storage, "getItem"> | null} storage @param {string} documentId @returns {PageSettings} */
export function readPageSettings(storage, documentId) {
  const known = readAll(storage);
  const own = known.find(([id]) => id === documentId);
  const last = known.at(-1)?.[1];
  return { ...DEFAULTS, ...(last && { zoom: last.zoom, flow: last.flow }), ...own?.[1] };
}

/** @param {Pick<Storage, "getItem" | "setItem"> | null} storage @param {string} documentId @param {PageSettings} settings */
export function keepPageSettings(storage, documentId, settings) {
  const others = readAll(storage).filter(([id]) => id !== documentId);
  try {
    storage?.setItem(KEY, JSON.stringify([...others, [documentId, settings]].slice(-MOST_DOCUMENTS)));
  } catch {
    // Full or forbidden: the choice holds until the page is closed.
  }
}

/** @param {Pick<Storage, "getItem"> | null} storage @returns {[string, PageSettings][]} */
function readAll(storage) {
  try {
    const known = JSON.parse(storage?.getItem(KEY) ?? "[]");
    return Array.isArray(known) ? known.filter((entry) => Array.isArray(entry) && typeof entry[0] === "string") : [];
  } catch {
    return [];
  }
}
