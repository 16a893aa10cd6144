/** Short messages that come and go; read out by screen readers. */

import { Component } from "../lib/component.js";
import { fragment, html } from "../lib/html.js";
import { delay } from "../lib/signals.js";
import { icon } from "./icons.js";

const SHOWN_MS = 7_000;

/** @typedef {{message: string, action?: string, onAction?: () => void, stays?: boolean}} Toast */

export class Toasts extends Component {
  connected() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
  }

  /** @param {Toast} toast */
  show({ message, action, onAction, stays = false }) {
    for (const shown of this.children) if (shown.querySelector("p")?.textContent === message) shown.remove();
    const content = fragment(html`<div class="toast">
      <p>${message}</p>
      ${action ? html`<button type="button" class="toast-action">${action}</button>` : ""}
      <button type="button" class="icon-button" aria-label="Dismiss">${icon("close")}</button>
    </div>`);
    const element = /** @type {HTMLElement} */ (content.firstElementChild);
    this.listen(element, "click", (event) => {
      const button = /** @type {HTMLElement} */ (event.target).closest("button");
      if (!button) return;
      element.remove();
      if (button.classList.contains("toast-action")) onAction?.();
    });
    this.append(element);
    if (!stays) delay(SHOWN_MS, this.signal).then(() => element.remove(), () => undefined);
    return () => element.remove();
  }
}

/** Show a message from anywhere: in an open dialog that has a place for it, as all else lies under that. @param {Toast} toast */
export function toast(toast) {
  const place = document.querySelector("dialog[open] lectern-toasts") ?? document.querySelector("lectern-toasts");
  if (place instanceof Toasts) place.show(toast);
}
