/** One document in the library. */

import { Component } from "../lib/component.js";
import { html, render } from "../lib/html.js";
import { cover } from "./cover.js";
import { icon } from "./icons.js";
import { phaseName } from "./phases.js";

/** @typedef {import("../api/types.js").LibraryDocument} LibraryDocument */

/** @type {Record<string, string>} */
const FORMATS = { web_page: "Web page", epub: "EPUB", html: "HTML", markdown: "Markdown", text: "Text", pdf: "PDF", docx: "Word" };

/** Emits "card-delete", "card-edit", "card-retry" and "card-unlock" with the document as detail. */
export class DocumentCard extends Component {
  /** @type {LibraryDocument | null} */
  #document = null;

  connected() {
    this.setAttribute("role", "listitem");
    this.listen(this, "click", (event) => {
      const action = event.target.closest("[data-action]")?.dataset.action;
      if (action) this.emit(`card-${action}`, this.#document);
    });
    this.#show();
  }

  /** @param {LibraryDocument} document */
  set document(document) {
    this.#document = document;
    if (this.isConnected) this.#show();
  }

  #show() {
    const item = this.#document;
    if (!item) return;
    const had = this.contains(document.activeElement);
    this.dataset.state = item.state;
    const title = item.title || item.fileName;
    const face = html`${cover(item)}<span class="card-title" dir="auto">${title}</span>`;
    render(this, html`
      ${item.state === "ready"
        ? html`<a class="card-link" href="/read/${item.id}">${face}</a>`
        : html`<div class="card-link">${face}</div>`}
      <p class="card-author" dir="auto">${item.authors.join(", ") || "\u00A0"}</p>
      ${status(item)}
      <button type="button" class="icon-button card-delete card-edit" data-action="edit" aria-label="Details of “${title}”" title="Details">${icon("edit")}</button>
      <button type="button" class="icon-button card-delete" data-action="delete" aria-label="Delete “${title}”" title="Delete">${icon("trash")}</button>`);
    if (had) this.querySelector("a")?.focus();
  }
}

/** @param {LibraryDocument} item */
function status(item) {
  if (item.state === "processing") {
    const { done = 0, total = 0, phase = "" } = item.progress ?? {};
    return html`<div class="card-status">
      <progress ${total ? html`value="${done}" max="${total}"` : ""} aria-label="Opening"></progress>
      <span class="card-meta">${phaseName(phase)}…</span></div>`;
  }
  if (item.state === "failed") {
    const isLocked = item.error?.code.startsWith("PASSWORD_");
    return html`<div class="card-status card-error">
      <p>${icon("warning")} ${item.error?.message ?? "This file could not be opened."}</p>
      ${isLocked ? html`<button type="button" class="button button-small" data-action="unlock">${icon("key")} Enter the password</button>` : ""}
      ${item.error?.retryable ? html`<button type="button" class="button button-small" data-action="retry">${icon("retry")} Try again</button>` : ""}</div>`;
  }
  const percent = readPercent(item);
  return html`<div class="card-status">
    ${percent ? html`<progress value="${percent}" max="100" aria-label="Read"></progress>` : ""}
    <span class="card-meta">${origin(item)} · ${percent === 100 ? "Finished" : percent ? `${percent}% read` : lengthOf(item)}</span></div>`;
}

/** A web page's own address, else the format. @param {LibraryDocument} item */
function origin(item) {
  const host = item.sourceUrl && URL.canParse(item.sourceUrl) ? new URL(item.sourceUrl).host : "";
  return host ? html`<a href="${item.sourceUrl}" target="_blank" rel="noopener noreferrer">${host}</a>` : formatName(item);
}

/** @param {LibraryDocument} item */
export function formatName(item) {
  return FORMATS[item.format] ?? item.format.toUpperCase();
}

/** @param {LibraryDocument} item */
export function readPercent(item) {
  const fraction = item.position?.fraction ?? 0;
  if (fraction >= 0.995) return 100;
  return fraction > 0 ? Math.max(1, Math.floor(fraction * 100)) : 0;
}

/** Listening time at an ordinary pace. @param {LibraryDocument} item */
function lengthOf(item) {
  if (item.characterCount === 0) return "Scanned, nothing to hear";
  const minutes = Math.max(1, Math.round((item.characterCount ?? 0) / 15 / 60));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
