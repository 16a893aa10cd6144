/** The card of a page that a message leads to or that sends one. */

import { html } from "../lib/html.js";

/** @typedef {import("../lib/html.js").Html} Html */

/** @param {string} title @param {string | Html} text @param {Html | string} [content] */
export function inboxCard(title, text, content = "") {
  return html`<section class="account-card">
    <p class="wordmark"><a href="/"><img src="/ui/icon.svg" alt="" width="32" height="32"> Lectern</a></p>
    <h1 tabindex="-1">${title}</h1>
    <p class="account-hint">${text}</p>
    ${content}
  </section>`;
}

/** @param {string} address @param {string} label */
export function onwards(address, label) {
  return html`<a class="button button-primary button-wide" href="${address}">${label}</a>`;
}

/** What the link carries behind its hash sign, which no server ever sees; it leaves the address bar and the history. */
export function takeToken() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  return token;
}
