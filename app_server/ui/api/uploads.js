/** Files on their way to the library. */

import { problemFrom, sendJson, unreachable } from "./http.js";

/** @typedef {import("./types.js").Added} Added */

const LARGEST_CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * Send a file through the application.
 * @param {File} file
 * @param {(sentBytes: number, totalBytes: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<Added>}
 */
export async function uploadDocument(file, onProgress, signal) {
  const body = new FormData();
  body.append("file", file, file.name);
  const answer = await transfer({ method: "POST", url: "/api/documents", body, onProgress, signal });
  return JSON.parse(answer);
}

/**
 * Send a file straight to the object store, and have the application take it from there.
 * @param {File} file
 * @param {(sentBytes: number, totalBytes: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<Added>}
 */
export async function uploadDocumentToStore(file, onProgress, signal) {
  const json = { fileName: file.name, sizeBytes: file.size };
  const begun = await sendJson("POST", "/api/documents/uploads", { json, signal });
  await transfer({ ...begun, body: file, onProgress, signal });
  const finalize = { uploadId: begun.uploadId, ...(await checksum(file)) };
  return await sendJson("POST", "/api/documents/uploads/finalize", { json: finalize, signal });
}

/**
 * The whole file passes through memory here, so only where that does no harm; the application checks anyway.
 * @param {File} file
 * @returns {Promise<{sha256?: string}>}
 */
async function checksum(file) {
  if (file.size > LARGEST_CHECKED_BYTES || !globalThis.crypto?.subtle) return {};
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return { sha256: [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/**
 * XMLHttpRequest, because fetch does not tell how much has been sent.
 * @param {{method: string, url: string, headers?: Record<string, string>, body: FormData | File,
 *   onProgress: (sentBytes: number, totalBytes: number) => void, signal: AbortSignal}} parts
 * @returns {Promise<string>} the answer's text
 */
export function transfer({ method, url, headers = {}, body, onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded, event.total));
    request.addEventListener("error", () => reject(unreachable(undefined)));
    request.addEventListener("abort", () => reject(signal.reason));
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve(request.responseText);
      else reject(problemFrom(request.status, request.responseText));
    });
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body);
  });
}
