/** Settings → Admin → System: what the server finds, and what this browser finds. */

import { checkSystem } from "../../../api/admin.js";
import { html } from "../../../lib/html.js";
import { checkFromBrowser } from "../../../model/browser-checks.js";
import { SettingsSection } from "../section.js";
import { checkList } from "./check-list.js";

/** @typedef {import("../../../api/admin.js").CheckItem} CheckItem */

const PATIENCE_MS = 8_000;

/** @extends {SettingsSection<CheckItem[]>} */
export class SystemSection extends SettingsSection {
  opened() {
    this.listen(this, "click", (event) => event.target.closest("[data-do=check-again]") && void this.#again());
  }

  async #again() {
    await this.reload();
    this.querySelector("button")?.focus();
  }

  async load() {
    const { items, browser } = await checkSystem(this.signal);
    const seen = await checkFromBrowser(browser, {
      origin: location.origin,
      hear: (url) => hear(url, this.signal),
      read: (url) => read(url, this.signal),
    });
    return [...items, ...seen];
  }

  /** @param {CheckItem[]} items */
  show(items) {
    this.render(html`
      <div class="check-summary" role="status"><p>${summary(items)}</p>
        <button type="button" class="button button-small" data-do="check-again">Check again</button></div>
      ${checkList(items, "System check")}
      <p class="settings-note">Lectern ${this.context.session.version}</p>`);
  }
}

/** @param {CheckItem[]} items */
function summary(items) {
  const count = (/** @type {string} */ status) => items.filter((item) => item.status === status).length;
  const [wrong, doubtful] = [count("error"), count("warn")];
  if (!wrong && !doubtful) return "Everything works.";
  const parts = [wrong ? `${wrong} not working` : "", doubtful ? `${doubtful} to look at` : ""].filter(Boolean);
  return `${parts.join(", ")}, ${count("ok")} OK.`;
}

/** As a listener's audio is loaded. @param {string} url @param {AbortSignal} signal @returns {Promise<void>} */
function hear(url, signal) {
  const audio = new Audio();
  audio.preload = "auto";
  return new Promise((resolve, reject) => {
    const end = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    audio.addEventListener("canplay", () => resolve(), { signal: end, once: true });
    audio.addEventListener("error", () => reject(audio.error), { signal: end, once: true });
    end.addEventListener("abort", () => reject(end.reason), { once: true });
    audio.src = url;
  });
}

/** @param {string} url @param {AbortSignal} signal */
async function read(url, signal) {
  const end = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const response = await fetch(url, { signal: end, credentials: "omit", cache: "no-store" });
  if (!response.ok) throw new Error(`the store answered ${response.status}`);
  return response.text();
}
