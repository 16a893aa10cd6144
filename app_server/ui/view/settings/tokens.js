/** Settings → API tokens: how programs of one's own get in. A token's text is shown once. */

import { createToken, listTokens, revokeToken } from "../../api/tokens.js";
import { find, fragment, html } from "../../lib/html.js";
import { isAbort } from "../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";
import { toast } from "../toasts.js";
import { moment } from "./admin/wording.js";
import { formActions, selectField, sendForm, textField } from "./form.js";
import { SettingsSection } from "./section.js";
import { empty } from "./states.js";
import { badge } from "./table.js";

/** @typedef {import("../../api/tokens.js").ApiToken} ApiToken */
/** @typedef {import("../../api/tokens.js").ApiTokens} ApiTokens */

/** @type {Record<string, string>} */
const SCOPES = {
  "documents:read": "Read documents",
  "documents:write": "Add, change and delete documents",
  playback: "Play documents and make speech",
  account: "See the account and export it",
  admin: "Administer this Lectern",
};
const LIVES = /** @type {const} */ ([["30", "30 days"], ["90", "90 days"], ["365", "A year"], ["", "Until it is revoked"]]);

/** @extends {SettingsSection<ApiTokens>} */
export class TokensSection extends SettingsSection {
  /** @type {ApiToken[]} */
  #tokens = [];

  opened() {
    this.listen(this, "click", (event) => {
      const revoke = event.target.closest("[data-revoke]");
      if (revoke) void this.#revoke(revoke.dataset.revoke);
      if (event.target.closest("[data-copy]")) void this.#copy();
    });
  }

  load() {
    return listTokens(this.signal);
  }

  /** @param {ApiTokens} data */
  show({ tokens, scopes }) {
    this.#tokens = tokens;
    this.render(html`
      <section class="settings-part" aria-label="Your tokens">
        <p class="settings-note">With a token, a program of yours uses Lectern as you. What it can do is written in the <a href="/api/docs">API's description</a>.</p>
        <div class="new-token" role="status"></div>
        ${tokens.length ? html`<ul class="ways">${tokens.map(row)}</ul>` : empty("You have no API tokens.")}
      </section>
      <section class="settings-part" aria-labelledby="new-token-title">
        <h4 id="new-token-title">New token</h4>
        <form>
          ${textField({ name: "name", label: "Name", required: true, maxlength: 100, hint: "So that you know later which program has it." })}
          <fieldset class="checks" data-field="scopes"><legend>It may</legend>
            ${scopes.map((scope) => html`<label class="check"><input type="checkbox" name="scopes" value="${scope}"> <span>${SCOPES[scope] ?? scope}</span></label>`)}
            <p class="field-error"></p>
          </fieldset>
          ${selectField({ name: "expiresInDays", label: "It ends after", value: "90", options: LIVES })}
          ${formActions("Create token")}
        </form>
      </section>`);
    this.#listenForNew(find(this, "form", HTMLFormElement));
  }

  /** @param {HTMLFormElement} form */
  #listenForNew(form) {
    sendForm(this, form, {
      busy: "Creating…",
      check: (data) => /** @type {Record<string, string>} */ (data.getAll("scopes").length ? {} : { scopes: "Choose at least one thing that it may do." }),
      send: (data) => createToken({
        name: String(data.get("name")).trim(),
        scopes: data.getAll("scopes").map(String),
        expiresInDays: data.get("expiresInDays") ? Number(data.get("expiresInDays")) : null,
      }, this.signal),
      done: async ({ token, secret }) => {
        await this.reload({ quietly: true });
        const place = find(this, ".new-token", HTMLElement);
        place.replaceChildren(fragment(html`<p class="settings-note settings-note-warn">Copy the token “<bdi>${token.name}</bdi>” now: it is never shown again.</p>
          <div class="secret"><code tabindex="0">${secret}</code><button type="button" class="button button-small" data-copy>Copy</button></div>`));
        place.scrollIntoView({ block: "center" });
      },
    });
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(find(this, ".secret code", HTMLElement).textContent ?? "");
      toast({ message: "Copied." });
    } catch {
      getSelection()?.selectAllChildren(find(this, ".secret code", HTMLElement));
      toast({ message: "Select the token and copy it yourself: the browser doesn't let Lectern do it." });
    }
  }

  /** @param {string} id */
  async #revoke(id) {
    const token = this.#tokens.find((known) => known.id === id);
    const isSure = await this.context.confirm({
      title: `Revoke “${token?.name}”?`, message: "Programs that use this token can't get in any more.", action: "Revoke",
    });
    if (!isSure) return;
    try {
      await revokeToken(id);
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      toast({ message: messageOf(error) });
    }
    await this.reload({ quietly: true });
  }
}

/** @param {ApiToken} token */
function row(token) {
  const isOver = token.expiresAt !== null && new Date(token.expiresAt) <= new Date();
  const end = token.expiresAt === null ? "no end" : `${isOver ? "ended" : "ends"} ${moment(token.expiresAt)}`;
  return html`<li class="way">
    <div class="way-text"><strong><bdi>${token.name}</bdi> ${isOver ? badge("Ended", "bad") : ""}</strong>
      <span>${token.scopes.map((scope) => SCOPES[scope] ?? scope).join(", ")}</span>
      <span>${token.lastUsedAt ? `Last used ${moment(token.lastUsedAt)}` : "Never used"} · ${end}</span></div>
    <button type="button" class="button button-small" data-revoke="${token.id}" aria-label="Revoke ${token.name}">Revoke</button>
  </li>`;
}
