/** The library's documents. */

import { followEvents } from "../lib/event-stream.js";
import { problemFrom, send, sendJson, unreachable } from "./http.js";

/** @typedef {import("./types.js").LibraryDocument} LibraryDocument */

/** @param {string} id */
const path = (id) => `/api/documents/${encodeURIComponent(id)}`;

/** @param {AbortSignal} [signal] @returns {Promise<LibraryDocument[]>} newest first */
export async function listDocuments(signal) {
  return (await sendJson("GET", "/api/documents", { signal })).documents;
}

/** @param {string} id @param {AbortSignal} [signal] @returns {Promise<LibraryDocument>} */
export async function getDocument(id, signal) {
  return (await sendJson("GET", path(id), { signal })).document;
}

/** @param {string} id */
export async function deleteDocument(id) {
  await send("DELETE", path(id));
}

/** Have a failed document opened once more. @param {string} id @returns {Promise<LibraryDocument>} */
export async function retryDocument(id) {
  return (await sendJson("POST", `${path(id)}/retry`)).document;
}

/**
 * Follow a document until it is ready or failed.
 * @param {string} id
 * @param {(document: LibraryDocument) => void} onChange
 * @param {AbortSignal} signal
 */
export async function watchDocument(id, onChange, signal) {
  await followEvents(`${path(id)}/events`, {
    signal,
    onEvent({ type, data }) {
      if (type !== "document") return undefined;
      const document = /** @type {LibraryDocument} */ (JSON.parse(data));
      onChange(document);
      return document.state === "processing" ? undefined : "done";
    },
  });
}

/**
 * Send a file. XMLHttpRequest, because fetch does not tell how much has been sent.
 * @param {File} file
 * @param {(sentBytes: number, totalBytes: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<LibraryDocument>}
 */
export function uploadDocument(file, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const body = new FormData();
    body.append("file", file, file.name);
    request.open("POST", "/api/documents");
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded, event.total));
    request.addEventListener("error", () => reject(unreachable(undefined)));
    request.addEventListener("abort", () => reject(signal.reason));
    request.addEventListener("load", () => {
      if (request.status !== 201) return reject(problemFrom(request.status, request.responseText));
      resolve(JSON.parse(request.responseText).document);
    });
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body);
  });
}
