/**
 * The reader page. For tests and assistive tools it shows what it is doing in attributes that are never read back:
 * `data-state` (the player's status), `data-section` (shown), `data-segment`, `data-block`, `data-word-start` and
 * `data-word-end` (spoken now, code points in the block); the lit text is in CSS.highlights "spoken-word" and
 * "spoken-sentence".
 */

import { getDocument, watchDocument } from "../api/documents.js";
import { playbackApi } from "../api/playback.js";
import { getReading, getSection, putPosition } from "../api/reading.js";
import { getReadingOptions } from "../api/reading-options.js";
import { listProviders } from "../api/voices.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { everyFrame, isAbort } from "../lib/signals.js";
import { Book } from "../model/book.js";
import { sectionOf } from "../model/plan.js";
import { Player } from "../model/player.js";
import { SPEEDS, TEXT_SIZES, nextStep } from "../model/preferences.js";
import { PositionKeeper } from "../model/reading-position.js";
import { Contents } from "./contents.js";
import { leaveIfSignedOut, messageOf } from "./failures.js";
import { Follow } from "./follow.js";
import { Highlighter } from "./highlighter.js";
import { icon } from "./icons.js";
import { offerMediaKeys } from "./media-session.js";
import { phaseName } from "./phases.js";
import { PlayerBar } from "./player-bar.js";
import { ReaderText } from "./reader-text.js";
import { Shortcuts, commandOf } from "./shortcuts.js";
import { toast } from "./toasts.js";

/** @typedef {import("../api/types.js").LibraryDocument} LibraryDocument */
/** @typedef {import("../model/book.js").Spot} Spot */

customElements.define("lectern-text", ReaderText);
customElements.define("lectern-contents", Contents);
customElements.define("lectern-player", PlayerBar);
customElements.define("lectern-shortcuts", Shortcuts);

const TEXT_WIDTHS = { narrow: "29em", medium: "35em", wide: "44em" };

export class Reader extends Component {
  /** @type {import("../model/preferences.js").Preferences} */
  preferences = /** @type {any} */ (undefined);
  #documentId = decodeURIComponent(location.pathname.split("/").filter(Boolean).at(-1) ?? "");
  /** @type {Book} */
  #book = /** @type {any} */ (undefined);
  /** @type {Player} */
  #player = /** @type {any} */ (undefined);
  /** @type {Follow} */
  #follow = /** @type {any} */ (undefined);
  /** @type {Highlighter} */
  #highlighter = /** @type {any} */ (undefined);
  /** @type {PositionKeeper} */
  #keeper = /** @type {any} */ (undefined);
  /** The section on the page, and the one on its way there. */
  #shown = -1;
  #wanted = -1;
  /** Of a PDF, once they are loaded. @type {import("./pages/pages.js").Pages | null} */
  #pages = null;
  /** Until it is known what is shown, the voice brings nothing onto the page. */
  #isShowing = false;
  /** Is there a place worth showing: one kept from earlier, or one gone to since? */
  #hasPlace = false;

