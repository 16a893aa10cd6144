/** Settings → Account: the e-mail address, the password, and what is stored. */

import { changeEmail, getAccount } from "../../api/account.js";
import { changePassword } from "../../api/session.js";
import { find, html } from "../../lib/html.js";
import { toast } from "../toasts.js";
import { size } from "./admin/wording.js";
import { formActions, sendForm, textField } from "./form.js";
import { SettingsSection } from "./section.js";
import { badge } from "./table.js";

/** @typedef {import("../../api/account.js").Account} Account */

/** @extends {SettingsSection<Account>} */
export class AccountSection extends SettingsSection {
  load() {
    return getAccount(this.signal);
  }

  /** @param {Account} account */
  show(account) {
    const email = emailPart(account);
    const password = account.hasPassword ? passwordPart(this.context.user) : "";
    this.render(html`
      ${this.context.user.mustChangePassword ? [password, email] : [email, password]}
      <section class="settings-part" aria-labelledby="storage-title">
        <h4 id="storage-title">Storage used</h4>
        <p class="settings-value">${account.documentCount ? `${size(account.storedBytes)} in ${account.documentCount === 1 ? "1 document" : `${account.documentCount} documents`}` : "Nothing yet"}</p>
      </section>`);
    if (account.hasPassword) this.#listenForPassword(find(this, ".password-form", HTMLFormElement));
    this.#listenForEmail(find(this, ".email-form", HTMLFormElement));
  }

  /** @param {HTMLFormElement} form */
  #listenForPassword(form) {
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
        for (const note of this.querySelectorAll(".must-change-note")) note.remove();
      },
    });
  }

  /** @param {HTMLFormElement} form */
  #listenForEmail(form) {
    sendForm(this, form, {
      busy: "Changing…",
      send: async (data) => {
        const newEmail = String(data.get("newEmail")).trim();
        const { state } = await changeEmail({ newEmail, currentPassword: String(data.get("currentPassword") ?? "") }, this.signal);
        return { newEmail, state };
      },
      done: ({ newEmail, state }) => {
        form.reset();
        if (state === "waiting") {
          find(this, ".email-waiting", HTMLElement).textContent = `A message with a link is on its way to ${newEmail}. Your address changes when you follow it, within an hour.`;
          return;
        }
        toast({ message: "Your e-mail address has been changed." });
        void this.context.refreshSession();
        void this.reload({ quietly: true });
      },
    });
  }
}

/** @param {import("../../api/types.js").User} user */
function passwordPart(user) {
  return html`<section class="settings-part" aria-labelledby="password-title">
    <h4 id="password-title">Password</h4>
    ${user.mustChangePassword ? html`<p class="settings-note settings-note-warn must-change-note">Somebody else knows your password. Change it to make your administrator rights active.</p>` : ""}
    <p class="settings-note">You stay signed in here. Everywhere else you will have to sign in again.</p>
    <form class="password-form">
      <input type="text" name="username" value="${user.email}" autocomplete="username" hidden>
      ${textField({ name: "currentPassword", label: "Current password", type: "password", autocomplete: "current-password", required: true })}
      ${textField({
        name: "newPassword", label: "New password", type: "password", autocomplete: "new-password", required: true, minlength: 8,
        hint: "At least 8 characters. A few words are easier to remember than a jumble.",
      })}
      ${formActions("Change password")}
    </form>
  </section>`;
}

/** @param {Account} account */
function emailPart(account) {
  const state = !account.sendsEmail ? "" : account.emailVerified ? badge("Confirmed", "good") : badge("Not confirmed", "warn");
  return html`<section class="settings-part" aria-labelledby="email-title">
    <h4 id="email-title">E-mail address</h4>
    <p class="settings-value">${account.email} ${state}</p>
    <p class="settings-note email-waiting" role="status"></p>
    <form class="email-form">
      ${account.hasPassword ? html`<input type="text" name="username" value="${account.email}" autocomplete="username" hidden>` : ""}
      ${textField({
        name: "newEmail", label: "New address", type: "email", autocomplete: "email", required: true,
        hint: account.sendsEmail ? "We send a link there. Your address changes when you follow it." : "",
      })}
      ${account.hasPassword ? textField({ name: "currentPassword", id: "email-password", label: "Password", type: "password", autocomplete: "current-password", required: true }) : ""}
      ${formActions("Change address")}
    </form>
  </section>`;
}
