/**
 * The reader page. For tests and assistive tools it shows what it is doing in attributes that are never read back:
 * `data-state` (the player's status), `data-section` (shown), `data-segment`, `data-block`, `data-word-start` and
 * `data-word-end` (spoken now, code points in the block); the lit text is in CSS.highlights "spoken-word" and
 * "spoken-sentence".
 */

import { getDocument, putOffRenewal, renewDocument, watchDocument } from "../api/documents.js";
import { getReading, getSection, putPosition } from "../api/reading.js";
import { listProviders } from "../api/voices.js";
import { Component } from "../lib/component.js";
import { find, render } from "../lib/html.js";
import { childController, everyFrame, isAbort } from "../lib/signals.js";
import { Book } from "../model/book.js";
import { sectionOf } from "../model/block-ids.js";
import { PlayerOnDemand } from "../model/player-on-demand.js";
import { SPEEDS, TEXT_SIZES, nextStep } from "../model/preferences.js";
import { PositionKeeper } from "../model/reading-position.js";
import { leaveIfSignedOut, messageOf } from "./failures.js";
import { Follow } from "./follow.js";
import { PageNotice } from "./page-notice.js";
import { PlayerBar } from "./player-bar.js";
import { ReaderDialogs } from "./reader-dialogs.js";
import { frame } from "./reader-frame.js";
import { ReadingViews } from "./reading-views.js";
import { Shortcuts, commandOf } from "./shortcuts.js";
import { toast } from "./toasts.js";

/** @typedef {import("../api/types.js").LibraryDocument} LibraryDocument */
/** @typedef {import("../api/types.js").ReadingDocument} ReadingDocument */

customElements.define("lectern-player", PlayerBar);
customElements.define("lectern-shortcuts", Shortcuts);

const TEXT_WIDTHS = { narrow: "29em", medium: "35em", wide: "44em" };
/** What needs a text. */
const OF_THE_VOICE = new Set(["toggle", "back", "forward", "voices", "options", "recordings", "to-voice"]);

export class Reader extends Component {
  /** @type {import("../model/preferences.js").Preferences} */
  preferences = /** @type {any} */ (undefined);
  #documentId = decodeURIComponent(location.pathname.split("/").filter(Boolean).at(-1) ?? "");
  /** @type {PageNotice} */
  #notice = /** @type {any} */ (undefined);
  /** @type {Book} */
  #book = /** @type {any} */ (undefined);
  /** @type {PlayerOnDemand} */
  #player = /** @type {any} */ (undefined);
  /** @type {Follow} */
  #follow = /** @type {any} */ (undefined);
  /** @type {ReadingViews} */
  #views = /** @type {any} */ (undefined);
  /** @type {ReaderDialogs} */
  #dialogs = /** @type {any} */ (undefined);
  /** @type {PositionKeeper} */
  #keeper = /** @type {any} */ (undefined);
  /** Why there is nothing to hear, "" where there is. */
  #silence = "";

