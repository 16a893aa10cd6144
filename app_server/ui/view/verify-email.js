/** /verify-email: where a message leads that asks whose inbox it is. */

import { confirmEmail } from "../api/account.js";
import { ApiError } from "../api/http.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { isAbort } from "../lib/signals.js";
import { messageOf } from "./failures.js";
import { inboxCard, onwards, takeToken } from "./inbox-card.js";

export class VerifyEmail extends Component {
  #token = "";

  connected() {
    this.#token ||= takeToken();
    // Only a press of the button confirms: programs that look into messages open links, too.
    render(this, this.#token
      ? inboxCard("Confirm your e-mail address", "One more step: confirm that you got our message.", html`
          <p class="form-error" role="alert"></p>
          <button type="button" class="button button-primary button-wide">Confirm</button>`)
      : inboxCard("Open the link in our message", "This page needs the whole address from the message that we sent you.", onwards("/signin", "Sign in")));
    this.listen(this, "click", (event) => event.target.closest("button") && void this.#confirm());
  }

  async #confirm() {
    const button = find(this, "button", HTMLButtonElement);
    button.disabled = true;
    try {
      const { purpose, email } = await confirmEmail(this.#token, this.signal);
      render(this, purpose === "verify"
        ? inboxCard("Your address is confirmed", html`You can sign in with ${email} now.`, onwards("/signin", "Sign in"))
        : inboxCard("Your address has been changed", html`From now on, you sign in with ${email}.`, onwards("/app/settings/account", "Go to Lectern")));
      find(this, "h1", HTMLElement).focus();
    } catch (error) {
      if (isAbort(error)) return;
      if (error instanceof ApiError && error.status === 410) {
        render(this, inboxCard("This link no longer works", "It was used already, or it is more than an hour old. Sign in, and you get a new one.", onwards("/signin", "Sign in")));
        return find(this, "h1", HTMLElement).focus();
      }
      find(this, ".form-error", HTMLElement).textContent = messageOf(error);
      button.disabled = false;
    }
    return undefined;
  }
}
