/** Audiobooks that a person owns: uploaded for a document, aligned with its text, and played with its words lit. */

import { deleteRecording, getAlignment, listRecordings, recordingPath, tellRecording, uploadRecording, watchRecording } from "../api/recordings.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { childController, isAbort } from "../lib/signals.js";
import { narrationText } from "../model/narration.js";
import { RecordingSound } from "../model/recording-sound.js";
import { RecordingTimes, recordingApi } from "../model/recording-source.js";
import { ConfirmDialog } from "./confirm-dialog.js";
import { messageOf } from "./failures.js";
import { icon } from "./icons.js";

/** @typedef {import("../api/recordings.js").Recording} Recording */

const ACCEPTED = "audio/*,.m4b,.m4a,.mp3,.ogg,.oga,.opus,.flac,.wav,.aac,.webm,.mka";
/** @type {Record<string, string>} */
const PHASES = { fetching: "Fetching the file", aligning: "Listening along", storing: "Writing down the words" };
const STYLES = "/ui/styles/recordings.css";

/**
 * @param {HTMLElement} page
 * @param {string} documentId
 * @param {import("../api/types.js").ReadingDocument["narration"]} narration that the document's own file brings
 */
export function openRecordings(page, documentId, narration) {
  if (!customElements.get("lectern-recordings")) customElements.define("lectern-recordings", Recordings);
  if (!customElements.get("lectern-confirm")) customElements.define("lectern-confirm", ConfirmDialog);
  if (!document.querySelector(`link[href="${STYLES}"]`)) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLES }));
  }
  let view = page.querySelector("lectern-recordings");
  if (!(view instanceof Recordings)) {
    view = new Recordings();
    Object.assign(view, { documentId, narration });
    page.append(view);
  }
  /** @type {Recordings} */ (view).open();
}

/** Emits "source-chosen" with {source, name}; both undefined for the voices again. */
export class Recordings extends Component {
  documentId = "";
  /** @type {import("../api/types.js").ReadingDocument["narration"]} */
  narration = null;
  /** @type {Map<string, Recording>} */
  #recordings = new Map();
  /** Of a ready one: how much of the text is heard in it. @type {Map<string, string>} */
  #found = new Map();
  /** @type {Set<string>} */
  #followed = new Set();
  /** @type {{name: string, sent: number, total: number, stop: AbortController} | null} */
  #upload = null;
  #error = "";
  #maxMegabytes = Number.POSITIVE_INFINITY;
  #playing = "";
  #source = new AbortController();

  connected() {
    render(this, html`<dialog class="drawer drawer-end" aria-labelledby="recordings-title">
      <div class="drawer-header"><h2 id="recordings-title">Your own audiobook</h2>
        <button type="button" class="icon-button" data-do="close" aria-label="Close">${icon("close")}</button></div>
      <p class="recordings-about">Align an audiobook you own with this document: Lectern listens along once, then plays your
        recording and lights each word as it is read.</p>
      ${this.narration ? html`<p class="recordings-narration">${icon("headphones")} <span>${narrationText(this.narration)}</span></p>` : ""}
      <div class="recordings-list" aria-live="polite"></div>
      <div class="recordings-add">
        <label class="button button-primary">${icon("upload")} <span>Add a recording</span>
          <input type="file" class="unseen" accept="${ACCEPTED}"></label>
        <p class="recordings-hint">One file: MP3, M4A, M4B, Ogg, Opus, FLAC or WAV.</p>
      </div>
      <lectern-confirm></lectern-confirm>
    </dialog><audio></audio>`);
    const file = find(this, "input", HTMLInputElement);
    this.listen(file, "change", () => {
      const [chosen] = file.files ?? [];
      file.value = "";
      if (chosen) void this.#send(chosen);
    });
    this.listen(this, "click", (event) => this.#onClick(event.target));
  }

  get #dialog() {
    return find(this, "dialog", HTMLDialogElement);
  }

