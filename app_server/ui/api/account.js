/** One's own account: what is done by e-mail, sessions, exports, deletion. */

import { send, sendJson } from "./http.js";

/** @typedef {{email: string, emailVerified: boolean, hasPassword: boolean, sendsEmail: boolean, documentCount: number, storedBytes: number}} Account */
/** @typedef {{id: string, isCurrent: boolean, device: string, address: string, createdAt: string, lastSeenAt: string}} DeviceSession */
/** @typedef {{id: string, state: "queued" | "running" | "ready" | "failed", requestedAt: string, done: number, total: number, sizeBytes: number | null, expiresAt: string | null, failure: string | null}} AccountExport */

/** @param {string} email @param {AbortSignal} [signal] */
export async function forgotPassword(email, signal) {
  await send("POST", "/api/auth/forgot-password", { json: { email }, signal });
}

/** @param {{token: string, newPassword: string}} reset @param {AbortSignal} [signal] */
export async function resetPassword(reset, signal) {
  await send("POST", "/api/auth/reset-password", { json: reset, signal });
}

/** @param {string} token @param {AbortSignal} [signal] @returns {Promise<{purpose: "verify" | "change", email: string}>} */
export function confirmEmail(token, signal) {
  return sendJson("POST", "/api/auth/confirm-email", { json: { token }, signal });
}

/** @param {{newEmail: string, currentPassword: string}} change @param {AbortSignal} [signal] @returns {Promise<{state: "changed" | "waiting"}>} */
export function changeEmail(change, signal) {
  return sendJson("POST", "/api/user/email", { json: change, signal });
}

/** @param {AbortSignal} [signal] @returns {Promise<Account>} */
export function getAccount(signal) {
  return sendJson("GET", "/api/user/account", { signal });
}

/** @param {AbortSignal} [signal] @returns {Promise<DeviceSession[]>} */
export async function listSessions(signal) {
  return (await sendJson("GET", "/api/user/sessions", { signal })).sessions;
}

/** @param {string} id */
export async function endSession(id) {
  await send("DELETE", `/api/user/sessions/${encodeURIComponent(id)}`);
}

export async function endOtherSessions() {
  await send("DELETE", "/api/user/sessions");
}

/** @param {AbortSignal} [signal] @returns {Promise<AccountExport[]>} */
export async function listExports(signal) {
  return (await sendJson("GET", "/api/user/exports", { signal })).exports;
}

/** @returns {Promise<AccountExport>} */
export async function startExport() {
  return (await sendJson("POST", "/api/user/export")).export;
}

/** @param {string} id */
export async function deleteExport(id) {
  await send("DELETE", `/api/user/exports/${encodeURIComponent(id)}`);
}

/** @param {{currentPassword: string}} proof @param {AbortSignal} [signal] */
export async function deleteAccount(proof, signal) {
  await send("DELETE", "/api/account", { json: proof, signal });
}
