/** Lists of the settings: a table that a phone shows as cards, and its pages. */

import { html } from "../../lib/html.js";

/** @typedef {import("../../lib/html.js").Html} Html */

/**
 * @param {{caption: string, columns: readonly string[], rows: readonly (readonly (string | number | Html)[])[]}} content
 *   caption is for screen readers; an empty column title is one of actions
 */
export function table({ caption, columns, rows }) {
  return html`<table class="settings-table"><caption class="unseen">${caption}</caption>
    <thead><tr>${columns.map((title) => html`<th scope="col">${title || html`<span class="unseen">Actions</span>`}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell, index) => html`<td data-column="${columns[index] ?? ""}">${cell}</td>`)}</tr>`)}</tbody>
  </table>`;
}

/**
 * The buttons carry data-page; the section listens for them.
 * @param {{page: number, pages: number, label: string}} place page counts from 1
 */
export function pager({ page, pages, label }) {
  if (pages <= 1) return html``;
  return html`<nav class="pager" aria-label="${label}">
    <button type="button" class="button button-small" data-page="${page - 1}"${page <= 1 ? html` disabled` : ""}>Previous</button>
    <span>Page ${page} of ${pages}</span>
    <button type="button" class="button button-small" data-page="${page + 1}"${page >= pages ? html` disabled` : ""}>Next</button>
  </nav>`;
}

/** @param {string} text @param {"plain" | "good" | "warn" | "bad"} [tone] */
export function badge(text, tone = "plain") {
  return html`<span class="badge badge-${tone}">${text}</span>`;
}
