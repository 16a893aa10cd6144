/** Settings → Admin → E-mail: how messages about accounts are sent. */

import { changeEmailSettings, getEmailSettings, sendTestMessage } from "../../../api/admin.js";
import { find, html } from "../../../lib/html.js";
import { toast } from "../../toasts.js";
import { formActions, sendForm, textField, toggle } from "../form.js";
import { SettingsSection } from "../section.js";
import { moment } from "./wording.js";

/** @typedef {import("../../../api/admin.js").EmailSettings} EmailSettings */

/** @extends {SettingsSection<EmailSettings>} */
export class EmailSection extends SettingsSection {
  load() {
    return getEmailSettings(this.signal);
  }

  /** @param {EmailSettings} settings */
  show(settings) {
    const address = this.context.user.email;
    // Saving the settings shows them anew; who is typing an address for the test keeps it.
    const typed = this.body.querySelector("[name=recipient]");
    const recipient = typed instanceof HTMLInputElement ? typed.value : address;
    this.render(html`
      <section class="settings-part" aria-labelledby="email-title">
        <h4 id="email-title">Account e-mail</h4>
        <p class="settings-note">Confirms new addresses, resets forgotten passwords and changes addresses. Messages go out through Resend, or a service that speaks its API. While this is on, people confirm their address before they sign in.</p>
        ${address && !settings.ownAddressConfirmed ? unconfirmed(address, settings) : ""}
        <form class="settings-form" data-form="settings">
          ${toggle({ name: "enabled", label: "Send account e-mail", value: settings.enabled })}
          ${textField({ name: "senderName", label: "Sender's name", required: true, maxlength: 200, value: settings.senderName, placeholder: "Lectern" })}
          ${textField({ name: "senderEmail", label: "Sender's address", type: "email", required: true, maxlength: 320, value: settings.senderEmail, placeholder: "lectern@example.org", hint: "Of a domain that the e-mail service lets you send from." })}
          ${textField({ name: "replyTo", label: "Replies go to", type: "email", maxlength: 320, value: settings.replyTo ?? "", hint: "May be empty." })}
          ${textField({ name: "apiKey", label: "API key", type: "password", autocomplete: "new-password", required: !settings.hasKey, hint: keyHint(settings) })}
          ${formActions("Save")}
        </form>
      </section>
      <section class="settings-part" aria-labelledby="test-title">
        <h4 id="test-title">Test message</h4>
        <p class="settings-note">Goes out at once with what is saved above, also while account e-mail is off.</p>
        <form class="settings-form" data-form="test">
          ${textField({ name: "recipient", label: "To", type: "email", required: true, value: recipient })}
          ${formActions("Send a test message")}
        </form>
      </section>
      <section class="settings-part" aria-labelledby="queue-title">
        <h4 id="queue-title">Queue</h4>
        <p class="settings-note">${queueInWords(settings)}</p>
        ${settings.queue.failure && settings.queue.failedAt ? html`<p class="settings-note settings-note-warn">A message was given up on ${moment(settings.queue.failedAt)}: ${settings.queue.failure}</p>` : ""}
      </section>`);
    const form = find(this, "[data-form=settings]", HTMLFormElement);
    sendForm(this, form, {
      send: (data) => changeEmailSettings(settingsOf(data), this.signal),
      done: (changed) => {
        toast({ message: "The e-mail settings have been saved." });
        this.show(changed);
        find(this, ".button-primary", HTMLElement).focus();
      },
    });
    sendForm(this, find(this, "[data-form=test]", HTMLFormElement), {
      busy: "Sending…",
      send: (data) => sendTestMessage(String(data.get("recipient")).trim(), this.signal),
      done: () => toast({ message: "The test message is on its way. Look into the inbox." }),
    });
  }
}

/** Who can't confirm the own address can't sign in and mend it. @param {string} address @param {EmailSettings} settings */
function unconfirmed(address, { enabled }) {
  return enabled
    ? html`<p class="settings-note settings-note-warn" role="status">Your own address isn't confirmed yet. Follow the link in the message to ${address} before you sign out; saving here sends another one. If none arrives, switch this off again.</p>`
    : html`<p class="settings-note">You do so too. Switching this on sends a test message and a link to ${address}; when that fails, nothing is changed. Make sure that you can read that inbox.</p>`;
}

/** @param {FormData} data */
function settingsOf(data) {
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  const apiKey = text("apiKey");
  return {
    enabled: data.has("enabled"), senderName: text("senderName"), senderEmail: text("senderEmail"), replyTo: text("replyTo") || null,
    ...(apiKey ? { apiKey } : {}),
  };
}

/** @param {EmailSettings} settings */
function keyHint({ hasKey, keyEnding, keyIsReadable }) {
  if (!hasKey) return "Of the e-mail service. It is stored encrypted and never shown again.";
  if (!keyIsReadable) return "The stored key can't be decrypted. Enter it again.";
  return `A key${keyEnding ? ` ending in …${keyEnding}` : ""} is stored. Leave this empty to keep it.`;
}

/** @param {EmailSettings} settings */
function queueInWords({ queue }) {
  const waiting = queue.queued === 1 ? "One message waits." : queue.queued ? `${queue.queued} messages wait.` : "No message waits.";
  return `${waiting} ${queue.lastSentAt ? `The last one was sent on ${moment(queue.lastSentAt)}.` : "None has been sent yet."}`;
}
