/** A person's own recordings of a document. */

import { followEvents } from "../lib/event-stream.js";
import { transfer } from "./uploads.js";
import { send, sendJson } from "./http.js";

/**
 * @typedef {object} Recording
 * @property {string} id
 * @property {string} fileName
 * @property {number} sizeBytes
 * @property {string} createdAt
 * @property {"aligning" | "ready" | "failed"} state
 * @property {import("./types.js").Progress | null} progress
 * @property {{code: string, message: string, retryable: boolean} | null} error
 */
/** Times in milliseconds of the recording; without them nothing of it is heard. */
/**
 * @typedef {import("./types.js").PlanSection & {startMs?: number, endMs?: number, placedCount: number, exactCount: number}} AlignedSection
 */
/** @typedef {{durationMs: number, segmentCount: number, placedCount: number, exactCount: number, sections: AlignedSection[]}} Alignment */
/**
 * @typedef {{ordinal: number, blockId: string, start: number, end: number, startMs?: number, endMs?: number,
 *   exact?: boolean, words?: import("./types.js").WordTime[]}} AlignedSegment
 */

/** @param {string} documentId @param {string} [recordingId] @param {string} [rest] */
export function recordingPath(documentId, recordingId, rest = "") {
  const all = `/api/documents/${encodeURIComponent(documentId)}/recordings`;
  return recordingId ? `${all}/${encodeURIComponent(recordingId)}${rest}` : all;
}

/** @param {string} documentId @param {AbortSignal} signal @returns {Promise<{recordings: Recording[], maxMegabytes: number}>} */
export function listRecordings(documentId, signal) {
  return sendJson("GET", recordingPath(documentId), { signal });
}

/**
 * @param {string} documentId
 * @param {File} file
 * @param {(sentBytes: number, totalBytes: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<Recording>}
 */
export async function uploadRecording(documentId, file, onProgress, signal) {
  const body = new FormData();
  body.append("file", file, file.name);
  const answer = await transfer({ method: "POST", url: recordingPath(documentId), body, onProgress, signal });
  return JSON.parse(answer).recording;
}

/**
 * Follow a recording until it is aligned or that has failed.
 * @param {string} documentId @param {string} recordingId
 * @param {(recording: Recording) => void} onChange @param {AbortSignal} signal
 */
export async function watchRecording(documentId, recordingId, onChange, signal) {
  await followEvents(recordingPath(documentId, recordingId, "/events"), {
    signal,
    onEvent({ type, data }) {
      if (type !== "recording") return undefined;
      const recording = /** @type {Recording} */ (JSON.parse(data));
      onChange(recording);
      return recording.state === "aligning" ? undefined : "done";
    },
  });
}

/** @param {string} documentId @param {string} recordingId @param {"retry" | "cancel"} verb @returns {Promise<Recording>} */
export async function tellRecording(documentId, recordingId, verb) {
  return (await sendJson("POST", recordingPath(documentId, recordingId, `/${verb}`))).recording;
}

/** @param {string} documentId @param {string} recordingId */
export async function deleteRecording(documentId, recordingId) {
  await send("DELETE", recordingPath(documentId, recordingId));
}

/** @param {string} documentId @param {string} recordingId @param {AbortSignal} [signal] @returns {Promise<Alignment>} */
export async function getAlignment(documentId, recordingId, signal) {
  return sendJson("GET", recordingPath(documentId, recordingId, "/alignment"), { signal, cache: "default" });
}

/** @param {string} documentId @param {string} recordingId @param {number} section @param {AbortSignal} [signal] @returns {Promise<AlignedSegment[]>} */
export async function getAlignedSection(documentId, recordingId, section, signal) {
  const path = recordingPath(documentId, recordingId, `/alignment/sections/${section}`);
  return (await sendJson("GET", path, { signal, cache: "default" })).segments;
}