  open() {
    if (!this.#dialog.open) this.#dialog.showModal();
    void this.#load();
  }

  async #load() {
    if (!this.#recordings.size) this.#say("Looking for your recordings…");
    try {
      const { recordings, maxMegabytes } = await listRecordings(this.documentId, this.signal);
      this.#recordings = new Map(recordings.map((recording) => [recording.id, recording]));
      this.#maxMegabytes = maxMegabytes;
      this.#error = "";
      for (const recording of recordings) this.#lookAfter(recording);
      this.#show();
    } catch (error) {
      if (!isAbort(error)) this.#fail(error);
    }
  }

  /** @param {File} file */
  async #send(file) {
    if (file.size > this.#maxMegabytes * 1024 * 1024) {
      this.#error = `“${file.name}” is larger than the ${this.#maxMegabytes} MB that a recording may have here.`;
      return this.#show();
    }
    const stop = childController(this.signal);
    const upload = (this.#upload = { name: file.name, sent: 0, total: file.size, stop });
    this.#error = "";
    this.#show();
    try {
      const onProgress = (/** @type {number} */ sent, /** @type {number} */ total) => {
        Object.assign(upload, { sent, total });
        this.#show();
      };
      this.#take(await uploadRecording(this.documentId, file, onProgress, stop.signal));
    } catch (error) {
      if (!stop.signal.aborted) this.#error = messageOf(error);
    } finally {
      this.#upload = null;
      this.#show();
    }
  }

  /** @param {Recording} recording */
  #take(recording) {
    this.#recordings.set(recording.id, recording);
    this.#lookAfter(recording);
    this.#show();
  }

  /** @param {Recording} recording */
  #lookAfter({ id, state }) {
    if (state === "aligning") void this.#follow(id);
    if (state === "ready" && !this.#found.has(id)) void this.#measure(id);
  }

  /** @param {string} id */
  async #follow(id) {
    if (this.#followed.has(id)) return;
    this.#followed.add(id);
    try {
      await watchRecording(this.documentId, id, (recording) => this.#recordings.has(id) && this.#take(recording), this.signal);
    } catch (error) {
      if (!isAbort(error)) this.#error = messageOf(error);
    } finally {
      this.#followed.delete(id);
    }
  }

  /** @param {string} id */
  async #measure(id) {
    try {
      const { durationMs, placedCount, segmentCount } = await getAlignment(this.documentId, id, this.signal);
      this.#found.set(id, `${clock(durationMs)} · ${Math.round((100 * placedCount) / Math.max(1, segmentCount))}% of the text is read in it`);
      this.#show();
    } catch (error) {
      if (!isAbort(error)) this.#found.set(id, "");
    }
  }

  /** @param {Element} target */
  #onClick(target) {
    const button = target.closest("button");
    const { do: action = "", id = "" } = button?.dataset ?? {};
    if (target === this.#dialog || action === "close") this.#dialog.close();
    else if (action === "reload") void this.#load();
    else if (action === "stop-upload") this.#upload?.stop.abort();
    else if (action === "play") this.#play(id);
    else if (action === "voices") this.#playVoices();
    else if (action === "retry" || action === "cancel") void this.#tell(id, action);
    else if (action === "delete") void this.#delete(id);
  }

