/** What of a document is looked at: its text, or the pages of a PDF; and where the voice is in it. */

import { isAbort } from "../lib/signals.js";
import { sectionOf } from "../model/block-ids.js";
import { leaveIfSignedOut, messageOf } from "./failures.js";
import { toast } from "./toasts.js";

/** @typedef {import("../api/types.js").LibraryDocument} LibraryDocument */
/** @typedef {import("../model/book.js").Spot} Spot */
/** @typedef {import("./pages/pages.js").Pages} Pages */
/** @typedef {import("./text-view.js").TextView} TextView */

export class ReadingViews {
  #reader;
  #book;
  #documentId;
  #player;
  #follow;
  #notice;
  #storage;
  /** Each is loaded when it is first shown. @type {Pages | null} */
  #pages = null;
  /** @type {TextView | null} */
  #text = null;
  /** Until it is known what is shown, the voice brings nothing onto the page. */
  #isShowing = false;
  /** Is there a place worth showing: one kept from earlier, or one gone to since? */
  #hasPlace = false;
  #isFetching = false;
  /** @type {{getBoundingClientRect: () => DOMRect} | null} */
  #pointed = null;

  /**
   * @param {object} parts
   * @param {import("./reader.js").Reader} parts.reader
   * @param {import("../model/book.js").Book} parts.book
   * @param {string} parts.documentId
   * @param {import("../model/player-on-demand.js").PlayerOnDemand} parts.player
   * @param {import("./follow.js").Follow} parts.follow
   * @param {import("./page-notice.js").PageNotice} parts.notice
   * @param {Pick<Storage, "getItem" | "setItem"> | null} parts.storage
   */
  constructor({ reader, book, documentId, player, follow, notice, storage }) {
    this.#reader = reader;
    this.#book = book;
    this.#documentId = documentId;
    this.#player = player;
    this.#follow = follow;
    this.#notice = notice;
    this.#storage = storage;
  }

