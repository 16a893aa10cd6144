/** What limits leave, and the administrators' policy document. */

import { sendJson } from "./http.js";

/**
 * @typedef {object} Limit
 * @property {string} action
 * @property {string} doing such as "new speech"
 * @property {"user" | "anonymous_device" | "ip"} scope
 * @property {"starts" | "characters" | "input_bytes" | "files"} metric
 * @property {number} limit
 * @property {number} used
 * @property {number} left
 * @property {number} [windowSeconds] of starts
 * @property {string} [resetsAt] while something is used
 */
/** @typedef {{dayEndsAt: string, limits: Limit[]}} Usage */
/** @typedef {{policies: any, defaults: any, source: "default" | "seed" | "admin"}} Policies */

const PATH = "/api/admin/compute-limits";

/** @param {AbortSignal} signal @returns {Promise<Usage>} */
export function getUsage(signal) {
  return sendJson("GET", "/api/usage", { signal });
}

/** @param {AbortSignal} signal @returns {Promise<Policies>} */
export function getPolicies(signal) {
  return sendJson("GET", PATH, { signal });
}

/** The whole document. @param {unknown} policies @param {AbortSignal} signal @returns {Promise<Policies>} */
export function replacePolicies(policies, signal) {
  return sendJson("PUT", PATH, { json: policies, signal });
}

/** @param {AbortSignal} signal @returns {Promise<Policies>} */
export function resetPolicies(signal) {
  return sendJson("DELETE", PATH, { signal });
}