  /** @param {string} id @param {"retry" | "cancel"} verb */
  async #tell(id, verb) {
    try {
      this.#take(await tellRecording(this.documentId, id, verb));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {string} id */
  async #delete(id) {
    const name = this.#recordings.get(id)?.fileName ?? "";
    const question = { title: "Delete this recording?", message: `“${name}” and what was found in it are deleted from Lectern.`, action: "Delete" };
    if (!(await find(this, "lectern-confirm", ConfirmDialog).ask(question))) return;
    try {
      await deleteRecording(this.documentId, id);
      this.#recordings.delete(id);
      if (this.#playing === id) this.#playVoices();
      this.#show();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {string} id */
  #play(id) {
    this.#source.abort();
    this.#source = childController(this.signal);
    const parts = { documentId: this.documentId, recordingId: id };
    const times = new RecordingTimes(parts);
    const sound = new RecordingSound({ audio: find(this, "audio", HTMLAudioElement), times, signal: this.#source.signal });
    this.#playing = id;
    this.emit("source-chosen", { source: { api: recordingApi({ ...parts, times }), sound }, name: "Your recording" });
    this.#show();
    this.#dialog.close();
  }

  #playVoices() {
    this.#playing = "";
    this.emit("source-chosen", {});
    this.#source.abort();
    this.#show();
  }

  #show() {
    const shown = [...this.#recordings.values()].map((recording) => this.#row(recording));
    if (this.#upload) shown.push(this.#uploadRow(this.#upload));
    const error = this.#error ? html`<p class="form-error" role="alert">${this.#error}</p>` : "";
    const empty = shown.length ? "" : html`<p class="recordings-empty">There is none yet.</p>`;
    render(find(this, ".recordings-list", HTMLElement), html`${error}${empty}<ul>${shown}</ul>`);
  }

  /** @param {{name: string, sent: number, total: number}} upload */
  #uploadRow({ name, sent, total }) {
    return html`<li class="recording"><p class="recording-name" dir="auto">${name}</p>
      <progress value="${sent}" max="${total || 1}" aria-label="Uploading"></progress>
      <p class="recording-state">Uploading, ${Math.floor((100 * sent) / (total || 1))}%</p>
      <div class="recording-actions"><button type="button" class="button button-small" data-do="stop-upload">Cancel</button></div></li>`;
  }

  /** @param {Recording} recording */
  #row({ id, fileName, state, progress, error }) {
    const { phase = "", done = 0, total = 0 } = progress ?? {};
    const remove = html`<button type="button" class="icon-button" data-do="delete" data-id="${id}" aria-label="Delete “${fileName}”" title="Delete">${icon("trash")}</button>`;
    const isPlaying = id === this.#playing;
    const body = {
      aligning: html`<progress ${total ? html`value="${done}" max="${total}"` : ""} aria-label="Aligning"></progress>
        <p class="recording-state">${PHASES[phase] ?? "Waiting its turn"}${phase === "aligning" && total ? `, ${Math.floor((100 * done) / total)}%` : "…"}</p>
        <div class="recording-actions"><button type="button" class="button button-small" data-do="cancel" data-id="${id}">Cancel</button></div>`,
      ready: html`<p class="recording-state">${this.#found.get(id) ?? "Ready"}</p>
        <div class="recording-actions">
          ${isPlaying ? html`<button type="button" class="button button-small" data-do="voices">${icon("voice")} Back to the voice</button>`
            : html`<button type="button" class="button button-small button-primary" data-do="play" data-id="${id}">${icon("headphones")} Listen to it</button>`}
          <a class="button button-small" href="${recordingPath(this.documentId, id, "/transcript.vtt")}" download="transcript.vtt">Transcript</a>${remove}</div>`,
      failed: html`<p class="recording-state recording-error">${icon("warning")} ${error?.message ?? "This recording could not be aligned."}</p>
        <div class="recording-actions"><button type="button" class="button button-small" data-do="retry" data-id="${id}">${icon("retry")} Try again</button>${remove}</div>`,
    }[state];
    return html`<li class="recording" data-state="${state}" ${isPlaying ? html`aria-current="true"` : ""}><p class="recording-name" dir="auto">${fileName}</p>${body}</li>`;
  }

  /** @param {string} message */
  #say(message) {
    render(find(this, ".recordings-list", HTMLElement), html`<p class="recordings-empty">${message}</p>`);
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#error = messageOf(error);
    this.#show();
  }
}

/** @param {number} milliseconds */
function clock(milliseconds) {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
