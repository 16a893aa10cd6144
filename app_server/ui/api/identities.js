/** The ways to sign in that the account has. */

import { send, sendJson } from "./http.js";

/** @typedef {{id: string, providerId: string, providerName: string, email: string, name: string, linkedAt: string}} Identity */
/** @typedef {{hasPassword: boolean, identities: Identity[]}} WaysIn */

/** @param {AbortSignal} [signal] @returns {Promise<WaysIn>} */
export function listIdentities(signal) {
  return sendJson("GET", "/api/user/identities", { signal });
}

/** @param {string} id @param {AbortSignal} [signal] */
export async function removeIdentity(id, signal) {
  await send("DELETE", `/api/user/identities/${encodeURIComponent(id)}`, { signal });
}
