/** What is read of a document, and how words are said. */

import { sendJson } from "./http.js";

/** @typedef {{kind: "literal" | "word" | "regexp", pattern: string, replacement: string, matchCase: boolean}} Rule */
/** @typedef {{includeRoles: string[], skipRoles: string[], skipCitations: boolean, skipBrackets: boolean, rules: Rule[]}} ReadingOptions */

const RULES = "/api/user/pronunciation";

/** @param {string} documentId */
const path = (documentId) => `/api/documents/${encodeURIComponent(documentId)}/reading-options`;

/** @param {string} documentId @param {AbortSignal} [signal] @returns {Promise<ReadingOptions>} */
export function getReadingOptions(documentId, signal) {
  return sendJson("GET", path(documentId), { signal });
}

/** @param {string} documentId @param {ReadingOptions} options @returns {Promise<ReadingOptions>} */
export function putReadingOptions(documentId, options) {
  return sendJson("PUT", path(documentId), { json: options });
}

/** One's own, for all documents. @param {AbortSignal} [signal] @returns {Promise<Rule[]>} */
export async function getRules(signal) {
  return (await sendJson("GET", RULES, { signal })).rules;
}

/** @param {Rule[]} rules @returns {Promise<Rule[]>} */
export async function putRules(rules) {
  return (await sendJson("PUT", RULES, { json: { rules } })).rules;
}

/**
 * What rules make of a text, and which of them (by place) were left out as they take too long on it.
 * @param {Rule[]} rules @param {string} text @param {AbortSignal} [signal] @returns {Promise<{said: string, leftOut: number[]}>}
 */
export function sampleOf(rules, text, signal) {
  return sendJson("POST", "/api/tts/pronunciation-sample", { json: { rules, text }, signal });
}
