/** What is opened over a document: contents, voices, reading options, one's own recording; loaded when it is opened. */

import { getReadingOptions } from "../api/reading-options.js";
import { find } from "../lib/html.js";
import { sectionOf } from "../model/block-ids.js";

export class ReaderDialogs {
  #reader;
  #book;
  #documentId;
  #player;
  #views;
  #preferences;

  /**
   * @param {object} parts
   * @param {import("./reader.js").Reader} parts.reader
   * @param {import("../model/book.js").Book} parts.book
   * @param {string} parts.documentId
   * @param {import("../model/player-on-demand.js").PlayerOnDemand} parts.player
   * @param {import("./reading-views.js").ReadingViews} parts.views
   * @param {import("../model/preferences.js").Preferences} parts.preferences
   */
  constructor({ reader, book, documentId, player, views, preferences }) {
    this.#reader = reader;
    this.#book = book;
    this.#documentId = documentId;
    this.#player = player;
    this.#views = views;
    this.#preferences = preferences;
  }

  /** Show what is chosen now, and do what is chosen in a dialog. */
  attend() {
    const reader = this.#reader;
    reader.listen(reader, "player-voices", () => void this.openVoices());
    reader.listen(reader, "voice-preview", () => this.#player.pause());
    reader.listen(reader, "voice-chosen", (event) => this.#changeVoice(event.detail));
    reader.listen(reader, "source-chosen", (event) => {
      this.#player.changeSource(event.detail.source);
      this.#showVoice(event.detail.name);
    });
    this.#showVoice();
    getReadingOptions(this.#documentId, reader.signal).then((options) => this.#readAs(options), () => undefined);
  }

  async openContents() {
    const { Contents } = await import("./contents.js");
    if (!customElements.get("lectern-contents")) customElements.define("lectern-contents", Contents);
    const contents = find(this.#reader, "lectern-contents", Contents);
    contents.show(this.#book.reading);
    contents.open(this.#views.section);
  }

  async openVoices() {
    const { VoiceChooser } = await import("./voice-chooser.js");
    if (!customElements.get("lectern-voices")) customElements.define("lectern-voices", VoiceChooser);
    const text = this.#book.peek(this.#views.section);
    const sentence = text?.first;
    const block = sentence && text?.block(sentence.blockId);
    const sample = block ? [...block.text].slice(sentence.sentence.start, sentence.sentence.end).slice(0, 160).join("") : "";
    find(this.#reader, "lectern-voices", VoiceChooser).open({ settings: this.#player.settings, language: this.#book.reading.language, sample });
  }

  async openOptions() {
    const { openReadingOptions } = await import("./reading-options/dialog.js");
    const { reading } = this.#book;
    const { blockId } = this.#player.place;
    const sample = this.#book.peek(sectionOf(blockId))?.block(blockId)?.text.slice(0, 200) ?? "";
    const opened = { documentId: this.#documentId, language: reading.language, sample, voice: this.#player.settings };
    await openReadingOptions(opened, ({ options, language }) => {
      this.#readAs(options);
      reading.language = language;
      const voice = this.#preferences.get("voice") ?? { providerRef: this.#player.settings.providerRef };
      this.#player.changeVoice({ ...voice, language: language || undefined });
    });
  }

  async openRecordings() {
    const { openRecordings } = await import("./recordings.js");
    openRecordings(this.#reader, this.#documentId, this.#book.reading.narration);
  }

  /** @param {import("../api/reading-options.js").ReadingOptions} options */
  #readAs(options) {
    this.#book.options = options;
    find(this.#reader, ".book-text", HTMLElement).dataset.reads = options.includeRoles.join(" ");
  }

  /** @param {import("../model/preferences.js").VoiceChoice} voice */
  #changeVoice(voice) {
    this.#player.changeSource();
    this.#preferences.set("voice", voice);
    this.#player.changeVoice({ ...voice, language: this.#book.reading.language || undefined });
    this.#showVoice();
  }

  #showVoice(name = this.#player.settings.voice ?? "Voice") {
    find(this.#reader, ".player-voice", HTMLElement).textContent = name;
  }
}
