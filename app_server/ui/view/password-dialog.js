/** Changing one's password. */

import { ApiError } from "../api/http.js";
import { changePassword } from "../api/session.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { isAbort } from "../lib/signals.js";
import { toast } from "./toasts.js";

/** Emits "password-changed". */
export class PasswordDialog extends Component {
  open() {
    render(this, html`<dialog class="dialog" aria-labelledby="password-title">
      <form novalidate>
        <h2 id="password-title">Change your password</h2>
        <p>You stay signed in here. Everywhere else you will have to sign in again.</p>
        <div class="field">
          <label for="current-password">Current password</label>
          <input id="current-password" name="currentPassword" type="password" autocomplete="current-password" required autofocus aria-describedby="currentPassword-error">
          <p class="field-error" id="currentPassword-error"></p>
        </div>
        <div class="field">
          <label for="new-password">New password</label>
          <input id="new-password" name="newPassword" type="password" autocomplete="new-password" required minlength="8" aria-describedby="new-password-hint newPassword-error">
          <p class="field-hint" id="new-password-hint">At least 8 characters. A few words are easier to remember than a jumble.</p>
          <p class="field-error" id="newPassword-error"></p>
        </div>
        <p class="form-error" role="alert"></p>
        <div class="dialog-actions">
          <button type="button" class="button" data-do="cancel">Cancel</button>
          <button class="button button-primary">Change password</button>
        </div>
      </form>
    </dialog>`);
    const dialog = find(this, "dialog", HTMLDialogElement);
    this.listen(dialog, "click", (event) => {
      if (event.target === dialog || event.target.closest("[data-do=cancel]")) dialog.close();
    });
    this.listen(dialog, "close", () => this.replaceChildren());
    this.listen(find(this, "form", HTMLFormElement), "submit", (event) => {
      event.preventDefault();
      void this.#submit(event.target);
    });
    dialog.showModal();
  }

  /** @param {HTMLFormElement} form */
  async #submit(form) {
    const data = new FormData(form);
    const passwords = { currentPassword: String(data.get("currentPassword")), newPassword: String(data.get("newPassword")) };
    this.#say("currentPassword", passwords.currentPassword ? "" : "Enter the password you use now.");
    this.#say("newPassword", passwords.newPassword.length >= 8 ? "" : "Use at least 8 characters.");
    if (!passwords.currentPassword || passwords.newPassword.length < 8) return;
    try {
      await changePassword(passwords, this.signal);
      find(this, "dialog", HTMLDialogElement).close();
      toast({ message: "Your password has been changed." });
      this.emit("password-changed");
    } catch (error) {
      if (isAbort(error)) return;
      const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
      for (const [name, message] of fields) this.#say(name, message);
      if (!fields.length) find(form, ".form-error", HTMLElement).textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {string} name @param {string} message */
  #say(name, message) {
    const holder = this.querySelector(`#${name}-error`);
    if (holder) holder.textContent = message;
  }
}
