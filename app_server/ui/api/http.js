/** Requests to the application's own API; problem+json answers become ApiError. */

import { isAbort } from "../lib/signals.js";

/** Longer than anything takes: planning a very long book, the first time. */
const DEADLINE_MS = 60_000;
const UNREACHABLE = "Lectern cannot be reached. Check your connection and try again.";

export class ApiError extends Error {
  /** @param {{status: number, code: string, message: string, fields?: Record<string, string>, cause?: unknown}} problem */
  constructor({ status, code, message, fields = {}, cause }) {
    super(message, { cause });
    this.name = "ApiError";
    /** 0 when there was no answer at all. */
    this.status = status;
    this.code = code;
    /** Messages for single form fields, by name. */
    this.fields = fields;
  }

  /** Could the same request succeed later? */
  get isTemporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** @param {unknown} cause */
export function unreachable(cause) {
  return new ApiError({ status: 0, code: "UNREACHABLE", message: UNREACHABLE, cause });
}

/**
 * @param {number} status
 * @param {string} body the answer's text, problem+json or not
 */
export function problemFrom(status, body) {
  /** @type {any} */
  let problem = {};
  try {
    problem = JSON.parse(body) ?? {};
  } catch {
    // A proxy's HTML page: the status has to speak for itself.
  }
  /** @type {Record<string, string>} */
  const fields = {};
  for (const item of Array.isArray(problem.errors) ? problem.errors : []) {
    const name = item.field ?? item.name ?? String(item.pointer ?? "").replace(/^[#/]+/, "");
    if (name) fields[name] = item.message ?? item.detail ?? "";
  }
  const fallback = status >= 500 ? "Something went wrong in Lectern. Try again in a moment." : `The request was refused (${status}).`;
  return new ApiError({
    status,
    code: problem.code ?? `HTTP_${status}`,
    message: problem.detail || problem.title || fallback,
    fields,
  });
}

/** @param {AbortSignal} [signal] */
function withDeadline(signal) {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  return signal ? AbortSignal.any([signal, deadline]) : deadline;
}

/**
 * @param {string} method
 * @param {string} url
 * @param {{json?: unknown, signal?: AbortSignal, keepalive?: boolean, cache?: RequestCache}} [options]
 * @returns {Promise<Response>}
 */
export async function send(method, url, { json, signal, keepalive, cache } = {}) {
  let response;
  try {
    response = await fetch(url, {
      method,
      signal: withDeadline(signal),
      keepalive,
      cache,
      credentials: "same-origin",
      headers: json === undefined ? {} : { "Content-Type": "application/json" },
      body: json === undefined ? undefined : JSON.stringify(json),
    });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw unreachable(error);
  }
  if (!response.ok) throw problemFrom(response.status, await response.text().catch(() => ""));
  return response;
}

/**
 * @param {string} method
 * @param {string} url
 * @param {Parameters<typeof send>[2]} [options]
 * @returns {Promise<any>}
 */
export async function sendJson(method, url, options) {
  const response = await send(method, url, options);
  try {
    return await response.json();
  } catch (error) {
    if (isAbort(error)) throw error;
    throw unreachable(error);
  }
}
