/** A list that is searched and filtered, page by page: the tools above it, and what was found. */

import { find, fragment, html } from "../../../lib/html.js";
import { delay, isAbort } from "../../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../../failures.js";
import { toast } from "../../toasts.js";
import { SettingsSection } from "../section.js";

/** @typedef {import("../../../lib/html.js").Html} Html */

const TYPING_MS = 250;

/**
 * A section overrides `tools`, `find` and `results`. Controls with a name in the tools make the query.
 * @template T
 * @extends {SettingsSection<T>}
 */
export class ResultsSection extends SettingsSection {
  page = 1;
  #asked = 0;

  opened() {
    this.listen(this, "input change", (event) => event.target.closest(".admin-tools") && void this.#changed(event.type));
    this.listen(this, "submit", (event) => event.preventDefault());
    this.listen(this, "click", (event) => {
      const page = event.target.closest("button[data-page]")?.dataset.page;
      if (page) void this.#turn(Number(page));
    });
  }

  load() {
    return this.search(this.#query());
  }

  /** @param {T} found */
  show(found) {
    if (!this.querySelector(".admin-results")) {
      this.render(html`<form class="admin-tools" role="search">${this.tools()}</form><div class="admin-results" aria-live="polite"></div>`);
    }
    find(this, ".admin-results", HTMLElement).replaceChildren(fragment(this.results(found)));
  }

  /** @returns {Html} */
  tools() {
    return html``;
  }

  /** @param {Record<string, string>} _query @returns {Promise<T>} */
  search(_query) {
    throw new TypeError("a section says how it is searched");
  }

  /** @param {T} _found @returns {Html} */
  results(_found) {
    return html``;
  }

  /** What was found may be old now; what is typed stays. */
  async refresh() {
    const asked = (this.#asked += 1);
    try {
      const found = await this.load();
      if (asked === this.#asked && !this.signal.aborted) this.show(found);
    } catch (error) {
      if (!isAbort(error) && !leaveIfSignedOut(error)) toast({ message: messageOf(error) });
    }
  }

  /** @param {number} page */
  async #turn(page) {
    this.page = page;
    await this.refresh();
    find(this, ".admin-results", HTMLElement).scrollIntoView({ block: "start" });
  }

  /** @param {string} type */
  async #changed(type) {
    const asked = (this.#asked += 1);
    // Letter by letter only when the typing rests.
    if (type === "input") await delay(TYPING_MS, this.signal).catch(() => undefined);
    if (asked !== this.#asked) return;
    this.page = 1;
    await this.refresh();
  }

  #query() {
    const form = this.querySelector("form.admin-tools");
    const data = form instanceof HTMLFormElement ? new FormData(form) : new FormData();
    const query = Object.fromEntries([...data].map(([name, value]) => [name, String(value).trim()]));
    return { ...query, page: String(this.page) };
  }
}
