/** A section that has nothing to show yet, nothing at all, or no answer. */

import { html } from "../../lib/html.js";
import { icon } from "../icons.js";

export function loading() {
  return html`<div class="section-loading" aria-busy="true"><span class="unseen" role="status">Loading…</span>
    ${[38, 92, 74, 86].map((width) => html`<span class="skeleton skeleton-line skeleton-${width}"></span>`)}</div>`;
}

/** @param {string} message @param {string} [hint] */
export function empty(message, hint = "") {
  return html`<div class="section-empty"><p>${message}</p>${hint ? html`<p class="field-hint">${hint}</p>` : ""}</div>`;
}

/** @param {string} message */
export function failure(message) {
  return html`<div class="section-failure" role="alert">${icon("warning")}<p>${message}</p>
    <button type="button" class="button button-small" data-do="reload-section">${icon("retry")} Try again</button></div>`;
}
