/**
 * The player before anybody listens: it knows the place and how long everything takes, and fetches what makes sound
 * with the first wish to hear something. From then on it is that player: the same events, the same answers.
 */

import { Pace } from "./pace.js";
import { INITIAL_STATE, nextState } from "./player-state.js";

/** @typedef {import("./book.js").Spot} Spot */
/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./player.js").Place} Place */
/** @typedef {import("../api/types.js").SpeechSettings} SpeechSettings */

const NOT_LOADED = "The player could not be loaded. Check your connection and reload the page.";

export class PlayerOnDemand extends EventTarget {
  #load;
  #book;
  #signal;
  /** @type {Player | null} */
  #player = null;
  /** @type {Promise<Player> | null} */
  #loading = null;
  #state = INITIAL_STATE;
  /** @type {Place} */
  #place;
  #settings;
  #speed = 1;
  #pace = new Pace();
  #errorMessage = "";

  /**
   * @param {object} parts
   * @param {(now: {settings: SpeechSettings, spot: Spot}) => Promise<Player>} parts.load
   * @param {import("./book.js").Book} parts.book
   * @param {SpeechSettings} parts.settings
   * @param {Spot} parts.spot where to start
   * @param {AbortSignal} parts.signal
   */
  constructor({ load, book, settings, spot, signal }) {
    super();
    this.#load = load;
    this.#book = book;
    this.#settings = settings;
    this.#signal = signal;
    this.#place = { ...spot, ordinal: null, word: null };
  }

  get state() {
    return this.#player?.state ?? this.#state;
  }

  get place() {
    return this.#player?.place ?? this.#place;
  }

  get settings() {
    return this.#player?.settings ?? this.#settings;
  }

  get errorMessage() {
    return this.#player?.errorMessage ?? this.#errorMessage;
  }

  get fraction() {
    return this.#player?.fraction ?? this.#book.fractionAt(this.#place);
  }

  get scale() {
    return this.#player?.scale ?? this.#book;
  }

  get speed() {
    return this.#player?.speed ?? this.#speed;
  }

  get pace() {
    return this.#player?.pace ?? this.#pace;
  }

  play() {
    if (!this.#player) this.#become("play");
    void this.#with((player) => player.play());
  }

  pause() {
    if (!this.#player) this.#become("pause");
    if (this.#player || this.#loading) void this.#with((player) => player.pause());
  }

  toggle() {
    if (this.state.wantsSound) this.pause();
    else this.play();
  }

  /** @param {Spot} spot */
  seek(spot) {
    if (this.#player || this.#loading) return void this.#with((player) => player.seek(spot));
    this.#place = { blockId: spot.blockId, offset: spot.offset, ordinal: null, word: null };
    return this.#tell("place", this.#place);
  }

  /** @param {Spot} spot */
  playFrom(spot) {
    this.seek(spot);
    this.play();
  }

  /** @param {1 | -1} step */
  async stepSentence(step) {
    await this.#with((player) => player.stepSentence(step));
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#speed = speed;
    this.#player?.setSpeed(speed);
  }

  /** @param {SpeechSettings} settings */
  changeVoice(settings) {
    if (this.#player || this.#loading) void this.#with((player) => player.changeVoice(settings));
    else this.#settings = settings;
  }

  /** @param {Parameters<Player["changeSource"]>[0]} [source] */
  changeSource(source) {
    if (source || this.#player || this.#loading) void this.#with((player) => player.changeSource(source));
  }

  leave() {
    this.#player?.leave();
  }

  observe() {
    this.#player?.observe();
  }

  /** Fetch what makes sound: somebody is about to ask for it. */
  prepare() {
    this.#loading ??= this.#loaded();
    this.#loading.catch(() => undefined);
  }

  /** Wishes are granted in the order in which they come. @param {(player: Player) => unknown} wish */
  async #with(wish) {
    if (this.#player) return void (await wish(this.#player));
    this.prepare();
    try {
      await wish(await /** @type {Promise<Player>} */ (this.#loading));
    } catch (error) {
      if (this.#player || this.#signal.aborted) throw error;
      this.#loading = null;
      this.#errorMessage = NOT_LOADED;
      this.#become("fail");
    }
    return undefined;
  }

  async #loaded() {
    const { blockId, offset } = this.#place;
    const player = await this.#load({ settings: this.#settings, spot: { blockId, offset } });
    player.setSpeed(this.#speed);
    for (const type of ["state", "place", "segment", "notice"]) {
      player.addEventListener(type, (event) => this.#tell(type, /** @type {CustomEvent} */ (event).detail), { signal: this.#signal });
    }
    return (this.#player = player);
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
