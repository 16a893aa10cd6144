/** The player's controls at the foot of the page. */

import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { formatClock, formatDuration } from "../model/pace.js";
import { SPEEDS } from "../model/preferences.js";
import { icon } from "./icons.js";

/** Steps of the position bar over the whole document. */
const STEPS = 1000;
/** More section marks than this would be a grey band. */
const MOST_MARKS = 80;

/** @type {Partial<Record<import("../model/player-state.js").PlayerStatus, string>>} */
const STATUS_TEXTS = { starting: "Getting the voice ready…", buffering: "Waiting for more…", reconnecting: "Reconnecting…" };
/** A wait shorter than this is not worth a word. */
const STATUS_AFTER_MS = 300;

/** Emits "player-voices". */
export class PlayerBar extends Component {
  /** @type {import("../model/player-on-demand.js").PlayerOnDemand | null} */
  #player = null;
  /** @type {import("../model/book.js").Book | null} */
  #book = null;
  /** @type {import("../model/preferences.js").Preferences | null} */
  #preferences = null;
  #isDragging = false;
  #marksOf = "";
  #statusTimer = 0;

  /** @param {{player: import("../model/player-on-demand.js").PlayerOnDemand, book: import("../model/book.js").Book, preferences: import("../model/preferences.js").Preferences}} parts */
  control({ player, book, preferences }) {
    this.#player = player;
    this.#book = book;
    this.#preferences = preferences;
    render(this, controls(preferences.get("speed")));
    this.listen(this, "click", (event) => this.#onClick(event.target));
    this.listen(this.#bar, "input", () => this.#onDrag());
    this.listen(this.#bar, "change", () => void this.#onDrop());
    this.listen(find(this, "[name=speed]", HTMLInputElement), "input", (event) => this.setSpeed(Number(event.target.value)));
    this.listen(player, "state", () => this.#showState());
    this.listen(player, "place segment", () => this.showPlace());
    this.signal.addEventListener("abort", () => clearTimeout(this.#statusTimer), { once: true });
    this.setSpeed(preferences.get("speed"));
    this.#showState();
    this.showPlace();
  }

  /** There is nothing to hear. @param {string} reason */
  silence(reason) {
    this.dataset.state = "silent";
    render(this, html`<div class="player-row player-silent">
      <button type="button" class="play" disabled aria-label="Play" aria-describedby="silence">${icon("play")}</button>
      <p id="silence" role="note">${icon("warning")}<span>${reason}</span></p></div>`);
  }

  /** @param {number} speed */
  setSpeed(speed) {
    if (!this.#player) return;
    const bounded = Math.min(4, Math.max(0.5, Math.round(speed * 20) / 20));
    this.#player.setSpeed(bounded);
    this.#preferences?.set("speed", bounded);
    find(this, "[name=speed]", HTMLInputElement).value = String(bounded);
    for (const element of this.querySelectorAll(".speed-value")) element.textContent = `${bounded}×`;
    for (const button of this.querySelectorAll("[data-speed]")) {
      button.setAttribute("aria-pressed", String(Number(/** @type {HTMLElement} */ (button).dataset.speed) === bounded));
    }
    this.showPlace();
  }

  showPlace() {
    const player = this.#player;
    if (!player || this.#isDragging) return;
    this.#showFraction(player.fraction);
    this.#showMarks();
  }

  get #bar() {
    return find(this, ".position-range", HTMLInputElement);
  }

  /** @param {number} fraction */
  #showFraction(fraction) {
    const player = this.#player;
    const book = this.#book;
    if (!player || !book) return;
    const { scale } = player;
    const total = scale.characterCount;
    const left = player.pace.secondsFor(total * (1 - fraction), player.speed);
    const title = book.reading.sections[scale.sectionAtFraction(fraction)]?.title ?? "";
    const bar = this.#bar;
    bar.value = String(Math.round(fraction * STEPS));
    bar.style.setProperty("--filled", `${fraction * 100}%`);
    bar.setAttribute("aria-valuetext", `${Math.round(fraction * 100)} percent${title ? `, ${title}` : ""}, ${formatDuration(left)} left`);
    find(this, ".player-elapsed", HTMLElement).textContent = formatClock(player.pace.secondsFor(total * fraction, player.speed));
    find(this, ".player-left", HTMLElement).textContent = `−${formatClock(left)}`;
    find(this, ".player-section", HTMLElement).textContent = title || book.reading.title;
  }

  /** Ticks where sections begin. */
  #showMarks() {
    const player = this.#player;
    const book = this.#book;
    if (!player || !book) return;
    const { scale } = player;
    const starts = book.reading.sections.map(({ index }) => scale.sectionStart(index)).filter((start) => start > 0.002 && start < 0.998);
    const marks = starts.length > MOST_MARKS ? [] : starts;
    const key = marks.map((start) => start.toFixed(4)).join();
    if (key === this.#marksOf) return;
    this.#marksOf = key;
    const holder = find(this, ".position-marks", HTMLElement);
    holder.replaceChildren(...marks.map((start) => {
      const mark = document.createElement("span");
      mark.style.insetInlineStart = `${start * 100}%`;
      return mark;
    }));
  }

  #onDrag() {
    this.#isDragging = true;
    this.#showFraction(Number(this.#bar.value) / STEPS);
  }

  async #onDrop() {
    const fraction = Number(this.#bar.value) / STEPS;
    try {
      const spot = await this.#player?.scale.spotAt(Math.min(fraction, 0.9999));
      if (spot) this.#player?.seek(spot);
    } finally {
      this.#isDragging = false;
      this.showPlace();
    }
  }

  #showState() {
    const player = this.#player;
    if (!player) return;
    const { status, wantsSound } = player.state;
    this.dataset.state = status;
    const button = find(this, ".play", HTMLButtonElement);
    render(button, icon(wantsSound ? "pause" : "play"));
    button.setAttribute("aria-label", wantsSound ? "Pause" : "Play");
    button.title = wantsSound ? "Pause (Space)" : "Play (Space)";
    clearTimeout(this.#statusTimer);
    if (status === "failed") this.#say(player.errorMessage, true);
    else if (status in STATUS_TEXTS) this.#statusTimer = setTimeout(() => this.#say(STATUS_TEXTS[status] ?? "", false), STATUS_AFTER_MS);
    else this.#say("", false);
    this.showPlace();
  }

  /** @param {string} message @param {boolean} isFailure */
  #say(message, isFailure) {
    const holder = find(this, ".player-status", HTMLElement);
    holder.hidden = !message;
    render(holder, html`${isFailure ? icon("warning") : html`<span class="spinner" aria-hidden="true"></span>`}<span>${message}</span>
      ${isFailure ? html`<button type="button" class="button button-small" data-do="toggle">Try again</button>` : ""}`);
  }

  /** @param {Element} target */
  #onClick(target) {
    const button = /** @type {HTMLElement | null} */ (target.closest("[data-do], [data-speed]"));
    if (!button) return;
    if (button.dataset.speed) return this.setSpeed(Number(button.dataset.speed));
    if (button.dataset.do === "toggle") this.#player?.toggle();
    if (button.dataset.do === "back") void this.#player?.stepSentence(-1);
    if (button.dataset.do === "forward") void this.#player?.stepSentence(1);
    if (button.dataset.do === "voices") this.emit("player-voices");
    return undefined;
  }
}

/** @param {number} speed */
function controls(speed) {
  return html`
    <p class="player-status" role="status" hidden></p>
    <div class="player-position">
      <span class="player-elapsed" aria-hidden="true"></span>
      <div class="position">
        <input class="position-range" type="range" min="0" max="${STEPS}" step="1" value="0" aria-label="Position in the document">
        <div class="position-marks" aria-hidden="true"></div>
      </div>
      <span class="player-left" aria-hidden="true"></span>
    </div>
    <div class="player-row">
      <p class="player-section" dir="auto"></p>
      <div class="player-buttons" role="group" aria-label="Playback">
        <button type="button" class="icon-button" data-do="back" aria-label="Back one sentence" title="Back one sentence (←)">${icon("previous")}</button>
        <button type="button" class="play" data-do="toggle" aria-label="Play">${icon("play")}</button>
        <button type="button" class="icon-button" data-do="forward" aria-label="Forward one sentence" title="Forward one sentence (→)">${icon("next")}</button>
      </div>
      <div class="player-tools">
        <button type="button" class="tool" popovertarget="speed" aria-label="Speed" title="Speed"><span class="speed-value"></span></button>
        <button type="button" class="tool" data-do="voices" aria-label="Voice" title="Voice (V)">${icon("voice")}<span class="player-voice"></span></button>
      </div>
    </div>
    <div id="speed" class="popover popover-low" popover role="group" aria-label="Speed">
      <label class="field-row"><span>Speed</span><output class="speed-value"></output></label>
      <input type="range" class="plain-range" name="speed" min="0.5" max="4" step="0.05" value="${speed}" aria-label="Speed">
      <div class="chips">${SPEEDS.map((step) => html`<button type="button" class="chip" data-speed="${step}">${step}×</button>`)}</div>
    </div>`;
}
