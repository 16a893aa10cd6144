/** What all sections of the settings have in common: they load, show what they loaded, or say why they can't. */

import { Component } from "../../lib/component.js";
import { fragment, render } from "../../lib/html.js";
import { isAbort } from "../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";
import { failure, loading } from "./states.js";

/** @typedef {{title: string, message: string, action: string}} Question */
/**
 * What the dialog gives its sections.
 * @typedef {object} SettingsContext
 * @property {import("../../api/types.js").Session} session
 * @property {import("../../api/types.js").User} user
 * @property {() => Promise<void>} refreshSession after a change to who is signed in or what they may
 * @property {(question: Question) => Promise<boolean>} confirm before something is lost
 */

/**
 * A section overrides `load` and `show`. `show` renders into `this.body` and may be called again; listeners that
 * should live as long as the section are added in `opened`, once, and find their target by `closest`.
 * @template [T=void]
 */
export class SettingsSection extends Component {
  /** @type {SettingsContext} */
  context = /** @type {any} */ (undefined);
  body = document.createElement("div");
  /** Counts the loads: an earlier one may be answered later. */
  #asked = 0;

  connected() {
    this.body.className = "section-body";
    this.replaceChildren(this.body);
    this.listen(this, "click", (event) => event.target.closest("[data-do=reload-section]") && void this.reload());
    this.opened();
    void this.reload();
  }

  /** Listeners for the section's life. */
  opened() {}

  /** @returns {Promise<T>} */
  async load() {
    return /** @type {T} */ (undefined);
  }

  /** @param {T} _data */
  show(_data) {}

  /** Load and show again; `quietly` keeps what is shown until then. */
  async reload({ quietly = false } = {}) {
    const asked = (this.#asked += 1);
    if (!quietly) render(this.body, loading());
    try {
      const data = await this.load();
      if (asked === this.#asked && !this.signal.aborted) this.show(data);
    } catch (error) {
      if (asked !== this.#asked || isAbort(error) || leaveIfSignedOut(error)) return;
      render(this.body, failure(messageOf(error)));
    }
  }

  /** @param {import("../../lib/html.js").Html} content */
  render(content) {
    this.body.replaceChildren(fragment(content));
  }
}
