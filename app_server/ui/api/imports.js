/** Ways into the library other than an upload, and what a document is called there. */

import { sendJson } from "./http.js";

/** @typedef {import("./types.js").Added} Added */
/** @typedef {import("./types.js").LibraryDocument} LibraryDocument */
/** @typedef {{root: number, name: string, problem: string | null}} ServerRoot */
/** @typedef {{name: string, path: string, isFolder: boolean, sizeBytes: number | null, modifiedAt: string | null}} ServerEntry */
/** @typedef {{entries: ServerEntry[], total: number, nextOffset: number | null, isComplete: boolean}} ServerListing */

/** @param {{text: string, title: string, kind: string}} pasted @returns {Promise<Added>} */
export async function addText(pasted) {
  return await sendJson("POST", "/api/imports/text", { json: pasted });
}

/** @param {string} address @returns {Promise<Added>} */
export async function addWebPage(address) {
  return await sendJson("POST", "/api/imports/web-page", { json: { address } });
}

/** @param {AbortSignal} signal @returns {Promise<ServerRoot[]>} */
export async function listServerRoots(signal) {
  return (await sendJson("GET", "/api/server-folders", { signal })).roots;
}

/**
 * @param {{root: number, path: string, search?: string, offset?: number}} place
 * @param {AbortSignal} signal
 * @returns {Promise<ServerListing>}
 */
export async function listServerFolder({ root, path, search = "", offset = 0 }, signal) {
  const query = new URLSearchParams({ root: String(root), path, search, offset: String(offset) });
  return await sendJson("GET", `/api/server-folders/entries?${query}`, { signal });
}

/** @param {{root: number, path: string}} file @param {AbortSignal} signal @returns {Promise<Added>} */
export async function addServerFile({ root, path }, signal) {
  return await sendJson("POST", "/api/server-folders/imports", { json: { root, path }, signal });
}

/**
 * What is null goes back to what the file itself says.
 * @param {string} id
 * @param {{title?: string | null, authors?: string[] | null, language?: string | null}} changes
 * @returns {Promise<LibraryDocument>}
 */
export async function changeDocument(id, changes) {
  return (await sendJson("PATCH", `/api/documents/${encodeURIComponent(id)}`, { json: changes })).document;
}
