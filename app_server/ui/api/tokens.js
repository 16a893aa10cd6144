/** API tokens of one's own. */

import { send, sendJson } from "./http.js";

/** @typedef {{id: string, name: string, scopes: string[], createdAt: string, expiresAt: string | null, lastUsedAt: string | null}} ApiToken */
/** @typedef {{tokens: ApiToken[], scopes: string[]}} ApiTokens */

/** @param {AbortSignal} [signal] @returns {Promise<ApiTokens>} */
export function listTokens(signal) {
  return sendJson("GET", "/api/user/tokens", { signal });
}

/** @param {{name: string, scopes: string[], expiresInDays: number | null}} token @param {AbortSignal} [signal] @returns {Promise<{token: ApiToken, secret: string}>} */
export function createToken(token, signal) {
  return sendJson("POST", "/api/user/tokens", { json: token, signal });
}

/** @param {string} id */
export async function revokeToken(id) {
  await send("DELETE", `/api/user/tokens/${encodeURIComponent(id)}`);
}
