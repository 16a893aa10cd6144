/** What administrators do. */

import { send, sendJson } from "./http.js";

/** @typedef {{state: "none" | "set" | "unreadable", ending: string}} KeyState */
/**
 * @typedef {object} ManagedProvider
 * @property {string} slug
 * @property {string} displayName
 * @property {string} providerType
 * @property {string} baseUrl
 * @property {string} defaultModel
 * @property {string} defaultInstructions
 * @property {boolean} enabled
 * @property {KeyState} apiKey
 */
/** @typedef {{id: string, label: string, status: "ok" | "warn" | "error" | "skipped", detail: string, fix: string}} CheckItem */
/** @typedef {{key: string, value: any, default: any, source: "default" | "seed" | "admin"}} Feature */
/**
 * @typedef {object} ManagedUser
 * @property {string} id
 * @property {string} email
 * @property {"account" | "anonymous" | "local"} kind
 * @property {"active" | "pending" | "suspended"} status
 * @property {"member" | "admin"} role
 * @property {boolean} mustChangePassword
 * @property {string} createdAt
 * @property {string | null} lastSeenAt
 * @property {number} documentCount
 * @property {number} storedBytes
 * @property {number} spokenCharacters
 */
/** @typedef {{users: ManagedUser[], total: number, pageSize: number, pending: number}} UserPage */
/** @typedef {{baseUrl: string, soundUrl: string, objectUrl: string | null, objectText: string}} BrowserFacts */
/** @typedef {{id: string, at: string, actorEmail: string, action: string, target: string, details: Record<string, unknown>}} AuditEntry */
/** @typedef {{entries: AuditEntry[], total: number, pageSize: number}} AuditPage */
/**
 * @typedef {object} EmailSettings
 * @property {boolean} enabled
 * @property {string} senderName
 * @property {string} senderEmail
 * @property {string | null} replyTo
 * @property {boolean} hasKey
 * @property {string} keyEnding
 * @property {boolean} keyIsReadable
 * @property {boolean} ownAddressConfirmed
 * @property {{queued: number, lastSentAt: string | null, failedAt: string | null, failure: string | null}} queue
 */

/** @param {AbortSignal} signal @returns {Promise<ManagedProvider[]>} */
export async function listManagedProviders(signal) {
  return (await sendJson("GET", "/api/admin/providers", { signal })).providers;
}

/** @param {object} provider @param {AbortSignal} signal */
export function createProvider(provider, signal) {
  return sendJson("POST", "/api/admin/providers", { json: provider, signal });
}

/** @param {string} slug @param {object} provider @param {AbortSignal} signal */
export function changeProvider(slug, provider, signal) {
  return sendJson("PUT", `/api/admin/providers/${encodeURIComponent(slug)}`, { json: provider, signal });
}

/** @param {string} slug @param {AbortSignal} signal */
export async function deleteProvider(slug, signal) {
  await send("DELETE", `/api/admin/providers/${encodeURIComponent(slug)}`, { signal });
}

/** @param {string} slug @param {AbortSignal} signal @returns {Promise<CheckItem[]>} */
export async function testProvider(slug, signal) {
  return (await sendJson("POST", `/api/admin/providers/${encodeURIComponent(slug)}/test`, { signal })).steps;
}

/** @param {AbortSignal} signal @returns {Promise<Feature[]>} */
export async function listFeatures(signal) {
  return (await sendJson("GET", "/api/admin/features", { signal })).features;
}

/** @param {Record<string, unknown>} values by key @param {AbortSignal} signal @returns {Promise<Feature[]>} */
export async function changeFeatures(values, signal) {
  return (await sendJson("PATCH", "/api/admin/features", { json: values, signal })).features;
}

/** @param {string[]} keys @param {AbortSignal} signal @returns {Promise<Feature[]>} */
export async function resetFeatures(keys, signal) {
  return (await sendJson("POST", "/api/admin/features/reset", { json: { keys }, signal })).features;
}

/** @param {Record<string, string>} query empty values don't filter @param {AbortSignal} signal @returns {Promise<UserPage>} */
export function listUsers(query, signal) {
  return sendJson("GET", `/api/admin/users?${filled(query)}`, { signal });
}

/** @param {string} id @param {{role?: string, status?: string}} change @param {AbortSignal} signal */
export async function changeUser(id, change, signal) {
  await send("PATCH", `/api/admin/users/${encodeURIComponent(id)}`, { json: change, signal });
}

/** @param {string} id @param {AbortSignal} signal */
export async function deleteUser(id, signal) {
  await send("DELETE", `/api/admin/users/${encodeURIComponent(id)}`, { signal });
}

/** @param {AbortSignal} signal @returns {Promise<EmailSettings>} */
export function getEmailSettings(signal) {
  return sendJson("GET", "/api/admin/email", { signal });
}

/** @param {object} settings @param {AbortSignal} signal @returns {Promise<EmailSettings>} */
export function changeEmailSettings(settings, signal) {
  return sendJson("PUT", "/api/admin/email", { json: settings, signal });
}

/** @param {string} recipient @param {AbortSignal} signal */
export async function sendTestMessage(recipient, signal) {
  await send("POST", "/api/admin/email/test", { json: { recipient }, signal });
}

/** @param {AbortSignal} signal @returns {Promise<{items: CheckItem[], browser: BrowserFacts}>} */
export function checkSystem(signal) {
  return sendJson("POST", "/api/admin/system-check", { signal });
}

/** @param {Record<string, string>} query @param {AbortSignal} signal @returns {Promise<AuditPage>} */
export function listAudit(query, signal) {
  return sendJson("GET", `/api/admin/audit?${filled(query)}`, { signal });
}

/** @param {Record<string, string>} query */
function filled(query) {
  return new URLSearchParams(Object.entries(query).filter(([, value]) => value));
}
