/**
 * A person's own recording in place of a playback session: to the player it is an API that opens "sessions" and a sound.
 * Nothing is generated, so every segment of a section is known as soon as the section is.
 */

import { getAlignedSection, getAlignment, recordingPath } from "../api/recordings.js";
import { lastAtMost } from "./search.js";
import { FRAME_MS } from "./timeline.js";

/** @typedef {import("../api/recordings.js").AlignedSegment} AlignedSegment */
/** @typedef {AlignedSegment & {startMs: number, endMs: number}} HeardSegment */

const FOREVER = "2999-01-01T00:00:00Z";

/** What is heard when, as far as it has been fetched. */
export class RecordingTimes {
  #documentId;
  #recordingId;
  /** @type {import("../api/recordings.js").Alignment | null} */
  #alignment = null;
  /** @type {Map<number, Promise<AlignedSegment[]>>} */
  #sections = new Map();
  /** In order of time. @type {HeardSegment[]} */
  #heard = [];
  /** @type {(segments: AlignedSegment[]) => void} */
  onSegments = () => undefined;

  /** @param {{documentId: string, recordingId: string}} parts */
  constructor({ documentId, recordingId }) {
    this.#documentId = documentId;
    this.#recordingId = recordingId;
  }

  /** @param {AbortSignal} [signal] */
  async alignment(signal) {
    this.#alignment ??= await getAlignment(this.#documentId, this.#recordingId, signal);
    return this.#alignment;
  }

  /** @param {number} section @returns {Promise<AlignedSegment[]>} */
  section(section) {
    let loading = this.#sections.get(section);
    if (!loading) {
      loading = getAlignedSection(this.#documentId, this.#recordingId, section).then((segments) => this.#add(segments));
      loading.catch(() => this.#sections.delete(section));
      this.#sections.set(section, loading);
    }
    return loading;
  }

  /** The section that is heard at a moment, or will be next. @param {number} ms */
  sectionAt(ms) {
    const heard = (this.#alignment?.sections ?? []).filter(({ startMs }) => startMs !== undefined);
    return (heard.findLast(({ startMs = 0 }) => startMs <= ms) ?? heard[0])?.section ?? 0;
  }

  /** What is heard at a moment, or was last. @param {number} ms @returns {HeardSegment | undefined} */
  segmentAt(ms) {
    return this.#heard[Math.max(0, lastAtMost(this.#heard, ms, ({ startMs }) => startMs))];
  }

  /** The segment, or the next one that is heard. @param {number} ordinal @returns {HeardSegment | undefined} */
  heardFrom(ordinal) {
    return this.#heard.find((segment) => segment.ordinal >= ordinal) ?? this.#heard.at(-1);
  }

  /** @param {AlignedSegment[]} segments */
  #add(segments) {
    const heard = /** @type {HeardSegment[]} */ (segments.filter(({ startMs }) => startMs !== undefined));
    this.#heard = [...this.#heard, ...heard].sort((left, right) => left.startMs - right.startMs);
    this.onSegments(segments);
    return segments;
  }
}

/** @param {AlignedSegment} segment as a playback session tells of one */
export function segmentEvent({ ordinal, startMs = 0, endMs = startMs, exact = false, words = [] }) {
  return {
    ordinal,
    frames: Math.ceil((endMs - startMs) / FRAME_MS),
    exact,
    words: words.map(([start, end, first, last]) => [start - startMs, end - startMs, first, last]),
  };
}

/**
 * The requests of a playback session, answered from the alignment.
 * @param {{documentId: string, recordingId: string, times: RecordingTimes}} parts
 * @returns {import("../api/playback.js").PlaybackApi}
 */
export function recordingApi({ documentId, recordingId, times }) {
  const audioUrl = recordingPath(documentId, recordingId, "/audio");
  return {
    async openSession(request, signal) {
      const alignment = await times.alignment(signal);
      const startOrdinal = await firstOrdinal(times, request.start);
      return {
        sessionId: recordingId,
        planUrl: "",
        eventsUrl: "",
        audioUrl,
        audioExpiresAt: FOREVER,
        startOrdinal,
        segmentCount: alignment.segmentCount,
        settings: request.settings,
      };
    },
    async getPlan(_url, section, signal) {
      const { sections, segmentCount } = await times.alignment(signal);
      const segments = (await times.section(section)).map((segment) => ({ ...segment, firstSentence: 0, sentenceCount: 1, pauseFrames: 0 }));
      return {
        planId: recordingId,
        segmentCount,
        sections: sections.map((one) => (one.section === section ? { ...one, segments } : one)),
      };
    },
    async postCursor() {},
    async cancel() {},
    async renewAudio() {
      return { audioUrl, audioExpiresAt: FOREVER };
    },
    async followEvents(_url, { signal, onEvent, onConnection }) {
      onConnection?.(true);
      /** @param {AlignedSegment[]} segments */
      const tell = (segments) => {
        for (const segment of segments) onEvent({ type: "segment", data: JSON.stringify(segmentEvent(segment)), id: "" });
      };
      times.onSegments = tell;
      const known = times.segmentAt(0);
      if (known) tell(await times.section(Number(known.blockId.split("-")[0])));
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    },
  };
}

/** @param {RecordingTimes} times @param {import("../api/types.js").PlaybackStart} start */
async function firstOrdinal(times, start) {
  if ("ordinal" in start) return start.ordinal;
  const { blockId, offset } = start.locator;
  const segments = await times.section(Number(blockId.split("-")[0]));
  const block = Number(blockId.split("-")[1]);
  const found = segments.find((segment) => {
    const own = Number(segment.blockId.split("-")[1]);
    return own > block || (own === block && offset < segment.end);
  });
  return (found ?? segments.at(-1))?.ordinal ?? 0;
}
