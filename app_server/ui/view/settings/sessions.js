/** Settings → Devices: where this account is signed in, and signing out there. */

import { endOtherSessions, endSession, listSessions } from "../../api/account.js";
import { html } from "../../lib/html.js";
import { isAbort } from "../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";
import { toast } from "../toasts.js";
import { moment } from "./admin/wording.js";
import { SettingsSection } from "./section.js";
import { badge } from "./table.js";

/** @typedef {import("../../api/account.js").DeviceSession} DeviceSession */

/** @extends {SettingsSection<DeviceSession[]>} */
export class SessionsSection extends SettingsSection {
  /** @type {DeviceSession[]} */
  #sessions = [];

  opened() {
    this.listen(this, "click", (event) => {
      const button = event.target.closest("[data-end], [data-end-others]");
      if (button) void this.#end(button.dataset.end);
    });
  }

  load() {
    return listSessions(this.signal);
  }

  /** @param {DeviceSession[]} sessions */
  show(sessions) {
    this.#sessions = sessions;
    this.render(html`<section class="settings-part" aria-label="Devices">
      <p class="settings-note">Your account is signed in on these devices. If you don't know one, sign it out and change your password.</p>
      <ul class="ways">${[...sessions].sort((left, right) => Number(right.isCurrent) - Number(left.isCurrent)).map(row)}</ul>
      ${sessions.length > 1 ? html`<div class="form-actions"><button type="button" class="button" data-end-others>Sign out everywhere else</button></div>` : ""}
    </section>`);
  }

  /** @param {string | undefined} id of one, or all others */
  async #end(id) {
    const session = this.#sessions.find((known) => known.id === id);
    const isSure = await this.context.confirm(session
      ? { title: "Sign this device out?", message: `${nameOf(session)}, last used ${moment(session.lastSeenAt)}, will have to sign in again.`, action: "Sign out" }
      : { title: "Sign out everywhere else?", message: "Every other device will have to sign in again. You stay signed in here.", action: "Sign out" });
    if (!isSure) return;
    try {
      if (id) await endSession(id);
      else await endOtherSessions();
      toast({ message: id ? "The device has been signed out." : "All other devices have been signed out." });
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      toast({ message: messageOf(error) });
    }
    await this.reload({ quietly: true });
  }
}

/** @param {DeviceSession} session */
function nameOf(session) {
  return session.device || "Unknown device";
}

/** @param {DeviceSession} session */
function row(session) {
  return html`<li class="way">
    <div class="way-text"><strong>${nameOf(session)} ${session.isCurrent ? badge("This device", "good") : ""}</strong>
      <span>${session.isCurrent ? "In use now" : `Last used ${moment(session.lastSeenAt)}`}${session.address ? ` · ${session.address}` : ""} · signed in ${moment(session.createdAt)}</span></div>
    ${session.isCurrent ? "" : html`<button type="button" class="button button-small" data-end="${session.id}" aria-label="Sign out ${nameOf(session)}">Sign out</button>`}
  </li>`;
}
