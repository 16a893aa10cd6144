/** The files on their way into the library. */

import { Component } from "../lib/component.js";
import { html, render } from "../lib/html.js";
import { icon } from "./icons.js";
import { phaseName } from "./phases.js";

/** @typedef {import("../model/upload-queue.js").Upload} Upload */

export class UploadList extends Component {
  /** @type {import("../model/upload-queue.js").UploadQueue | null} */
  #queue = null;
  #isDue = false;

  /** @param {import("../model/upload-queue.js").UploadQueue} queue */
  follow(queue) {
    this.#queue = queue;
    this.listen(queue, "change", () => this.#showSoon());
    this.listen(this, "click", (event) => this.#act(event.target.closest("[data-action]")));
    this.#showSoon();
  }

  /** @param {HTMLElement | null} button */
  #act(button) {
    const id = Number(button?.dataset.id);
    if (button?.dataset.action === "retry") this.#queue?.retry(id);
    if (button?.dataset.action === "dismiss") this.#queue?.dismiss(id);
  }

  /** Progress comes in faster than frames do. */
  #showSoon() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#show();
    });
  }

  #show() {
    const uploads = (this.#queue?.uploads ?? []).filter(({ state }) => state !== "ready");
    this.hidden = uploads.length === 0;
    const focused = document.activeElement instanceof HTMLElement && this.contains(document.activeElement)
      ? document.activeElement.dataset : null;
    render(this, html`<ul>${uploads.map(row)}</ul>`);
    if (focused) {
      const again = this.querySelector(`[data-action="${focused.action}"][data-id="${focused.id}"]`);
      if (again instanceof HTMLElement) again.focus();
    }
  }
}

/** @param {Upload} upload */
function row(upload) {
  const percent = Math.round(upload.fraction * 100);
  const isFailed = upload.state === "failed";
  const isMeasured = (upload.state === "uploading" && upload.file instanceof File) || (upload.state === "processing" && upload.fraction > 0);
  return html`<li class="upload" data-state="${upload.state}">
    <div class="upload-text">
      <span class="upload-name" dir="auto">${upload.file.name}</span>
      <span class="upload-state" ${isFailed ? html`role="alert"` : ""}>${isFailed ? upload.message : stateText(upload, percent)}</span>
    </div>
    ${isFailed ? "" : html`<progress ${isMeasured ? html`value="${percent}" max="100"` : ""} aria-label="Progress of ${upload.file.name}"></progress>`}
    <div class="upload-actions">
      ${isFailed && upload.canRetry ? html`<button type="button" class="button button-small" data-action="retry" data-id="${upload.id}">${icon("retry")} Try again</button>` : ""}
      <button type="button" class="icon-button" data-action="dismiss" data-id="${upload.id}" aria-label="${isFailed ? "Dismiss" : "Cancel"} ${upload.file.name}">${icon("close")}</button>
    </div>
  </li>`;
}

/** @param {Upload} upload @param {number} percent */
function stateText(upload, percent) {
  if (upload.state === "waiting") return "Waiting";
  if (upload.state === "uploading" && !(upload.file instanceof File)) return "Copying from the server…";
  if (upload.state === "uploading") return percent < 100 ? `Uploading, ${percent}%` : "Checking the file…";
  return `${phaseName(upload.document?.progress?.phase ?? "")}…`;
}
