/** The text of a document and the place the reader is at. */

import { send, sendJson } from "./http.js";

/** @typedef {import("./types.js").ReadingDocument} ReadingDocument */
/** @typedef {import("./types.js").Section} Section */
/** @typedef {import("./types.js").TocEntry} TocEntry */

/** @param {string} documentId @param {string} rest */
const path = (documentId, rest) => `/api/documents/${encodeURIComponent(documentId)}/${rest}`;

/** @param {any} entry @returns {TocEntry} */
function tocEntry(entry) {
  return { title: "", section: 0, blockId: "", ...entry, children: (entry.children ?? []).map(tocEntry) };
}

/** @param {string} documentId @param {AbortSignal} [signal] @returns {Promise<ReadingDocument>} */
export async function getReading(documentId, signal) {
  const answer = await sendJson("GET", path(documentId, "reading"), { signal });
  return {
    title: answer.title ?? "",
    authors: answer.authors ?? [],
    language: answer.language ?? "",
    toc: (answer.toc ?? []).map(tocEntry),
    sections: (answer.sections ?? []).map((/** @type {any} */ section, /** @type {number} */ index) => ({
      index, title: "", firstSentence: 0, sentenceCount: 0, characterCount: 0, blockCount: 0, firstPage: 0, lastPage: 0, ...section,
    })),
    warnings: answer.warnings ?? [],
    parserVersion: answer.parserVersion ?? "",
    fonts: answer.fonts ?? [],
    narration: answer.narration ?? null,
    pages: (answer.pages ?? []).map((/** @type {any} */ page) => ({ width: 0, height: 0, ...page })),
  };
}

/**
 * @param {string} documentId @param {number} index
 * @param {string} parserVersion of the reading document that it belongs to
 * @param {AbortSignal} [signal] @returns {Promise<Section>}
 */
export async function getSection(documentId, index, parserVersion, signal) {
  const answer = await sendJson("GET", path(documentId, `sections/${index}?parser=${encodeURIComponent(parserVersion)}`), { signal });
  const blocks = (answer.blocks ?? []).map((/** @type {any} */ block) => ({
    id: "", role: "", headingLevel: 0, text: "", language: "", ...block,
    sentences: (block.sentences ?? []).map((/** @type {any} */ sentence) => ({ ordinal: 0, start: 0, end: 0, ...sentence })),
  }));
  return { index, title: "", html: "", language: "", direction: "", ...answer, blocks };
}

/** @param {string} documentId @param {string} name */
export function resourceUrl(documentId, name) {
  return path(documentId, `resources/${name.split("/").map(encodeURIComponent).join("/")}`);
}

/**
 * @param {string} documentId @param {number} page @param {{width: number, version: string}} image width: in pixels, one of those offered
 * @param {{column: number, row: number}} [tile] a square of it
 */
export function pageImageUrl(documentId, page, { width, version }, tile) {
  const part = tile ? `&column=${tile.column}&row=${tile.row}` : "";
  return path(documentId, `pages/${page}/image?width=${width}${part}&version=${version}`);
}

/**
 * @param {string} documentId
 * @param {import("./types.js").Position & {parser: string}} position parser: the version whose blocks it names
 * @param {{keepalive?: boolean, signal?: AbortSignal}} [options] keepalive lets it outlive the page
 */
export async function putPosition(documentId, position, options) {
  await send("PUT", path(documentId, "position"), { json: position, ...options });
}
