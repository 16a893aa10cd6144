/** The library's documents. */

import { send, sendJson } from "./http.js";

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

/** Have a locked document opened with its password. @param {string} id @param {string} password @returns {Promise<LibraryDocument>} */
export async function unlockDocument(id, password) {
  return (await sendJson("POST", `${path(id)}/password`, { json: { password } })).document;
}

/** Have a document read again that an older version has read. @param {string} id @param {AbortSignal} signal */
export async function renewDocument(id, signal) {
  await send("POST", `${path(id)}/renewal`, { signal });
}

/** Leave it as it was for now. @param {string} id */
export async function putOffRenewal(id) {
  await send("DELETE", `${path(id)}/renewal`);
}

/**
 * Follow a document until nothing is done with it any more.
 * @param {string} id
 * @param {(document: LibraryDocument) => void} onChange
 * @param {AbortSignal} signal
 */
export async function watchDocument(id, onChange, signal) {
  const { followEvents } = await import("../lib/event-stream.js");
  await followEvents(`${path(id)}/events`, {
    signal,
    onEvent({ type, data }) {
      if (type !== "document") return undefined;
      const document = /** @type {LibraryDocument} */ (JSON.parse(data));
      onChange(document);
      const isRenewed = document.isOutdated && document.progress !== null;
      return document.state === "processing" || isRenewed ? undefined : "done";
    },
  });
}