  connected() {
    render(this, frame());
    this.#notice = new PageNotice({ element: find(this, ".page-notice", HTMLElement), signal: this.signal });
    this.listen(this.preferences, "change", () => this.#applyPreferences());
    this.#applyPreferences();
    void this.#open();
  }

  async #open() {
    this.#notice.loading();
    try {
      const item = await this.#readyDocument();
      const [reading, providers] = await Promise.all([getReading(this.#documentId, this.signal), listProviders(this.signal)]);
      this.#start(item, reading, providers.default);
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      this.#showFailure("This document cannot be opened", messageOf(error));
    }
  }

  /** The document, once it can be read. @returns {Promise<LibraryDocument>} */
  async #readyDocument() {
    let item = await getDocument(this.#documentId, this.signal);
    this.#showTitle(item.title || item.fileName);
    if (item.state === "processing") {
      await watchDocument(this.#documentId, (change) => {
        item = change;
        this.#notice.waiting("Still being opened", change.progress);
      }, this.signal);
    }
    if (item.state === "failed") throw new Error(item.error?.message ?? "This file could not be opened.");
    return item.isOutdated ? await this.#renewed() : item;
  }

  /** Read by an older version: as this one reads it, or as it was where that fails or is put off. @returns {Promise<LibraryDocument>} */
  async #renewed() {
    const waiting = childController(this.signal);
    const putOff = () => void putOffRenewal(this.#documentId).then(() => waiting.abort(), () => undefined);
    try {
      await renewDocument(this.#documentId, this.signal);
      await watchDocument(this.#documentId, ({ progress }) => this.#notice.waiting("Being read anew", progress, putOff), waiting.signal);
    } catch (error) {
      this.signal.throwIfAborted();
      if (!isAbort(error)) toast({ message: "This document could not be read anew, so you see it as it was." });
    }
    return await getDocument(this.#documentId, this.signal);
  }

  /** @param {LibraryDocument} item @param {ReadingDocument} reading @param {string} defaultProvider */
  #start(item, reading, defaultProvider) {
    reading.language = item.language || reading.language;
    this.#book = new Book({ reading, loadSection: (index) => getSection(this.#documentId, index, reading.parserVersion, this.signal) });
    const first = reading.sections.find((section) => section.sentenceCount > 0) ?? reading.sections[0];
    if (!first && !reading.pages.length) return this.#showFailure("There is nothing to read here", "This document has no text.");
    const spot = { blockId: item.position?.blockId || `${first?.index ?? 0}-0`, offset: item.position?.offset ?? 0 };
    const chosen = this.preferences.get("voice");
    const settings = { ...(chosen ?? { providerRef: defaultProvider }), language: reading.language || undefined };
    const load = (/** @type {any} */ now) => this.#loadPlayer(item, now);
    this.#player = new PlayerOnDemand({ load, book: this.#book, settings, spot, signal: this.signal });
    this.#follow = new Follow({ signal: this.signal });
    this.#views = new ReadingViews({
      reader: this, book: this.#book, documentId: this.#documentId, player: this.#player, follow: this.#follow, notice: this.#notice,
      storage: this.preferences.storage,
    });
    this.#dialogs = new ReaderDialogs({
      reader: this, book: this.#book, documentId: this.#documentId, player: this.#player, views: this.#views, preferences: this.preferences,
    });
    this.#keeper = new PositionKeeper({
      save: (position, isLast) => putPosition(this.#documentId, { ...position, parser: reading.parserVersion }, isLast ? { keepalive: true } : { signal: this.signal }),
    });
    if (first) this.#offerVoice(reading);
    else this.#beSilent(reading);
    this.#listen();
    if (reading.fonts.length) void import("./book-fonts.js").then(({ offerBookFont }) => offerBookFont(this, this.#documentId, reading.fonts));
    this.#onState();
    void this.#views.showFirst(item, spot);
    return undefined;
  }

  /** @param {ReadingDocument} reading */
  #offerVoice(reading) {
    const bar = find(this, "lectern-player", PlayerBar);
    bar.control({ player: this.#player, book: this.#book, preferences: this.preferences });
    this.listen(bar, "pointerenter focusin", () => this.#player.prepare(), { once: true });
    this.#dialogs.attend();
    for (const warning of reading.warnings) toast({ message: warning.message });
  }

  /** Pictures of pages: they are shown, and why there is nothing to hear. @param {ReadingDocument} reading */
  #beSilent(reading) {
    this.#silence = reading.warnings[0]?.message ?? "There is no text in this document to read aloud.";
    this.dataset.silent = "";
    find(this, "lectern-player", PlayerBar).silence(this.#silence);
  }

  /** @param {LibraryDocument} item @param {{settings: import("../api/types.js").SpeechSettings, spot: import("../model/book.js").Spot}} now */
  async #loadPlayer(item, { settings, spot }) {
    const [{ Player }, { playbackApi }, { offerMediaKeys }] = await Promise.all([
      import("../model/player.js"), import("../api/playback.js"), import("./media-session.js"),
    ]);
    offerMediaKeys(this.#player, { title: item.title, artist: item.authors.join(", "), artwork: item.cover }, this.signal);
    const audio = find(this, "audio", HTMLAudioElement);
    const parser = this.#book.reading.parserVersion;
    const api = { ...playbackApi, openSession: (/** @type {any} */ request, /** @type {any} */ signal) => playbackApi.openSession({ ...request, parser }, signal) };
    return new Player({ audio, api, book: this.#book, documentId: this.#documentId, settings, spot, signal: this.signal });
  }

  #listen() {
    const player = this.#player;
    this.listen(player, "state", () => this.#onState());
    this.listen(player, "place", () => this.#onPlace());
    this.listen(player, "notice", (event) => toast({ message: event.detail }));
    this.listen(this.#follow, "change", () => this.#showAway());
    this.listen(this, "text-spot", (event) => {
      this.#follow.resume();
      player.playFrom(event.detail);
    });
    this.listen(this, "text-link contents-go", (event) => void this.#goTo(event.detail.section, event.detail.blockId));
    this.listen(this, "click", (event) => this.#command(event.target.closest("[data-command]")?.dataset.command));
    this.listen(window, "keydown", (event) => {
      const command = commandOf(event);
      if (!command) return;
      event.preventDefault();
      this.#command(command);
    });
    this.listen(window, "pagehide", () => {
      player.leave();
      this.#keeper.flush({ isLast: true });
    });
    this.listen(document, "visibilitychange", () => document.hidden && this.#keeper.flush({ isLast: true }));
    this.listen(find(this, "audio", HTMLAudioElement), "timeupdate", () => player.observe());
    everyFrame(() => player.state.status === "playing" && player.observe(), this.signal);
  }

  #onState() {
    const { status } = this.#player.state;
    this.dataset.state = status;
    if (status === "paused" || status === "ended" || status === "failed") {
      this.#notePosition();
      this.#keeper.flush();
    }
    this.#showAway();
  }

  #onPlace() {
    const { blockId, ordinal, word } = this.#player.place;
    setOrRemove(this, "segment", ordinal);
    setOrRemove(this, "wordStart", word?.[0] ?? null);
    setOrRemove(this, "wordEnd", word?.[1] ?? null);
    this.dataset.block = blockId;
    this.#views.follow();
    this.#notePosition();
  }

  /** Show a place and take the voice there. @param {number} section @param {string} blockId empty for its start */
  async #goTo(section, blockId) {
    const spot = await this.#views.goTo(section, blockId);
    if (spot) this.#player.seek(spot);
  }

  /** @param {string | undefined} command */
  #command(command) {
    if (command && this.#views.command(command)) return;
    if (command && this.#silence && OF_THE_VOICE.has(command)) return toast({ message: this.#silence });
    const bar = find(this, "lectern-player", PlayerBar);
    const { preferences } = this;
    /** @type {Record<string, () => void>} */
    const actions = {
      toggle: () => this.#player.toggle(),
      back: () => void this.#player.stepSentence(-1),
      forward: () => void this.#player.stepSentence(1),
      slower: () => bar.setSpeed(nextStep(SPEEDS, preferences.get("speed"), -1)),
      faster: () => bar.setSpeed(nextStep(SPEEDS, preferences.get("speed"), 1)),
      smaller: () => preferences.set("textSize", nextStep(TEXT_SIZES, preferences.get("textSize"), -1)),
      larger: () => preferences.set("textSize", nextStep(TEXT_SIZES, preferences.get("textSize"), 1)),
      contents: () => void this.#dialogs.openContents(),
      voices: () => void this.#dialogs.openVoices(),
      recordings: () => void this.#dialogs.openRecordings(),
      options: () => void this.#dialogs.openOptions(),
      help: () => find(this, "lectern-shortcuts", Shortcuts).open(),
      "previous-section": () => void this.#goTo(this.#views.section - 1, ""),
      "next-section": () => void this.#goTo(this.#views.section + 1, ""),
      "to-voice": () => void this.#views.goToVoice(),
    };
    if (command) actions[command]?.();
    return undefined;
  }

  #notePosition() {
    const { blockId, offset, ordinal } = this.#player.place;
    const { fraction } = this.#player;
    this.#keeper.note({ segmentOrdinal: ordinal ?? 0, blockId, offset, section: sectionOf(blockId), fraction });
  }

  #applyPreferences() {
    this.style.setProperty("--text-scale", String(this.preferences.get("textSize")));
    this.style.setProperty("--text-width", TEXT_WIDTHS[this.preferences.get("lineWidth")]);
  }

  #showAway() {
    const isShown = this.#player.state.wantsSound && (this.#views.isElsewhere || this.#follow.isAway);
    find(this, ".to-voice", HTMLElement).hidden = !isShown;
  }

  /** @param {string} title */
  #showTitle(title) {
    document.title = `${title} · Lectern`;
    find(this, ".reader-title", HTMLElement).textContent = title;
  }

  /** @param {string} title @param {string} message */
  #showFailure(title, message) {
    this.#notice.failure(title, message, () => void this.#open());
  }
}

/** @param {HTMLElement} element @param {string} name @param {number | null} value */
function setOrRemove(element, name, value) {
  if (value === null) delete element.dataset[name];
  else element.dataset[name] = String(value);
}
