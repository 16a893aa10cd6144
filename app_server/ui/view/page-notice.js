/** What stands in the place of a document, or over it: that it is on its way, why it cannot be had, what is missing. */

import { find, html, render } from "../lib/html.js";
import { icon } from "./icons.js";
import { phaseName } from "./phases.js";

export class PageNotice {
  #element;
  #signal;

  /** @param {{element: HTMLElement, signal: AbortSignal}} parts */
  constructor({ element, signal }) {
    this.#element = element;
    this.#signal = signal;
  }

  clear() {
    this.#element.replaceChildren();
  }

  loading() {
    render(this.#element, html`<div class="text-skeleton" aria-busy="true" aria-label="Loading the text">
      <span class="skeleton skeleton-heading"></span>${Array.from({ length: 9 }, () => html`<span class="skeleton skeleton-line"></span>`)}</div>`);
  }

  /** @param {string} title @param {import("../api/types.js").Progress | null} progress @param {() => void} [putOff] where there is an older reading */
  waiting(title, progress, putOff) {
    const { phase = "", done = 0, total = 0 } = progress ?? {};
    const again = html`<p>An older version of Lectern has read this document. This one reads it better.</p>`;
    const button = html`<p class="notice-actions"><button type="button" class="button">Open it as it was</button></p>`;
    render(this.#element, html`<section class="notice" role="status"><h2>${title}</h2>${putOff ? again : ""}<p>${phaseName(phase)}…</p>
      <progress ${total ? html`value="${done}" max="${total}"` : ""} aria-label="Opening"></progress>${putOff ? button : ""}</section>`);
    if (putOff) find(this.#element, "button", HTMLButtonElement).addEventListener("click", putOff, { once: true, signal: this.#signal });
  }

  /** @param {string} title @param {string} message @param {() => void} again */
  failure(title, message, again) {
    render(this.#element, html`<section class="notice" role="alert"><h2>${title}</h2><p>${message}</p>
      <p class="notice-actions"><button type="button" class="button button-primary">${icon("retry")} Try again</button>
      <a class="button" href="/app">Back to the library</a></p></section>`);
    find(this.#element, "button", HTMLButtonElement).addEventListener("click", again, { once: true, signal: this.#signal });
  }
}
