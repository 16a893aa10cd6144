/** Settings → Account: who one is, and the password. */

import { changePassword } from "../../api/session.js";
import { find, html } from "../../lib/html.js";
import { toast } from "../toasts.js";
import { formActions, sendForm, textField } from "./form.js";
import { SettingsSection } from "./section.js";

export class AccountSection extends SettingsSection {
  show() {
    const { user } = this.context;
    this.render(html`
      <section class="settings-part">
        <h4>E-mail address</h4>
        <p class="settings-value">${user.email}</p>
      </section>
      <section class="settings-part" aria-labelledby="password-title">
        <h4 id="password-title">Password</h4>
        ${user.mustChangePassword ? html`<p class="settings-note settings-note-warn">Somebody else knows your password. Change it to make your administrator rights active.</p>` : ""}
        <p class="settings-note">You stay signed in here. Everywhere else you will have to sign in again.</p>
        <form>
          <input type="text" name="username" value="${user.email}" autocomplete="username" hidden>
          ${textField({ name: "currentPassword", label: "Current password", type: "password", autocomplete: "current-password", required: true })}
          ${textField({
            name: "newPassword", label: "New password", type: "password", autocomplete: "new-password", required: true, minlength: 8,
            hint: "At least 8 characters. A few words are easier to remember than a jumble.",
          })}
          ${formActions("Change password")}
        </form>
      </section>`);
    const form = find(this, "form", HTMLFormElement);
    sendForm(this, form, {
      busy: "Changing…",
      send: (data) => changePassword({
        currentPassword: String(data.get("currentPassword")),
        newPassword: String(data.get("newPassword")),
      }, this.signal),
      done: () => {
        form.reset();
        toast({ message: "Your password has been changed." });
        void this.context.refreshSession();
      },
    });
  }
}
