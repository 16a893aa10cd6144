/** Who is signed in. */

import { send, sendJson } from "./http.js";

/** @param {AbortSignal} [signal] @returns {Promise<import("./types.js").Session>} */
export function getSession(signal) {
  return sendJson("GET", "/api/auth/session", { signal });
}

/**
 * @param {"sign-in" | "sign-up"} way
 * @param {{email: string, password: string}} credentials
 * @param {AbortSignal} [signal]
 * @returns {Promise<boolean>} false when a message tells how to go on
 */
export async function enter(way, credentials, signal) {
  return (await send("POST", `/api/auth/${way}`, { json: credentials, signal })).status !== 202;
}

export async function signOut() {
  await send("POST", "/api/auth/sign-out");
}

/** Ends all other sessions of the account. @param {{currentPassword: string, newPassword: string}} passwords @param {AbortSignal} [signal] */
export async function changePassword(passwords, signal) {
  await send("POST", "/api/auth/change-password", { json: passwords, signal });
}

/** @param {AbortSignal} [signal] @returns {Promise<{user: import("./types.js").User}>} */
export function enterAsGuest(signal) {
  return sendJson("POST", "/api/auth/guest", { signal });
}

/**
 * Where to go for signing in at a provider, or for adding it to the account that is signed in.
 * @param {string} providerId
 * @param {{next?: string, link?: boolean}} options
 * @param {AbortSignal} [signal]
 * @returns {Promise<{url: string}>}
 */
export function beginExternal(providerId, options, signal) {
  return sendJson("POST", `/api/auth/external/${encodeURIComponent(providerId)}`, { json: options, signal });
}
