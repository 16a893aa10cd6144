/** The first page of a visitor: what Lectern does stands in the page itself; here, how one comes in. */

import { enterAsGuest, getSession } from "../api/session.js";
import { Component } from "../lib/component.js";
import { find } from "../lib/html.js";
import { isAbort } from "../lib/signals.js";
import { messageOf } from "./failures.js";

export class Landing extends Component {
  connected() {
    const guest = find(this, "[data-guest]", HTMLButtonElement);
    this.listen(guest, "click", () => void this.#enter(guest));
    void this.#learn(guest);
  }

  /** @param {HTMLButtonElement} guest */
  async #learn(guest) {
    try {
      const { signIn } = await getSession(this.signal);
      guest.hidden = !signIn.guests;
      find(this, "[data-sign-up]", HTMLElement).hidden = signIn.policy === "closed";
      const note = find(this, "[data-policy]", HTMLElement);
      if (signIn.policy === "open") return;
      note.textContent = signIn.policy === "closed"
        ? "This Lectern takes no new accounts. Ask its administrator for one."
        : "An administrator approves new accounts before they can be used.";
      note.hidden = false;
    } catch (error) {
      if (!isAbort(error)) this.#tell(error);
    }
  }

  /** @param {HTMLButtonElement} button */
  async #enter(button) {
    button.disabled = true;
    try {
      await enterAsGuest(this.signal);
      location.assign("/app");
    } catch (error) {
      if (isAbort(error)) return;
      button.disabled = false;
      this.#tell(error);
    }
  }

  /** @param {unknown} error */
  #tell(error) {
    find(this, ".landing-error", HTMLElement).textContent = messageOf(error);
  }
}
