/** The sound of a person's own recording, for the player: what Sound is for a worker's stream. */

/** @typedef {import("./recording-source.js").RecordingTimes} RecordingTimes */

export class RecordingSound extends EventTarget {
  #audio;
  #times;
  #isWanted = false;
  #section = -1;

  /** @param {{audio: HTMLAudioElement, times: RecordingTimes, signal: AbortSignal}} parts */
  constructor({ audio, times, signal }) {
    super();
    this.#audio = audio;
    this.#times = times;
    audio.preload = "auto";
    audio.preservesPitch = true;
    const options = { signal };
    audio.addEventListener("playing", () => this.#tell("sound"), options);
    audio.addEventListener("waiting", () => this.#tell("wait"), options);
    audio.addEventListener("ended", () => this.#tell("finished"), options);
    audio.addEventListener("error", () => this.#isWanted && this.#tell("lost"), options);
    audio.addEventListener("pause", () => {
      if (this.#isWanted && !audio.ended && !audio.error && audio.readyState > 1) {
        this.#isWanted = false;
        this.#tell("paused-elsewhere");
      }
    }, options);
    signal.addEventListener("abort", () => this.unload(), { once: true });
  }

  get isLoaded() {
    return this.#audio.hasAttribute("src");
  }

  /** Where the recording is in the text. */
  get place() {
    if (!this.isLoaded) return null;
    const ms = this.#audio.currentTime * 1000;
    this.#learn(ms);
    const segment = this.#times.segmentAt(ms);
    return segment ? { ordinal: segment.ordinal, ms: ms - segment.startMs, isKnown: true } : null;
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#audio.defaultPlaybackRate = speed;
    this.#audio.playbackRate = speed;
  }

  /** @param {number} ordinal @param {number} atMs */
  moveTo(ordinal, atMs) {
    const segment = this.#times.heardFrom(ordinal);
    if (!this.isLoaded || this.#audio.error || !segment) return false;
    this.#audio.currentTime = (segment.startMs + (segment.ordinal === ordinal ? atMs : 0)) / 1000;
    return true;
  }

  /** @param {string} audioUrl @param {number} ordinal @param {number} atMs */
  load(audioUrl, ordinal, atMs) {
    this.#audio.src = audioUrl;
    this.moveTo(ordinal, atMs);
  }

  play() {
    this.#isWanted = true;
    return this.#audio.play();
  }

  pause() {
    this.#isWanted = false;
    this.#audio.pause();
  }

  unload() {
    this.pause();
    this.#audio.removeAttribute("src");
    this.#audio.load();
  }

  /** The words of what is heard now. @param {number} ms */
  #learn(ms) {
    const section = this.#times.sectionAt(ms);
    if (section === this.#section) return;
    this.#section = section;
    this.#times.section(section).catch(() => {
      this.#section = -1;
    });
  }

  /** @param {string} type */
  #tell(type) {
    this.dispatchEvent(new Event(type));
  }
}
