/** Speech providers and their voices. */

import { send, sendJson } from "./http.js";

/** @param {AbortSignal} [signal] @returns {Promise<{providers: import("./types.js").Provider[], default: string}>} */
export function listProviders(signal) {
  return sendJson("GET", "/api/tts/shared-providers", { signal });
}

/**
 * @param {string} providerRef
 * @param {string} model
 * @param {AbortSignal} [signal]
 * @returns {Promise<{voices: import("./types.js").Voice[], defaultVoice: string, model: string, models: string[]}>}
 */
export function listVoices(providerRef, model, signal) {
  return sendJson("GET", `/api/tts/voices?${new URLSearchParams({ providerRef, model })}`, { signal });
}

/**
 * @param {{providerRef: string, model: string, voice: string, text: string, language: string}} request
 * @param {AbortSignal} [signal]
 */
export async function previewVoice(request, signal) {
  const response = await send("POST", "/api/tts/voice-preview", { json: request, signal });
  return await response.blob();
}
