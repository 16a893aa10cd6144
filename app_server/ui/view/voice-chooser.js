/** Choosing a voice: by provider, searched by name or language, heard before it is taken. */

import { listProviders, listVoices, previewVoice } from "../api/voices.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { childController, isAbort } from "../lib/signals.js";
import { messageOf } from "./failures.js";
import { icon } from "./icons.js";
import { toast } from "./toasts.js";

/** @typedef {import("../api/types.js").Provider} Provider */
/** @typedef {import("../api/types.js").Voice} Voice */

const SAMPLE = "This is how a page of your book will sound.";

/** Emits "voice-chosen" with {providerRef, model, voice}. */
export class VoiceChooser extends Component {
  /** @type {Provider[]} */
  #providers = [];
  /** @type {Voice[]} */
  #voices = [];
  #chosen = { providerRef: "", model: "", voice: "" };
  #language = "";
  #sample = SAMPLE;
  #loading = new AbortController();
  #preview = new Audio();

  connected() {
    render(this, html`<dialog class="drawer drawer-end" aria-labelledby="voices-title">
      <div class="drawer-header"><h2 id="voices-title">Voice</h2>
        <button type="button" class="icon-button" data-close aria-label="Close">${icon("close")}</button></div>
      <div class="voices-tools">
        <label class="voices-provider" hidden><span>Spoken by</span><select></select></label>
        <label class="voices-provider voices-model" hidden><span>Model</span><select></select></label>
        <label class="search">${icon("search")}<input type="search" placeholder="Name or language" aria-label="Search voices" autocomplete="off"></label>
      </div>
      <div class="voices-list" aria-live="polite"></div>
    </dialog>`);
    this.listen(this, "click", (event) => this.#onClick(event.target));
    this.listen(find(this, "input", HTMLInputElement), "input", () => this.#show());
    this.listen(this.#select(), "change", (event) => void this.#choose(event.target.value));
    this.listen(this.#select("model"), "change", (event) => void this.#choose(this.#chosen.providerRef, event.target.value));
    this.listen(this.#dialog, "close", () => this.#stopPreview());
    this.signal.addEventListener("abort", () => this.#stopPreview(), { once: true });
  }

  #select(of = "provider") {
    return find(this, `.voices-${of} select`, HTMLSelectElement);
  }

  get #dialog() {
    return find(this, "dialog", HTMLDialogElement);
  }

  /** @param {{settings: import("../api/types.js").SpeechSettings, language: string, sample: string}} now */
  open({ settings, language, sample }) {
    this.#chosen = { providerRef: settings.providerRef, model: settings.model ?? "", voice: settings.voice ?? "" };
    this.#language = language;
    this.#sample = sample || SAMPLE;
    this.#dialog.showModal();
    void this.#load();
  }

  async #load() {
    this.#say("Looking for voices…");
    try {
      if (!this.#providers.length) {
        const { providers, default: preferred } = await listProviders(this.signal);
        this.#providers = providers;
        this.#chosen.providerRef ||= preferred;
      }
      const select = this.#select();
      render(select, html`${this.#providers.map(({ ref, displayName, status }) => html`<option value="${ref}">${displayName}${status === "key_unreadable" ? " (its key must be entered again)" : ""}</option>`)}`);
      select.value = this.#chosen.providerRef;
      find(this, ".voices-provider", HTMLElement).hidden = this.#providers.length < 2;
      await this.#choose(this.#chosen.providerRef);
    } catch (error) {
      if (!isAbort(error)) this.#fail(messageOf(error));
    }
  }

  /** @param {string} providerRef @param {string} [wanted] another model */
  async #choose(providerRef, wanted) {
    this.#loading.abort();
    const loading = (this.#loading = childController(this.signal));
    const provider = this.#providers.find(({ ref }) => ref === providerRef);
    const isSame = providerRef === this.#chosen.providerRef && wanted === undefined;
    const model = wanted ?? ((isSame && this.#chosen.model) || provider?.defaultModel || "");
    this.#say("Looking for voices…");
    try {
      const answer = await listVoices(providerRef, model, loading.signal);
      this.#voices = answer.voices;
      this.#chosen = { providerRef, model: answer.model ?? model, voice: (isSame && this.#chosen.voice) || answer.defaultVoice };
      this.#showModels(answer.models);
      this.#show();
    } catch (error) {
      if (!isAbort(error)) this.#fail(messageOf(error));
    }
  }

  /** @param {string[]} models */
  #showModels(models) {
    render(this.#select("model"), html`${models.map((name) => html`<option${name === this.#chosen.model ? html` selected` : ""}>${name}</option>`)}`);
    find(this, ".voices-model", HTMLElement).hidden = models.length < 2;
  }

  #show() {
    const words = find(this, "input", HTMLInputElement).value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = this.#voices
      .map((voice) => ({ voice, language: languageName(voice.language) }))
      .filter(({ voice, language }) => {
        const text = `${voice.name} ${voice.voiceId} ${voice.language} ${language}`.toLowerCase();
        return words.every((word) => text.includes(word));
      })
      .sort((left, right) => this.#rank(right.voice) - this.#rank(left.voice));
    if (!shown.length) return this.#say(this.#voices.length ? "No voice matches." : "This provider names no voices.");
    return render(find(this, ".voices-list", HTMLElement), html`<ul>${shown.map(({ voice, language }) => html`
      <li class="voice" ${voice.voiceId === this.#chosen.voice ? html`data-chosen` : ""}>
        <button type="button" class="voice-name" data-voice="${voice.voiceId}" aria-pressed="${voice.voiceId === this.#chosen.voice}">
          <span dir="auto">${voice.name || voice.voiceId}</span><span class="voice-language">${language}</span></button>
        <button type="button" class="icon-button" data-preview="${voice.voiceId}" aria-label="Hear ${voice.name || voice.voiceId}" title="Hear it">${icon("play")}</button>
      </li>`)}</ul>`);
  }

  /** The chosen voice first, then those that speak the document's language. @param {Voice} voice */
  #rank(voice) {
    const speaks = this.#language !== "" && voice.language.split("-")[0] === this.#language.split("-")[0];
    const isExact = voice.language.toLowerCase() === this.#language.toLowerCase();
    return (voice.voiceId === this.#chosen.voice ? 4 : 0) + (speaks ? 2 : 0) + (isExact ? 1 : 0);
  }

  /** @param {Element} target */
  #onClick(target) {
    const button = target.closest("button");
    if (target === this.#dialog || button?.hasAttribute("data-close")) this.#dialog.close();
    else if (button?.dataset.preview) void this.#hear(button.dataset.preview, button);
    else if (button?.dataset.voice) {
      this.#chosen.voice = button.dataset.voice;
      this.emit("voice-chosen", { ...this.#chosen });
      this.#dialog.close();
    } else if (button?.dataset.do === "reload") void this.#load();
  }

  /** @param {string} voice @param {HTMLButtonElement} button */
  async #hear(voice, button) {
    this.#stopPreview();
    this.emit("voice-preview");
    button.setAttribute("aria-busy", "true");
    const language = this.#voices.find(({ voiceId }) => voiceId === voice)?.language ?? "";
    const { providerRef, model } = this.#chosen;
    try {
      const sound = await previewVoice({ providerRef, model, voice, text: this.#sample, language }, this.signal);
      this.#preview.src = URL.createObjectURL(sound);
      await this.#preview.play();
    } catch (error) {
      if (!isAbort(error)) toast({ message: messageOf(error) });
    } finally {
      button.removeAttribute("aria-busy");
    }
  }

  #stopPreview() {
    this.#preview.pause();
    if (this.#preview.src) URL.revokeObjectURL(this.#preview.src);
    this.#preview.removeAttribute("src");
  }

  /** @param {string} message */
  #say(message) {
    render(find(this, ".voices-list", HTMLElement), html`<p class="voices-message">${message}</p>`);
  }

  /** @param {string} message */
  #fail(message) {
    render(find(this, ".voices-list", HTMLElement), html`<div class="voices-message" role="alert"><p>${message}</p>
      <button type="button" class="button" data-do="reload">${icon("retry")} Try again</button></div>`);
  }
}

/** @param {string} tag */
function languageName(tag) {
  if (!tag) return "";
  try {
    return new Intl.DisplayNames(undefined, { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
