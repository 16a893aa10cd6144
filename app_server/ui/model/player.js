/**
 * Listening to a document: one wish (play or not), one place, and whatever it takes to get sound for them.
 *
 * Events: "state" (status changed), "place" (another word, sentence or segment), "segment" (something new is known of
 * one), "notice" (detail: a message for the listener). No DOM but the audio element it is given.
 */

import { Backoff, childController, delay, isAbort } from "../lib/signals.js";
import { ListeningSession } from "./listening-session.js";
import { Pace } from "./pace.js";
import { INITIAL_STATE, nextState } from "./player-state.js";
import { Sound } from "./sound.js";
import { FRAME_MS, SegmentTimes, frameStart, msOfOffset, wordIndexAt } from "./timeline.js";

/** @typedef {import("./book.js").Spot} Spot */
/** @typedef {import("../api/types.js").SegmentEvent} SegmentEvent */
/** @typedef {import("../api/types.js").PlanSegment} PlanSegment */
/**
 * Where the listener is. `word` is [start, end) in the block while a word with an exact time is being spoken.
 * @typedef {object} Place
 * @property {string} blockId
 * @property {number} offset
 * @property {number | null} ordinal
 * @property {readonly [number, number] | null} word
 */

/** Exact word times follow the audio within a second; after this the place is estimated. */
const WORDS_PATIENCE_MS = 2_500;
/** "Back" within so long of a sentence's start goes to the one before. */
const BACK_AGAIN_MS = 1_500;
/** What is lit is seen for a whole frame of the screen: it is the word that is spoken in the middle of it. */
const HALF_FRAME_MS = 8;
/** So long nothing may take a problem back before it counts. */
const PROBLEM_STANDS_MS = 400;
/** A part of the plan that could not be fetched is asked for again after so long. */
const PLAN_AGAIN_MS = 1_000;
/** Attempts to get the sound back come no further apart than this, unless the browser knows that it is offline. */
const RETRY_MOST_MS = 2_000;
const RETRY_OFFLINE_MS = 15_000;

export class Player extends EventTarget {
  #api;
  #book;
  #documentId;
  #settings;
  #signal;
  /** @type {Sound | import("./recording-sound.js").RecordingSound} */
  #sound;
  #voice;
  #state = INITIAL_STATE;
  /** @type {ListeningSession | null} */
  #session = null;
  #times = new SegmentTimes();
  /** @type {Place} */
  #place;
  /** Nothing before this character is shown as spoken after a jump to it. @type {Spot | null} */
  #floor = null;
  /** The current attempt to get sound at a place; a newer one aborts it. */
  #going = new AbortController();
  /** Must the stream be positioned before it can play on? */
  #isAstray = true;
  /** @type {import("../api/types.js").PlaybackProblem | null} */
  #problem = null;
  #errorMessage = "";
  #speed = 1;
  #sentenceSince = 0;
  #backoff = new Backoff({ mostMs: RETRY_MOST_MS });
  #planAskedAt = Number.NEGATIVE_INFINITY;
  pace = new Pace();