  connected() {
    render(this, frame());
    this.listen(this.preferences, "change", () => this.#applyPreferences());
    this.#applyPreferences();
    void this.#open();
  }

  async #open() {
    render(find(this, ".page-notice", HTMLElement), skeleton());
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
        this.#showWaiting(change);
      }, this.signal);
    }
    if (item.state === "failed") throw new Error(item.error?.message ?? "This file could not be opened.");
    return item;
  }

  /**
   * @param {LibraryDocument} item
   * @param {import("../api/types.js").ReadingDocument} reading
   * @param {string} defaultProvider
   */
  #start(item, reading, defaultProvider) {
    reading.language = item.language || reading.language;
    this.#book = new Book({ reading, loadSection: (index) => getSection(this.#documentId, index, this.signal) });
    const first = reading.sections.find((section) => section.sentenceCount > 0) ?? reading.sections[0];
    if (!first) return this.#showFailure("There is nothing to read here", "This document has no text.");
    this.#hasPlace = item.position !== null;
    const spot = { blockId: item.position?.blockId || `${first.index}-0`, offset: item.position?.offset ?? 0 };
    const chosen = this.preferences.get("voice");
    const settings = { ...(chosen ?? { providerRef: defaultProvider }), language: reading.language || undefined };
    const audio = find(this, "audio", HTMLAudioElement);
    this.#player = new Player({ audio, api: playbackApi, book: this.#book, documentId: this.#documentId, settings, spot, signal: this.signal });
    this.#highlighter = new Highlighter({ text: this.#text, signal: this.signal });
    this.#follow = new Follow({ signal: this.signal });
    this.#keeper = new PositionKeeper({
      save: (position, isLast) => putPosition(this.#documentId, position, isLast ? { keepalive: true } : { signal: this.signal }),
    });
    find(this, "lectern-contents", Contents).show(reading);
    find(this, "lectern-player", PlayerBar).control({ player: this.#player, book: this.#book, preferences: this.preferences });
    this.#showVoice();
    getReadingOptions(this.#documentId, this.signal).then((options) => this.#readAs(options), () => undefined);
    offerMediaKeys(this.#player, { title: item.title, artist: item.authors.join(", "), artwork: item.cover }, this.signal);
    this.#listen(audio);
    this.#onState();
    for (const warning of reading.warnings) toast({ message: warning.message });
    void this.#showFirst(item, spot);
    return undefined;
  }

  /** What the document opens with: its pages, if it has any and they were not put away, or its text. @param {LibraryDocument} item @param {Spot} spot */
  async #showFirst(item, spot) {
    if (item.pageVersion && this.#book.reading.pages.length) await this.#offerPages(item.pageVersion);
    if (this.signal.aborted) return;
    this.#isShowing = true;
    if (!this.#shownPages) return void this.#showSection(sectionOf(spot.blockId), { spot: item.position ? spot : undefined });
    find(this, ".page-notice", HTMLElement).replaceChildren();
    if (item.position) await this.#toPage(spot);
    this.#light();
  }

  /** @param {string} version */
  async #offerPages(version) {
    try {
      const { Pages, loadStyles } = await import("./pages/pages.js");
      await loadStyles();
      if (this.signal.aborted) return;
      this.#pages = new Pages({ reader: this, book: this.#book, documentId: this.#documentId, version, follow: this.#follow, storage: this.preferences.storage });
      this.listen(this, "text-shown", (event) => void this.#showText(event.detail));
      this.listen(this, "pages-shown", () => void this.#showPages());
    } catch {
      toast({ message: "The pages could not be loaded, so you see the text. Reload to try again." });
    }
  }

  get #shownPages() {
    return this.#pages?.isShown ? this.#pages : null;
  }

  /** @param {string} blockId what was looked at on the pages, "" for nothing that is read */
  async #showText(blockId) {
    this.#pages?.forget();
    this.#pointed = null;
    await this.#showSection(blockId ? sectionOf(blockId) : Math.max(0, this.#shown), { blockId });
  }

  /** The pages take over where the text was. */
  async #showPages() {
    this.#highlighter.forget();
    this.#pointed = null;
    find(this, ".page-notice", HTMLElement).replaceChildren();
    const blockId = this.#text.topBlock();
    if (blockId) await this.#toPage({ blockId, offset: 0 });
    this.#light();
  }

  /** @param {Spot} spot */
  async #toPage(spot) {
    try {
      await this.#pages?.goTo(spot);
    } catch (error) {
      if (!isAbort(error) && !leaveIfSignedOut(error)) toast({ message: messageOf(error) });
    }
  }

  get #text() {
    return find(this, "lectern-text", ReaderText);
  }

  /** @param {HTMLAudioElement} audio */
  #listen(audio) {
    const player = this.#player;
    this.listen(player, "state", () => this.#onState());
    this.listen(player, "place", () => this.#onPlace());
    this.listen(player, "notice", (event) => toast({ message: event.detail }));
    this.listen(this.#follow, "change", () => this.#showAway());
    this.listen(this, "text-spot", (event) => this.#playFrom(event.detail));
    this.listen(this, "text-link", (event) => void this.#goTo(event.detail.section, event.detail.blockId));
    this.listen(this, "contents-go", (event) => void this.#goTo(event.detail.section, event.detail.blockId));
    this.listen(this, "player-voices", () => void this.#openVoices());
    this.listen(this, "voice-preview", () => player.pause());
    this.listen(this, "voice-chosen", (event) => this.#changeVoice(event.detail));
    this.listen(this, "source-chosen", (event) => {
      player.changeSource(event.detail.source);
      this.#showVoice(event.detail.name);
    });
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
    this.listen(audio, "timeupdate", () => player.observe());
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
    this.#hasPlace = true;
    const { blockId, ordinal, word } = this.#player.place;
    const section = sectionOf(blockId);
    setOrRemove(this, "segment", ordinal);
    setOrRemove(this, "wordStart", word?.[0] ?? null);
    setOrRemove(this, "wordEnd", word?.[1] ?? null);
    this.dataset.block = blockId;
    const isText = this.#isShowing && !this.#shownPages;
    if (isText && section !== this.#shown && section !== this.#wanted && !this.#follow.isAway) void this.#showSection(section, {});
    this.#light();
    this.#notePosition();
  }

  /** Light what is spoken, if it is on the page. */
  #light() {
    const { blockId, offset, word } = this.#player.place;
    const section = this.#book.peek(sectionOf(blockId));
    if (this.#shownPages) {
      if (!section || !this.#hasPlace) return this.#shownPages.forget();
      const sentence = section.sentenceAt({ blockId, offset });
      return this.#point(this.#shownPages.light(blockId, sentence ? [sentence.start, sentence.end] : null, word));
    }
    if (!section || !this.#hasPlace || sectionOf(blockId) !== this.#shown) return this.#highlighter.forget();
    const sentence = section.sentenceAt({ blockId, offset });
    const range = this.#highlighter.show(blockId, sentence ? [sentence.start, sentence.end] : null, word);
    return this.#point(range ?? this.#text.element(blockId));
  }

  /** @type {{getBoundingClientRect: () => DOMRect} | null} */
  #pointed = null;

  /** @param {{getBoundingClientRect: () => DOMRect} | null} target */
  #point(target) {
    if (target !== this.#pointed) this.#follow.point(target);
    this.#pointed = target;
  }

  /** @param {number} index @param {{spot?: Spot, blockId?: string}} to */
  async #showSection(index, { spot, blockId = "" }) {
    this.#wanted = index;
    const notice = find(this, ".page-notice", HTMLElement);
    try {
      const slow = setTimeout(() => this.#wanted === index && render(notice, skeleton()), 150);
      const { section } = await this.#book.section(index).finally(() => clearTimeout(slow));
      if (this.#wanted !== index) return;
      notice.replaceChildren();
      this.#highlighter.forget();
      this.#pointed = null;
      this.#text.show(this.#documentId, section, this.#book.reading.language);
      this.#shown = index;
      this.dataset.section = String(index);
      this.#showEnds(index);
      this.#scrollTo(blockId);
      this.#light();
      if (spot) this.#follow.resume({ smoothly: false });
      if (this.#book.sectionCount > index + 1) void this.#book.section(index + 1).catch(() => undefined);
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      this.#showFailure("This part could not be loaded", messageOf(error), () => void this.#showSection(index, { spot, blockId }));
    }
  }

  /** Show a place and take the voice there. @param {number} section @param {string} blockId empty for its start */
  async #goTo(section, blockId) {
    if (section < 0 || section >= this.#book.sectionCount) return;
    const pages = this.#shownPages;
    const isKnown = blockId !== "" && (await this.#book.section(section).catch(() => null)) !== null;
    // A note is looked at while the voice goes on.
    const isNote = isKnown && !this.#book.isRead({ blockId, offset: 0 });
    if (isNote) this.#follow.leave();
    if (pages) await this.#toPage({ blockId: blockId || `${section}-0`, offset: 0 });
    else if (section !== this.#shown) await this.#showSection(section, { blockId });
    else this.#scrollTo(blockId);
    const spoken = blockId || this.#book.peek(section)?.first?.blockId;
    if (spoken && !isNote && (pages || section === this.#shown)) this.#player.seek({ blockId: spoken, offset: 0 });
  }

  /** @param {string} blockId */
  #scrollTo(blockId) {
    const target = blockId ? this.#text.element(blockId) : null;
    if (target) target.scrollIntoView({ block: "start", behavior: "instant" });
    else scrollTo({ top: 0, behavior: "instant" });
  }

  /** @param {Spot} spot */
  #playFrom(spot) {
    this.#follow.resume();
    this.#player.playFrom(spot);
  }

  /** @param {string | undefined} command */
  #command(command) {
    if (command && this.#pages?.command(command)) return;
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
      contents: () => find(this, "lectern-contents", Contents).open(this.#section),
      voices: () => void this.#openVoices(),
      recordings: () => void this.#openRecordings(),
      options: () => void this.#openOptions(),
      help: () => find(this, "lectern-shortcuts", Shortcuts).open(),
      "previous-section": () => void this.#goTo(this.#section - 1, ""),
      "next-section": () => void this.#goTo(this.#section + 1, ""),
      "to-voice": () => void this.#backToVoice(),
    };
    if (command) actions[command]?.();
  }

  /** The section that is looked at. */
  get #section() {
    return this.#shownPages?.section ?? this.#shown;
  }

  async #backToVoice() {
    const section = sectionOf(this.#player.place.blockId);
    if (this.#shownPages) this.#shownPages.goToVoice();
    else if (section !== this.#shown) await this.#showSection(section, {});
    this.#follow.resume();
  }

  async #openVoices() {
    const { VoiceChooser } = await import("./voice-chooser.js");
    if (!customElements.get("lectern-voices")) customElements.define("lectern-voices", VoiceChooser);
    const text = this.#book.peek(this.#section);
    const sentence = text?.first;
    const block = sentence && text?.block(sentence.blockId);
    const sample = block ? [...block.text].slice(sentence.sentence.start, sentence.sentence.end).slice(0, 160).join("") : "";
    find(this, "lectern-voices", VoiceChooser).open({ settings: this.#player.settings, language: this.#book.reading.language, sample });
  }

  async #openOptions() {
    const { openReadingOptions } = await import("./reading-options/dialog.js");
    const { reading } = this.#book;
    const { blockId } = this.#player.place;
    const sample = this.#book.peek(sectionOf(blockId))?.block(blockId)?.text.slice(0, 200) ?? "";
    const opened = { documentId: this.#documentId, language: reading.language, sample, voice: this.#player.settings };
    await openReadingOptions(opened, ({ options, language }) => {
      this.#readAs(options);
      reading.language = language;
      const voice = this.preferences.get("voice") ?? { providerRef: this.#player.settings.providerRef };
      this.#player.changeVoice({ ...voice, language: language || undefined });
    });
  }

  /** @param {import("../api/reading-options.js").ReadingOptions} options */
  #readAs(options) {
    this.#book.options = options;
    this.#text.dataset.reads = options.includeRoles.join(" ");
  }

  async #openRecordings() {
    const { openRecordings } = await import("./recordings.js");
    openRecordings(this, this.#documentId);
  }

  /** @param {import("../model/preferences.js").VoiceChoice} voice */
  #changeVoice(voice) {
    this.#player.changeSource();
    this.preferences.set("voice", voice);
    this.#player.changeVoice({ ...voice, language: this.#book.reading.language || undefined });
    this.#showVoice();
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

  #showVoice(name = this.#player.settings.voice ?? "Voice") {
    find(this, ".player-voice", HTMLElement).textContent = name;
  }

  #showAway() {
    const isElsewhere = !this.#shownPages && this.#shown >= 0 && sectionOf(this.#player.place.blockId) !== this.#shown;
    const isShown = this.#player.state.wantsSound && (isElsewhere || this.#follow.isAway);
    find(this, ".to-voice", HTMLElement).hidden = !isShown;
  }

  /** @param {string} title */
  #showTitle(title) {
    document.title = `${title} · Lectern`;
    find(this, ".reader-title", HTMLElement).textContent = title;
  }

  /** @param {number} index */
  #showEnds(index) {
    const { sections } = this.#book.reading;
    const link = (/** @type {number} */ to, /** @type {string} */ command, /** @type {string} */ label) => {
      const section = sections[to];
      if (!section) return html`<span></span>`;
      return html`<button type="button" class="end-link" data-command="${command}"><span class="eyebrow">${label}</span><span dir="auto">${section.title || `Part ${to + 1}`}</span></button>`;
    };
    render(find(this, ".reader-ends", HTMLElement), html`${link(index - 1, "previous-section", "Previous")}${link(index + 1, "next-section", "Next")}`);
  }

  /** @param {LibraryDocument} item */
  #showWaiting(item) {
    const { phase = "", done = 0, total = 0 } = item.progress ?? {};
    render(find(this, ".page-notice", HTMLElement), html`<section class="notice" role="status"><h2>Still being opened</h2><p>${phaseName(phase)}…</p>
      <progress ${total ? html`value="${done}" max="${total}"` : ""} aria-label="Opening"></progress></section>`);
  }

  /** @param {string} title @param {string} message @param {() => void} [again] */
  #showFailure(title, message, again = () => void this.#open()) {
    const notice = find(this, ".page-notice", HTMLElement);
    render(notice, html`<section class="notice" role="alert"><h2>${title}</h2><p>${message}</p>
      <p class="notice-actions"><button type="button" class="button button-primary">${icon("retry")} Try again</button>
      <a class="button" href="/app">Back to the library</a></p></section>`);
    this.listen(find(notice, "button", HTMLButtonElement), "click", again, { once: true });
  }
}

/** @param {HTMLElement} element @param {string} name @param {number | null} value */
function setOrRemove(element, name, value) {
  if (value === null) delete element.dataset[name];
  else element.dataset[name] = String(value);
}

function frame() {
  return html`
    <header class="reader-bar">
      <a class="icon-button" href="/app" aria-label="Back to the library" title="Library">${icon("back")}</a>
      <button type="button" class="icon-button" data-command="contents" aria-label="Contents" title="Contents (C)">${icon("contents")}</button>
      <h1 class="reader-title" dir="auto"></h1>
      <button type="button" class="icon-button" data-command="recordings" aria-label="Your own audiobook" title="Your own audiobook">${icon("headphones")}</button>
      <button type="button" class="icon-button" data-command="options" aria-label="What is read" title="What is read">${icon("edit")}</button>
      <button type="button" class="icon-button wide-only" data-command="help" aria-label="Keyboard" title="Keyboard (?)">${icon("keyboard")}</button>
      <lectern-theme reading></lectern-theme>
    </header>
    <main class="reader-page">
      <div class="page-notice"></div>
      <lectern-text class="book-text"></lectern-text>
      <nav class="reader-ends" aria-label="Sections"></nav>
      <button type="button" class="to-voice" data-command="to-voice" hidden>${icon("voice")} Back to the voice</button>
    </main>
    <lectern-player role="region" aria-label="Player"></lectern-player>
    <lectern-contents></lectern-contents>
    <lectern-voices></lectern-voices>
    <lectern-shortcuts></lectern-shortcuts>
    <audio preload="none"></audio>`;
}

function skeleton() {
  return html`<div class="text-skeleton" aria-busy="true" aria-label="Loading the text">
    <span class="skeleton skeleton-heading"></span>${Array.from({ length: 9 }, () => html`<span class="skeleton skeleton-line"></span>`)}</div>`;
}
