/** Playback sessions: asked of the application; the sound itself comes straight from a worker. */

import { followEvents } from "../lib/event-stream.js";
import { send, sendJson } from "./http.js";

/** @typedef {import("./types.js").PlaybackSession} PlaybackSession */

/** @param {string} sessionId @param {string} verb */
const path = (sessionId, verb) => `/api/tts/playback/sessions/${encodeURIComponent(sessionId)}/${verb}`;

export const playbackApi = {
  /**
   * @param {{documentId: string, start: import("./types.js").PlaybackStart, settings: import("./types.js").SpeechSettings}} request
   * @param {AbortSignal} [signal]
   * @returns {Promise<PlaybackSession>}
   */
  openSession(request, signal) {
    return sendJson("POST", "/api/tts/playback/sessions", { json: request, signal });
  },

  /**
   * @param {string} planUrl
   * @param {number} section
   * @param {AbortSignal} [signal]
   * @returns {Promise<import("./types.js").PlanPart>}
   */
  getPlan(planUrl, section, signal) {
    return sendJson("GET", `${planUrl}${planUrl.includes("?") ? "&" : "?"}section=${section}`, { signal, cache: "default" });
  },

  /** @param {string} sessionId @param {{ordinal: number, playing: boolean}} cursor @param {{keepalive?: boolean}} [options] */
  async postCursor(sessionId, cursor, options) {
    await send("POST", path(sessionId, "cursor"), { json: cursor, ...options });
  },

  /** @param {string} sessionId @param {{keepalive?: boolean}} [options] */
  async cancel(sessionId, options) {
    await send("POST", path(sessionId, "cancel"), { json: {}, ...options });
  },

  /** @param {string} sessionId @param {AbortSignal} [signal] @returns {Promise<{audioUrl: string, audioExpiresAt: string}>} */
  renewAudio(sessionId, signal) {
    return sendJson("POST", path(sessionId, "audio-url"), { json: {}, signal });
  },

  followEvents,
};

/** @typedef {typeof playbackApi} PlaybackApi */
