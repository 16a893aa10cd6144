/** One playback session as the browser holds it: its addresses, its plan, its events, its cursor. */

import { childController, every, isAbort } from "../lib/signals.js";
import { PlaybackPlan } from "./plan.js";

/** The server counts a listener as gone after 15 s. */
const CURSOR_EVERY_MS = 5_000;
/** A listener who paused for so long need not be waited for. */
const CURSOR_PAUSED_FOR_MS = 20 * 60_000;
/** Sign a new address while the old one still has so long to live. */
const RENEW_BEFORE_MS = 60_000;

/** @typedef {import("../api/types.js").PlaybackSession} PlaybackSession */
/** @typedef {import("../api/types.js").PlaybackProblem} PlaybackProblem */

/** Events: "segment", "problem", "state" (each with its data as detail) and "gone" when the server no longer knows it. */
export class ListeningSession extends EventTarget {
  #api;
  #controller;
  #audioUrl;
  #audioExpiresAt;
  #isPosting = false;
  #isPostDue = false;
  #cursor = { ordinal: 0, playing: false };
  #pausedSince = 0;
  #isHeard = true;
  isGone = false;

  /** @param {{api: import("../api/playback.js").PlaybackApi, session: PlaybackSession, signal: AbortSignal}} parts */
  constructor({ api, session, signal }) {
    super();
    this.#api = api;
    this.id = session.sessionId;
    this.startOrdinal = session.startOrdinal ?? 0;
    this.settings = session.settings;
    this.#audioUrl = session.audioUrl;
    this.#audioExpiresAt = Date.parse(session.audioExpiresAt) || Date.now() + 5 * RENEW_BEFORE_MS;
    this.#cursor.ordinal = this.startOrdinal;
    this.#controller = childController(signal);
    this.plan = new PlaybackPlan({
      segmentCount: session.segmentCount ?? 0,
      load: (section) => api.getPlan(session.planUrl, section, this.#controller.signal),
    });
    this.#follow(session.eventsUrl);
    every(CURSOR_EVERY_MS, () => this.#keepAlive(), this.#controller.signal);
  }

  /** Are events arriving? */
  get isHeard() {
    return this.#isHeard;
  }

  /** A signed address that can still be used to start a stream. @param {{renew?: boolean}} [options] */
  async audioUrl({ renew = false } = {}) {
    if (renew || this.#audioExpiresAt - Date.now() < RENEW_BEFORE_MS) {
      const renewed = await this.#api.renewAudio(this.id, this.#controller.signal);
      this.#audioUrl = renewed.audioUrl;
      this.#audioExpiresAt = Date.parse(renewed.audioExpiresAt) || Date.now() + 5 * RENEW_BEFORE_MS;
    }
    return this.#audioUrl;
  }

  /** @param {{ordinal?: number, playing?: boolean}} change */
  moveCursor(change) {
    const next = { ...this.#cursor, ...change };
    if (next.ordinal === this.#cursor.ordinal && next.playing === this.#cursor.playing) return;
    if (this.#cursor.playing && !next.playing) this.#pausedSince = Date.now();
    this.#cursor = next;
    void this.#post();
  }

  /** The page is going away: the listener no longer plays. */
  leave() {
    this.#cursor.playing = false;
    this.#api.postCursor(this.id, this.#cursor, { keepalive: true }).catch(() => undefined);
  }

  /** Nobody will come back to this session. */
  cancel() {
    this.#api.cancel(this.id).catch(() => undefined);
    this.close();
  }

  close() {
    this.#controller.abort();
  }

  #keepAlive() {
    if (this.#cursor.playing || Date.now() - this.#pausedSince < CURSOR_PAUSED_FOR_MS) void this.#post();
  }

  async #post() {
    this.#isPostDue = true;
    if (this.#isPosting) return;
    this.#isPosting = true;
    try {
      while (this.#isPostDue && !this.#controller.signal.aborted) {
        this.#isPostDue = false;
        await this.#api.postCursor(this.id, this.#cursor);
      }
    } catch (error) {
      // Anything but "no such session" is tried again by the next tick.
      const { status, code, message } = /** @type {{status?: number, code?: string, message?: string}} */ (error);
      if (status === 404 || status === 410) this.#lose();
      // A limit: others have taken the room while the listener paused.
      if (status === 429) this.dispatchEvent(new CustomEvent("problem", { detail: { code, message, retryable: true } }));
    } finally {
      this.#isPosting = false;
    }
  }

  /** @param {string} url */
  #follow(url) {
    this.#api
      .followEvents(url, {
        signal: this.#controller.signal,
        onEvent: ({ type, data }) => {
          this.#isHeard = true;
          this.dispatchEvent(new CustomEvent(type, { detail: JSON.parse(data) }));
        },
        onConnection: (isOpen) => {
          this.#isHeard = isOpen;
        },
        onRefused: (status) => {
          this.#isHeard = false;
          if (status === 404 || status === 410) this.#lose();
        },
      })
      .catch((error) => {
        if (!isAbort(error)) throw error;
      });
  }

  #lose() {
    if (this.isGone) return;
    this.isGone = true;
    this.dispatchEvent(new Event("gone"));
  }
}