  /**
   * @param {object} parts
   * @param {HTMLAudioElement} parts.audio
   * @param {import("../api/playback.js").PlaybackApi} parts.api
   * @param {import("./book.js").Book} parts.book
   * @param {string} parts.documentId
   * @param {import("../api/types.js").SpeechSettings} parts.settings
   * @param {Spot} parts.spot where to start
   * @param {AbortSignal} parts.signal
   */
  constructor({ audio, api, book, documentId, settings, spot, signal }) {
    super();
    this.#api = api;
    this.#book = book;
    this.#documentId = documentId;
    this.#settings = settings;
    this.#signal = signal;
    this.#place = { ...spot, ordinal: null, word: null };
    const isServerHeard = () => this.#session?.isHeard ?? true;
    this.#voice = { api, sound: this.#heed(new Sound({ audio, times: this.#times, isServerHeard, signal })) };
    this.#sound = this.#voice.sound;
    signal.addEventListener("abort", () => this.#going.abort(), { once: true });
  }

  get state() {
    return this.#state;
  }

  get place() {
    return this.#place;
  }

  /** As asked for, filled in with what the server chose. */
  get settings() {
    const { voice, model } = this.#session?.settings ?? {};
    return { ...this.#settings, voice: this.#settings.voice ?? voice, model: this.#settings.model ?? model };
  }

  /** What went wrong, while the status is "failed". */
  get errorMessage() {
    return this.#errorMessage;
  }

  get plan() {
    return this.#session?.plan ?? null;
  }

  /** Share of the document that has been read. */
  get fraction() {
    if (this.#state.status === "ended") return 1;
    const { ordinal } = this.#place;
    const segment = ordinal === null ? undefined : this.plan?.segment(ordinal);
    return segment && this.plan ? this.plan.fractionAt(segment, this.#place.offset) : this.#book.fractionAt(this.#place);
  }

  /** What the position bar is measured in: the plan once it is known, the document's text before that. */
  get scale() {
    return this.plan?.sections.length ? this.plan : this.#book;
  }

  /** @param {number} ordinal */
  segmentTimes(ordinal) {
    return this.#times.get(ordinal);
  }

  play() {
    if (this.#state.wantsSound) return;
    if (this.#state.status === "ended") this.#restart();
    // What failed for good is only tried again by starting anew.
    if (this.#state.status === "failed") this.#dropSession({ cancel: false });
    this.#problem = null;
    this.#become("play");
    if (this.#isAstray || !this.#sound.isLoaded || this.#session?.isGone) void this.#go();
    else void this.#startSound();
  }

  pause() {
    this.#going.abort();
    if (this.#state.status === "starting" || this.#state.status === "reconnecting") this.#isAstray = true;
    this.#become("pause");
    this.#sound.pause();
    this.#session?.moveCursor({ playing: false });
  }

  toggle() {
    if (this.#state.wantsSound) this.pause();
    else this.play();
  }

  /** @param {Spot} spot */
  seek(spot) {
    this.#going.abort();
    this.#problem = null;
    this.#isAstray = true;
    if (this.#state.wantsSound) this.#sound.pause();
    this.#become("seek");
    this.#moveTo({ blockId: spot.blockId, offset: spot.offset, ordinal: null, word: null });
    if (this.#state.wantsSound) void this.#go();
  }

  /** @param {Spot} spot */
  playFrom(spot) {
    this.seek(spot);
    this.play();
  }

  /** @param {1 | -1} step */
  async stepSentence(step) {
    const from = { blockId: this.#place.blockId, offset: this.#place.offset };
    const isFresh = performance.now() - this.#sentenceSince < BACK_AGAIN_MS;
    const section = await this.#book.sectionHolding(from.blockId);
    const current = section.sentenceAt(from);
    if (step < 0 && this.#state.status === "playing" && !isFresh && current) {
      this.seek({ blockId: from.blockId, offset: current.start });
    } else {
      const spot = await this.#book.neighbour(from, step);
      if (spot) this.seek(spot);
    }
    this.#sentenceSince = performance.now();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#speed = speed;
    this.#sound.setSpeed(speed);
  }

  get speed() {
    return this.#speed;
  }

  /** Another voice is another session, at the same place. @param {import("../api/types.js").SpeechSettings} settings */
  changeVoice(settings) {
    this.#going.abort();
    this.#settings = settings;
    this.#dropSession();
    this.seek({ blockId: this.#place.blockId, offset: this.#place.offset });
  }

  /**
   * Hear another source than the voices of the settings, at the same place; without one, those again.
   * @param {{api: import("../api/playback.js").PlaybackApi, sound: import("./recording-sound.js").RecordingSound}} [source]
   */
  changeSource(source) {
    const settings = this.settings;
    this.#going.abort();
    this.#dropSession();
    this.#api = source?.api ?? this.#voice.api;
    this.#sound = source ? this.#heed(source.sound) : this.#voice.sound;
    this.changeVoice(settings);
  }

  /** The page is being hidden for good. */
  leave() {
    if (this.#state.wantsSound) this.#session?.leave();
  }

  /** Look where the sound is; called in every frame, or by the clock when the page is hidden. */
  observe() {
    const located = this.#sound.place;
    if (!located || this.#isAstray) return;
    const plan = this.plan;
    const segment = plan?.segment(located.ordinal);
    if (!plan || !segment) {
      if (plan && this.#place.ordinal !== located.ordinal) void this.#learnPlan(located.ordinal);
      return;
    }
    const known = this.#times.get(located.ordinal);
    const place = this.#describe(segment, known, located.ms);
    const now = this.#place;
    if (place.ordinal !== now.ordinal || place.offset !== now.offset || place.word?.[0] !== now.word?.[0]) this.#moveTo(place);
  }

  /** @param {PlanSegment} segment @param {SegmentEvent | undefined} known @param {number} ms @returns {Place} */
  #describe(segment, known, ms) {
    const { ordinal, blockId } = segment;
    const floor = this.#floor?.blockId === blockId ? this.#floor.offset : -1;
    const words = known?.words ?? [];
    let index = wordIndexAt(words, ms + HALF_FRAME_MS);
    if (index >= 0 && /** @type {any} */ (words[index])[3] <= floor) index = words.findIndex((word) => word[3] > floor);
    const word = words[index];
    if (word) {
      const range = known?.exact ? /** @type {const} */ ([word[2], word[3]]) : null;
      return { blockId, ordinal, offset: Math.max(word[2], floor), word: range };
    }
    // Between words and before they are known the place stays where it was, if that is in this segment at all.
    const stays = this.#place.blockId === blockId && this.#place.offset >= segment.start && this.#place.offset < segment.end;
    return { blockId, ordinal, offset: stays ? this.#place.offset : segment.start, word: null };
  }

  /** Get sound for the place: session, segment, moment, stream. */
  async #go() {
    this.#going.abort();
    const going = (this.#going = childController(this.#signal));
    try {
      await this.#position({ renew: false });
      going.signal.throwIfAborted();
      await this.#startSound();
    } catch (error) {
      if (going.signal.aborted || isAbort(error)) return;
      const { isTemporary = false } = /** @type {{isTemporary?: boolean}} */ (error);
      if (isTemporary && this.#session) void this.#recover();
      else this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** Load the stream at the place. @param {{renew: boolean}} options */
  async #position({ renew }) {
    const { signal } = this.#going;
    const spot = { blockId: this.#place.blockId, offset: this.#place.offset };
    this.#floor = spot;
    const isNew = !this.#session || this.#session.isGone;
    const session = isNew ? await this.#openSession(spot, signal) : /** @type {ListeningSession} */ (this.#session);
    // The first segment of a block needs no plan: sound first.
    const segment = isNew && spot.offset === 0 ? null : ((await session.plan.segmentAt(spot.blockId, spot.offset)) ?? null);
    signal.throwIfAborted();
    const ordinal = segment?.ordinal ?? session.startOrdinal;
    session.moveCursor({ ordinal, playing: true });
    const atMs = segment ? await this.#momentIn(segment, spot, signal) : 0;
    const audioUrl = await session.audioUrl({ renew });
    signal.throwIfAborted();
    if (renew || !this.#sound.moveTo(ordinal, atMs)) this.#sound.load(audioUrl, ordinal, atMs);
    this.#sound.setSpeed(this.#speed);
    this.#isAstray = false;
    if (!segment) void this.#learnPlan(ordinal);
  }

  /** Milliseconds into a segment, a whole number of frames. @param {PlanSegment} segment @param {Spot} spot @param {AbortSignal} signal */
  async #momentIn(segment, spot, signal) {
    if (segment.blockId !== spot.blockId || spot.offset <= segment.start) return 0;
    const known = await this.#wordsOf(segment.ordinal, signal);
    // One frame early: the first frame after a cut is not whole yet.
    return known ? frameStart(msOfOffset(known, segment, spot.offset) - FRAME_MS) : 0;
  }

  /** @param {number} ordinal @param {AbortSignal} signal @returns {Promise<SegmentEvent | undefined>} */
  async #wordsOf(ordinal, signal) {
    const waiting = childController(signal);
    const known = () => this.#times.get(ordinal);
    try {
      while (!known()) await this.#nextSegment(waiting.signal);
      if (known()?.words.length || known()?.failed) return known();
      await Promise.race([this.#nextSegment(waiting.signal), delay(WORDS_PATIENCE_MS, waiting.signal)]);
      return known();
    } finally {
      waiting.abort();
    }
  }

  /** @param {AbortSignal} signal @returns {Promise<void>} */
  #nextSegment(signal) {
    return new Promise((resolve, reject) => {
      this.addEventListener("segment", () => resolve(), { once: true, signal });
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }

  async #startSound() {
    this.#session?.moveCursor({ playing: true });
    try {
      await this.#sound.play();
    } catch (error) {
      if (/** @type {DOMException} */ (error).name !== "NotAllowedError") return;
      this.#become("pause");
      this.#tell("notice", "The browser wants a tap before it plays sound. Press play once more.");
    }
  }

  /** The sound broke off: get it back at the last word heard, as long as it is wanted. */
  async #recover() {
    if (!this.#state.wantsSound) return;
    if (this.#problem) return this.#fail(this.#problem.message);
    this.#going.abort();
    const going = (this.#going = childController(this.#signal));
    this.#become("lost");
    this.#isAstray = true;
    while (!going.signal.aborted && this.#state.wantsSound) {
      try {
        await untilOnlineOr(this.#backoff.next(), going.signal);
        await this.#position({ renew: true });
        going.signal.throwIfAborted();
        return await this.#startSound();
      } catch (error) {
        if (going.signal.aborted) return;
        const { status, isTemporary = false, message } = /** @type {any} */ (error);
        if (status === 404 || status === 410) this.#dropSession();
        else if (!isTemporary) return this.#fail(message);
      }
    }
  }

  /** @param {Spot} spot @param {AbortSignal} signal */
  async #openSession(spot, signal) {
    this.#dropSession();
    const request = { documentId: this.#documentId, start: { locator: spot }, settings: this.#settings };
    const answer = await this.#api.openSession(request, signal);
    const session = new ListeningSession({ api: this.#api, session: answer, signal: this.#signal });
    session.addEventListener("segment", (event) => this.#onSegment(/** @type {CustomEvent} */ (event).detail));
    session.addEventListener("state", (event) => {
      if (/** @type {CustomEvent} */ (event).detail.state === "generating") this.#problem = null;
    });
    session.addEventListener("problem", (event) => this.#onProblem(/** @type {CustomEvent} */ (event).detail));
    this.#session = session;
    return session;
  }

  /** @param {{cancel?: boolean}} [options] */
  #dropSession({ cancel = true } = {}) {
    const session = this.#session;
    if (!session) return;
    this.#session = null;
    if (cancel && !session.isGone) session.cancel();
    else session.close();
    this.#sound.unload();
    this.#times.clear();
    this.#isAstray = true;
  }

  /** @param {Partial<SegmentEvent> & {ordinal: number}} event */
  #onSegment(event) {
    const segment = this.#times.add(event);
    const planned = this.plan?.segment(segment.ordinal);
    if (planned) this.pace.learn(segment, planned.end - planned.start);
    if (segment.failed) this.#tell("notice", "A passage could not be spoken and is skipped.");
    this.#tell("segment", segment);
  }

  /** @param {import("../api/types.js").PlaybackProblem} problem */
  #onProblem(problem) {
    if (problem.ordinal !== undefined && problem.ordinal !== null) return this.#tell("notice", problem.message);
    this.#problem = problem;
    // A session that was played before tells its old troubles first: only what is not taken back counts.
    delay(PROBLEM_STANDS_MS, this.#signal).then(() => this.#failOf(problem), () => undefined);
    return undefined;
  }

  /**
   * What exists plays on, also while it is still on its way: the sound tells when it ends or breaks off. Without any
   * there is nothing to wait for.
   * @param {import("../api/types.js").PlaybackProblem} problem
   */
  #failOf(problem) {
    if (this.#problem !== problem || !this.#state.wantsSound || this.#state.status === "playing") return;
    if (this.#isAstray || !this.#sound.place?.isKnown) this.#fail(problem.message);
  }

  /** @param {string} message */
  #fail(message) {
    this.#going.abort();
    this.#errorMessage = message;
    this.#isAstray = true;
    this.#sound.pause();
    this.#session?.moveCursor({ playing: false });
    this.#become("fail");
  }

  /** @template {EventTarget} T @param {T} sound */
  #heed(sound) {
    sound.addEventListener("sound", () => {
      this.#backoff.reset();
      this.#become("sound");
    });
    sound.addEventListener("wait", () => {
      this.#become("wait");
      if (this.#problem) this.#failOf(this.#problem);
    });
    sound.addEventListener("lost", () => void this.#recover());
    sound.addEventListener("ended", () => this.#onEnded());
    sound.addEventListener("finished", () => this.#finish());
    sound.addEventListener("paused-elsewhere", () => this.pause());
    return sound;
  }

  /** A stream that stops anywhere but at the last segment's end was cut. */
  #onEnded() {
    this.observe();
    const located = this.#sound.place;
    const last = (this.plan?.segmentCount ?? 0) - 1;
    const segment = located && this.#times.get(located.ordinal);
    const remainingMs = segment && located ? (segment.frames + segment.pauseFrames) * FRAME_MS - located.ms : 0;
    if (located && located.ordinal >= last && remainingMs < 1000) this.#finish();
    else void this.#recover();
  }

  #finish() {
    this.#isAstray = true;
    this.#become("finish");
    this.#session?.moveCursor({ playing: false });
  }

  #restart() {
    const first = this.#book.reading.sections.find((section) => section.sentenceCount > 0)?.index ?? 0;
    this.#floor = null;
    this.#isAstray = true;
    this.#moveTo({ blockId: this.#book.peek(first)?.first?.blockId ?? `${first}-0`, offset: 0, ordinal: null, word: null });
  }

  /** Fetch the part of the plan that holds a segment. @param {number} ordinal */
  async #learnPlan(ordinal) {
    const plan = this.plan;
    if (!plan || performance.now() - this.#planAskedAt < PLAN_AGAIN_MS) return;
    this.#planAskedAt = performance.now();
    try {
      const section = plan.sectionAt(ordinal)?.section ?? Number(this.#place.blockId.split("-")[0]);
      await plan.segmentsOf(section);
      for (const segment of this.#times.values()) {
        const planned = plan.segment(segment.ordinal);
        if (planned) this.pace.learn(segment, planned.end - planned.start);
      }
      this.#tell("segment", undefined);
    } catch {
      // Asked for again when the next frames still need it.
    }
  }

  /** @param {Place} place */
  #moveTo(place) {
    const before = this.#place;
    const sentence = this.#sentenceOrdinal(before);
    this.#place = place;
    if (place.ordinal !== null && place.ordinal !== before.ordinal) this.#session?.moveCursor({ ordinal: place.ordinal });
    if (place.blockId !== before.blockId || this.#sentenceOrdinal(place) !== sentence) this.#sentenceSince = performance.now();
    this.#tell("place", place);
  }

  /** @param {Spot} spot */
  #sentenceOrdinal(spot) {
    return this.#book.peek(Number(spot.blockId.split("-")[0]))?.sentenceAt(spot)?.ordinal;
  }

  /** @param {import("./player-state.js").PlayerEvent} event */
  #become(event) {
    const next = nextState(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    this.#tell("state", next);
  }

  /** @param {string} type @param {unknown} detail */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function isOffline() {
  return globalThis.navigator?.onLine === false;
}

/** Wait, but not past the moment the browser is online again. @param {number} milliseconds @param {AbortSignal} signal */
async function untilOnlineOr(milliseconds, signal) {
  const waiting = childController(signal);
  const online = new Promise((resolve) => {
    if (isOffline()) globalThis.addEventListener("online", resolve, { once: true, signal: waiting.signal });
  });
  try {
    await Promise.race([delay(isOffline() ? RETRY_OFFLINE_MS : milliseconds, waiting.signal), online]);
  } finally {
    waiting.abort();
  }
}
