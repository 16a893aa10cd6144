/** Settings → Ways to sign in: the password, and accounts elsewhere that open this one. */

import { listIdentities, removeIdentity } from "../../api/identities.js";
import { beginExternal } from "../../api/session.js";
import { html } from "../../lib/html.js";
import { isAbort } from "../../lib/signals.js";
import { signInNotice } from "../../model/sign-in-notices.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";
import { toast } from "../toasts.js";
import { SettingsSection } from "./section.js";

/** @typedef {import("../../api/identities.js").WaysIn} WaysIn */
/** @typedef {import("../../api/identities.js").Identity} Identity */

/** @extends {SettingsSection<WaysIn>} */
export class SignInSection extends SettingsSection {
  /** @type {WaysIn} */
  #ways = { hasPassword: true, identities: [] };

  opened() {
    this.listen(this, "click", (event) => {
      const button = event.target.closest("[data-add], [data-remove]");
      if (button?.dataset.add) void this.#add(button);
      if (button?.dataset.remove) void this.#remove(button.dataset.remove);
    });
    this.#tellHowItWent();
  }

  load() {
    return listIdentities(this.signal);
  }

  /** @param {WaysIn} ways */
  show(ways) {
    this.#ways = ways;
    const { user, session } = this.context;
    const linked = new Set(ways.identities.map(({ providerId }) => providerId));
    const others = session.signIn.providers.filter(({ id }) => !linked.has(id));
    this.render(html`
      <section class="settings-part" aria-labelledby="ways-title">
        <h4 id="ways-title">You can sign in with</h4>
        <ul class="ways">
          ${ways.hasPassword ? html`<li class="way"><div class="way-text"><strong>E-mail and password</strong><span>${user.email}</span></div></li>` : ""}
          ${ways.identities.map((identity) => this.#row(identity))}
        </ul>
        ${ways.hasPassword ? "" : html`<p class="settings-note">This account has no password.</p>`}
      </section>
      ${others.length ? html`<section class="settings-part" aria-labelledby="more-ways-title">
        <h4 id="more-ways-title">Add another way</h4>
        <p class="settings-note">You go there, say that it is you, and come back. Nothing but your name and e-mail address is read.</p>
        <ul class="ways">${others.map(({ id, name }) => html`<li class="way"><div class="way-text"><strong>${name}</strong></div>
          <button type="button" class="button button-small" data-add="${id}" aria-label="Add ${name}">Add</button></li>`)}</ul>
      </section>` : ""}`);
  }

  /** @param {Identity} identity */
  #row(identity) {
    const isLast = !this.#ways.hasPassword && this.#ways.identities.length === 1;
    const gone = identity.providerId ? "" : " (not offered here any more)";
    return html`<li class="way"><div class="way-text"><strong>${identity.providerName}${gone}</strong><span>${identity.email || identity.name}</span></div>
      ${isLast ? html`<span class="field-hint">The only way</span>`
        : html`<button type="button" class="button button-small" data-remove="${identity.id}" aria-label="Remove ${identity.providerName}">Remove</button>`}</li>`;
  }

  /** @param {HTMLButtonElement} button */
  async #add(button) {
    button.disabled = true;
    try {
      const { url } = await beginExternal(button.dataset.add ?? "", { link: true }, this.signal);
      location.assign(url);
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      button.disabled = false;
      toast({ message: messageOf(error) });
    }
  }

  /** @param {string} id */
  async #remove(id) {
    const identity = this.#ways.identities.find((known) => known.id === id);
    if (!identity) return;
    const isSure = await this.context.confirm({
      title: `Remove ${identity.providerName}?`,
      message: `You will not be able to sign in with ${identity.providerName} any more. Your account and its documents stay.`,
      action: "Remove",
    });
    if (!isSure) return;
    try {
      await removeIdentity(id, this.signal);
      await this.reload({ quietly: true });
    } catch (error) {
      if (!isAbort(error) && !leaveIfSignedOut(error)) toast({ message: messageOf(error) });
    }
  }

  /** One comes back from a provider by an address that says so; it is told once. */
  #tellHowItWent() {
    const query = new URLSearchParams(location.search);
    const providers = this.context.session.signIn.providers;
    const nameOf = (/** @type {string | null} */ id) => providers.find((provider) => provider.id === id)?.name ?? "";
    const linked = query.get("linked");
    const failed = query.get("failed");
    if (linked) toast({ message: `You can sign in with ${nameOf(linked)} now.` });
    if (failed) {
      const { title, text } = signInNotice(failed, nameOf(query.get("via")));
      toast({ message: `${title}. ${text}` });
    }
    if (linked || failed) history.replaceState(history.state, "", location.pathname);
  }
}
