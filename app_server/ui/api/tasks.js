/** Scheduled tasks, for administrators. */

import { sendJson } from "./http.js";

/**
 * @typedef {object} TaskRun
 * @property {string} startedAt
 * @property {string} [finishedAt] of one that ended
 * @property {"done" | "failed" | "timed_out" | "interrupted" | "crashed"} [outcome]
 * @property {Record<string, number>} [counts]
 * @property {string} [message]
 */
/**
 * @typedef {object} Task
 * @property {string} key
 * @property {string} title
 * @property {string} description
 * @property {boolean} enabled
 * @property {number} intervalSeconds
 * @property {number} defaultIntervalSeconds
 * @property {number} [retentionDays] of a task that keeps something for a time
 * @property {boolean} isRunning
 * @property {string} [nextRunAt] of one that is turned on
 * @property {TaskRun | null} lastRun
 */
/** @typedef {{enabled?: boolean, intervalSeconds?: number, retentionDays?: number}} TaskChange */

/** @param {AbortSignal} signal @returns {Promise<Task[]>} */
export async function listTasks(signal) {
  return (await sendJson("GET", "/api/admin/tasks", { signal })).tasks;
}

/** @param {string} key @param {TaskChange} change @param {AbortSignal} signal @returns {Promise<Task>} */
export function changeTask(key, change, signal) {
  return sendJson("PATCH", `/api/admin/tasks/${encodeURIComponent(key)}`, { json: change, signal });
}

/** Begins a run. @param {string} key @param {AbortSignal} signal @returns {Promise<Task>} */
export function runTask(key, signal) {
  return sendJson("POST", `/api/admin/tasks/${encodeURIComponent(key)}/run`, { signal });
}