  /** What the document opens with: its pages, if it has any and they were not put away, or its text. @param {LibraryDocument} item @param {Spot} spot */
  async showFirst(item, spot) {
    this.#hasPlace = item.position !== null;
    if (item.pageVersion && this.#book.reading.pages.length) await this.#offerPages(item.pageVersion);
    if (this.#signal.aborted || (!this.#pages && !this.#book.sectionCount)) return;
    this.#isShowing = true;
    if (!this.#shownPages) return void this.#showSection(sectionOf(spot.blockId), { staysWithVoice: item.position !== null });
    this.#notice.clear();
    if (item.position) await this.#toPage(spot);
    this.light();
  }

  /** The section that is looked at. */
  get section() {
    return this.#shownPages?.section ?? this.#text?.section ?? 0;
  }

  /** Is the voice in a part of the text that is not on the page? */
  get isElsewhere() {
    return !this.#shownPages && this.#text !== null && this.#text.section >= 0 && this.#text.section !== this.#spokenSection;
  }

  /** The voice has moved. */
  follow() {
    this.#hasPlace = true;
    const isText = this.#isShowing && !this.#shownPages;
    if (isText && !this.#text?.isOn(this.#spokenSection) && !this.#follow.isAway) void this.#showSection(this.#spokenSection);
    this.light();
  }

  /** Light what is spoken, if it is on the page. */
  light() {
    const { blockId, offset, word } = this.#player.place;
    const section = this.#book.peek(sectionOf(blockId));
    const view = this.#shownPages ?? this.#text;
    if (!section && this.#shownPages && this.#hasPlace) void this.#fetchSpoken();
    if (!section || !this.#hasPlace) return view?.forget();
    const sentence = section.sentenceAt({ blockId, offset });
    const target = view?.light(blockId, sentence ? [sentence.start, sentence.end] : null, word) ?? null;
    if (view === this.#text && this.isElsewhere) return undefined;
    return this.#point(target);
  }

  /** The pages that are near may be silent: what is spoken stands on one that nobody has seen yet. */
  async #fetchSpoken() {
    if (this.#isFetching) return;
    this.#isFetching = true;
    const section = this.#spokenSection;
    const isHere = await this.#book.section(section).then(() => true, () => false);
    this.#isFetching = false;
    if (isHere && section === this.#spokenSection && !this.#signal.aborted) this.light();
  }

  /** Show a place. @param {number} section @param {string} blockId empty for its start @returns {Promise<Spot | null>} where the voice is to go, if it is */
  async goTo(section, blockId) {
    if (section < 0 || section >= this.#book.sectionCount) return null;
    const pages = this.#shownPages;
    const isKnown = blockId !== "" && (await this.#book.section(section).catch(() => null)) !== null;
    // A note is looked at while the voice goes on.
    const isNote = isKnown && !this.#book.isRead({ blockId, offset: 0 });
    if (isNote) this.#follow.leave();
    if (pages) await this.#toPage({ blockId: blockId || `${section}-0`, offset: 0 });
    else if (section !== this.#text?.section) await this.#showSection(section, { blockId });
    else this.#text.goTo(blockId);
    const spoken = blockId || this.#book.peek(section)?.first?.blockId;
    const isThere = pages !== null || section === this.#text?.section;
    return spoken && !isNote && isThere ? { blockId: spoken, offset: 0 } : null;
  }

  async goToVoice() {
    if (this.#shownPages) this.#shownPages.goToVoice();
    else if (this.isElsewhere) await this.#showSection(this.#spokenSection);
    this.#follow.resume();
  }

  /** @param {string} command @returns {boolean} whether it is one of the pages' */
  command(command) {
    return this.#pages?.command(command) ?? false;
  }

  get #signal() {
    return this.#reader.signal;
  }

  get #spokenSection() {
    return sectionOf(this.#player.place.blockId);
  }

  get #shownPages() {
    return this.#pages?.isShown ? this.#pages : null;
  }

  /** @param {string} version */
  async #offerPages(version) {
    try {
      const { Pages, loadStyles } = await import("./pages/pages.js");
      await loadStyles();
      if (this.#signal.aborted) return;
      this.#pages = new Pages({ reader: this.#reader, book: this.#book, documentId: this.#documentId, version, follow: this.#follow, storage: this.#storage });
      this.#reader.listen(this.#reader, "text-shown", (event) => void this.#showText(event.detail));
      this.#reader.listen(this.#reader, "pages-shown", () => void this.#showPages());
    } catch {
      if (this.#book.sectionCount) toast({ message: "The pages could not be loaded, so you see the text. Reload to try again." });
      else this.#notice.failure("The pages could not be loaded", "Check your connection.", () => location.reload());
    }
  }

  /** @param {string} blockId what was looked at on the pages, "" for nothing that is read */
  async #showText(blockId) {
    this.#pages?.forget();
    this.#pointed = null;
    await this.#showSection(blockId ? sectionOf(blockId) : Math.max(0, this.#text?.section ?? 0), { blockId });
  }

  /** The pages take over where the text was. */
  async #showPages() {
    this.#text?.forget();
    this.#pointed = null;
    this.#notice.clear();
    const blockId = this.#text?.blockHere();
    if (blockId) await this.#toPage({ blockId, offset: 0 });
    this.light();
  }

  /** @param {Spot} spot */
  async #toPage(spot) {
    try {
      await this.#pages?.goTo(spot);
    } catch (error) {
      if (!isAbort(error) && !leaveIfSignedOut(error)) toast({ message: messageOf(error) });
    }
  }

  /** @param {number} index @param {{blockId?: string, staysWithVoice?: boolean}} [to] */
  async #showSection(index, to = {}) {
    try {
      const text = (this.#text ??= await this.#newText());
      if (!(await text.show(index, to.blockId))) return;
      this.#pointed = null;
      this.light();
      if (to.staysWithVoice) this.#follow.resume({ smoothly: false });
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      this.#notice.failure("This part could not be loaded", messageOf(error), () => void this.#showSection(index, to));
    }
  }

  async #newText() {
    const { TextView } = await import("./text-view.js");
    return this.#text ?? new TextView({ reader: this.#reader, book: this.#book, documentId: this.#documentId, notice: this.#notice, signal: this.#signal });
  }

  /** @param {{getBoundingClientRect: () => DOMRect} | null} target */
  #point(target) {
    if (target !== this.#pointed) this.#follow.point(target);
    this.#pointed = target;
  }
}
