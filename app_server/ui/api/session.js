/** Who is signed in. */

import { send, sendJson } from "./http.js";

/** @param {AbortSignal} [signal] @returns {Promise<import("./types.js").Session>} */
export function getSession(signal) {
  return sendJson("GET", "/api/auth/session", { signal });
}

/** @param {"sign-in" | "sign-up"} way @param {{email: string, password: string}} credentials @param {AbortSignal} [signal] */
export function enter(way, credentials, signal) {
  return sendJson("POST", `/api/auth/${way}`, { json: credentials, signal });
}

export async function signOut() {
  await send("POST", "/api/auth/sign-out");
}

/** Ends all other sessions of the account. @param {{currentPassword: string, newPassword: string}} passwords @param {AbortSignal} [signal] */
export async function changePassword(passwords, signal) {
  await send("POST", "/api/auth/change-password", { json: passwords, signal });
}
