/** Ways in besides e-mail address and password: the buttons of providers, and trying without an account. */

import { beginExternal, enterAsGuest } from "../api/session.js";
import { html } from "../lib/html.js";
import { icon } from "./icons.js";

/** @typedef {import("../api/types.js").SignIn} SignIn */

/** @param {SignIn} signIn @param {{isGuest: boolean}} options a guest needs no second way of being one */
export function waysIn(signIn, { isGuest }) {
  const providers = signIn.providers.map(({ id, name }) => html`
    <button type="button" class="button button-wide" data-way="external" data-provider="${id}">Continue with ${name}</button>`);
  const guest = signIn.guests && !isGuest
    ? html`<button type="button" class="button button-wide" data-way="guest">${icon("play")} Try without an account</button>` : "";
  if (!providers.length && !guest) return html``;
  return html`<div class="ways-in" role="group" aria-label="Other ways">
    <p class="ways-in-or"><span>or</span></p>${providers}${guest}
  </div>`;
}

/**
 * Go the way of a button. Resolves when the browser is leaving the page.
 * @param {HTMLElement} button
 * @param {string} next the page to go on to
 * @param {AbortSignal} signal
 */
export async function goIn(button, next, signal) {
  if (button.dataset.way === "guest") {
    await enterAsGuest(signal);
    location.assign(next);
    return;
  }
  const { url } = await beginExternal(button.dataset.provider ?? "", { next }, signal);
  location.assign(url);
}
