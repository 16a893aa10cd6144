/** /reset-password: where a message leads that lets somebody choose a new password. */

import { resetPassword } from "../api/account.js";
import { ApiError } from "../api/http.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { inboxCard, onwards, takeToken } from "./inbox-card.js";
import { formActions, sendForm, textField } from "./settings/form.js";

export class ResetPassword extends Component {
  #token = "";

  connected() {
    this.#token ||= takeToken();
    if (!this.#token) return this.#say("Open the link in our message", "This page needs the whole address from the message that we sent you.", "/forgot-password", "Get a message");
    render(this, inboxCard("Choose a new password", "When it is changed, you are signed out everywhere.", html`<form>
      ${textField({
        name: "newPassword", label: "New password", type: "password", autocomplete: "new-password", required: true, minlength: 8,
        hint: "At least 8 characters. A few words are easier to remember than a jumble.",
      })}
      ${formActions("Change password")}
    </form>`));
    const form = find(this, "form", HTMLFormElement);
    sendForm(this, form, {
      busy: "Changing…",
      send: async (data) => {
        try {
          await resetPassword({ token: this.#token, newPassword: String(data.get("newPassword")) }, this.signal);
          return true;
        } catch (error) {
          if (error instanceof ApiError && error.status === 410) return false;
          throw error;
        }
      },
      done: (isDone) => isDone
        ? this.#say("Your password has been changed", "Sign in with the new one.", "/signin", "Sign in")
        : this.#say("This link no longer works", "It was used already, or it is more than an hour old.", "/forgot-password", "Get a new one"),
    });
    return undefined;
  }

  /** @param {string} title @param {string} text @param {string} address @param {string} label */
  #say(title, text, address, label) {
    render(this, inboxCard(title, text, onwards(address, label)));
    find(this, "h1", HTMLElement).focus();
  }
}
