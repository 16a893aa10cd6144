/** Changes of the audit log, in words: which setting, and what its values say. No DOM. */

import { duration } from "../durations.js";
import { ACTIONS, AUDIENCES, METRICS, SCOPES } from "./limit-words.js";

/** @type {Record<string, string>} */
const FIELDS = {
  value: "Value", status: "Status", role: "Role", kind: "Kind",
  type: "Type", providerType: "Type", displayName: "Name", baseUrl: "Address", apiKey: "API key", defaultModel: "Default model",
  defaultInstructions: "Default instructions", enabled: "Turned on",
  senderName: "Sender's name", senderEmail: "Sender's address", replyTo: "Replies go to", apiKeyReplaced: "API key replaced",
  intervalSeconds: "Every", retentionDays: "Kept for",
};
/** Steps of a path in the compute limits. @type {Record<string, string>} */
const STEPS = {
  ...Object.fromEntries(Object.entries(ACTIONS).map(([name, [title]]) => [name, title])),
  worker: "Workers", providers: "Speech providers", defaults: "", overrides: "of their own",
  enabled: "limited", windows: "how often", active: "how many at once", usage: "how much in a day",
  priority: "priority", maxQueued: "queued at most", maxQueueAgeSeconds: "waiting at most", maxConcurrentPerWorker: "at once on a worker",
  resources: "needs", maxExecutingPerWorker: "at once on a worker", policyRefreshSeconds: "asks for limits every",
  maxConcurrent: "requests at once", requestsPerMinute: "requests a minute", charactersPerMinute: "characters a minute", maxWaitSeconds: "waiting at most",
};
/** Steps that only hold others. */
const SILENT = new Set(["actions", "admission", "execution", "defaults"]);

/** @param {string} field a name, or a path with dots in the compute limits */
export function fieldInWords(field) {
  const known = FIELDS[field];
  if (known !== undefined) return known;
  const steps = field.split(".").filter((step) => !SILENT.has(step)).map((step) => STEPS[step] ?? step);
  return steps.length > 1 ? `${steps[0]}: ${steps.slice(1).join(", ")}` : steps.join("");
}

/** @param {string} field @param {unknown} value @returns {string} */
export function valueInWords(field, value) {
  if (value === "" || value === null || value === undefined) return "nothing";
  if (value === true || value === false) return value ? "yes" : "no";
  if (typeof value === "number") return numberInWords(field, value);
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length ? value.map((one) => valueInWords(field, one)).join("; ") : "none";
  return rowInWords(/** @type {Record<string, unknown>} */ (value));
}

/** @param {string} field @param {number} value */
function numberInWords(field, value) {
  if (field.endsWith("Seconds")) return duration(value);
  if (field.endsWith("Days")) return duration(value * 86_400);
  return value.toLocaleString("en");
}

/** A window, a limit of what goes on at once, an allowance of a day, or whatever else. @param {Record<string, any>} row */
function rowInWords(row) {
  const limit = typeof row.limit === "number" ? row.limit.toLocaleString("en") : "";
  const whom = `for ${word(SCOPES, row.scope)}`;
  if (limit && row.windowSeconds) return `${limit} in ${duration(row.windowSeconds)} ${whom}`;
  if (limit && row.leaseSeconds) return `${limit} at once ${whom}, forgotten after ${duration(row.leaseSeconds)}`;
  if (limit && row.metric) return `${limit} ${word(METRICS, row.metric)} a day ${whom} (${word(AUDIENCES, row.audience)})`;
  return Object.entries(row).map(([name, value]) => `${fieldInWords(name)}: ${valueInWords(name, value)}`).join(", ");
}

/** @param {readonly (readonly [string, string])[]} words @param {string} value */
function word(words, value) {
  return words.find(([known]) => known === value)?.[1] ?? value;
}
