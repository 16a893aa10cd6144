/** Settings → Admin → Shared providers. */

import { changeProvider, createProvider, deleteProvider, listManagedProviders, testProvider } from "../../../api/admin.js";
import { find, fragment, html } from "../../../lib/html.js";
import { isAbort } from "../../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../../failures.js";
import { toast } from "../../toasts.js";
import { sendForm } from "../form.js";
import { SettingsSection } from "../section.js";
import { empty } from "../states.js";
import { badge } from "../table.js";
import { checkList } from "./check-list.js";
import { PROVIDER_TYPES, providerForm, providerOf } from "./provider-form.js";

/** @typedef {import("../../../api/admin.js").ManagedProvider} ManagedProvider */

/** @extends {SettingsSection<ManagedProvider[]>} */
export class ProvidersSection extends SettingsSection {
  /** @type {ManagedProvider[]} */
  #providers = [];

  opened() {
    this.listen(this, "click", (event) => {
      const button = /** @type {HTMLElement} */ (event.target).closest("button");
      const slug = button?.closest("[data-provider]")?.getAttribute("data-provider") ?? "";
      if (button?.dataset.do === "add-provider") this.#edit(null);
      else if (button?.dataset.do === "edit-provider") this.#edit(this.#find(slug));
      else if (button?.dataset.do === "cancel-provider") {
        this.show(this.#providers);
        find(this, "[data-do=add-provider]", HTMLElement).focus();
      }
      else if (button?.dataset.do === "delete-provider") void this.#delete(this.#find(slug));
      else if (button?.dataset.do === "test-provider") void this.#test(slug, /** @type {HTMLButtonElement} */ (button));
    });
  }

  load() {
    return listManagedProviders(this.signal);
  }

  /** @param {ManagedProvider[]} providers */
  show(providers) {
    this.#providers = providers;
    this.render(html`
      <p class="settings-note">What speaks, besides the built-in voice. Everybody here can choose the providers that are turned on; nobody sees their addresses or keys.</p>
      ${providers.length ? html`<ul class="admin-list">${providers.map(card)}</ul>` : empty("There is no shared provider yet.", "Anything that speaks OpenAI's speech API will do, such as Kokoro-FastAPI, or an account at OpenAI, DeepInfra or Replicate.")}
      <div class="form-actions"><button type="button" class="button button-primary" data-do="add-provider">Add a provider</button></div>`);
  }

  /** @param {string} slug */
  #find(slug) {
    return this.#providers.find((provider) => provider.slug === slug) ?? null;
  }

  /** @param {ManagedProvider | null} provider null for a new one */
  #edit(provider) {
    this.render(html`<section class="settings-part" aria-labelledby="provider-title">
      <h4 id="provider-title" tabindex="-1">${provider ? `Change ${provider.displayName}` : "Add a provider"}</h4>
      ${providerForm(provider)}
    </section>`);
    const form = find(this, "form", HTMLFormElement);
    find(this, "#provider-title", HTMLElement).focus();
    sendForm(this, form, {
      send: (data) => provider
        ? changeProvider(provider.slug, providerOf(data, provider), this.signal)
        : createProvider({ slug: String(data.get("slug")).trim(), ...providerOf(data, null) }, this.signal),
      done: (answer) => void this.#saved(answer.provider.slug, answer.provider.enabled),
    });
  }

  /** @param {string} slug @param {boolean} isEnabled */
  async #saved(slug, isEnabled) {
    toast({ message: "The provider has been saved." });
    await this.reload({ quietly: true });
    const button = this.querySelector(`[data-provider="${CSS.escape(slug)}"] [data-do=test-provider]`);
    if (!(button instanceof HTMLButtonElement)) return;
    button.focus();
    if (isEnabled) await this.#test(slug, button);
  }

  /** @param {ManagedProvider | null} provider */
  async #delete(provider) {
    if (!provider) return;
    const isSure = await this.context.confirm({
      title: `Delete “${provider.displayName}”?`,
      message: "Nobody can listen with it any more, and its key is forgotten. What was spoken already stays in the cache.",
      action: "Delete provider",
    });
    if (!isSure) return;
    await this.#attempt(async () => {
      await deleteProvider(provider.slug, this.signal);
      toast({ message: `“${provider.displayName}” has been deleted.` });
      await this.reload({ quietly: true });
      find(this, "[data-do=add-provider]", HTMLElement).focus();
    });
  }

  /** @param {string} slug @param {HTMLButtonElement} button */
  async #test(slug, button) {
    const results = button.closest("[data-provider]")?.querySelector(".provider-test");
    if (!results || button.disabled) return;
    button.disabled = true;
    results.replaceChildren(fragment(html`<p class="settings-note" role="status"><span class="spinner"></span> Asking the provider for a word…</p>`));
    await this.#attempt(async () => {
      const steps = await testProvider(slug, this.signal);
      results.replaceChildren(fragment(checkList(steps, "Result of the test")));
    }, (message) => results.replaceChildren(fragment(html`<p class="form-error" role="alert">${message}</p>`)));
    button.disabled = false;
  }

  /** @param {() => Promise<void>} action @param {(message: string) => void} [say] */
  async #attempt(action, say = (message) => toast({ message })) {
    try {
      await action();
    } catch (error) {
      if (!isAbort(error) && !leaveIfSignedOut(error)) say(messageOf(error));
    }
  }
}

/** @param {ManagedProvider} provider */
function card(provider) {
  const { slug, displayName, enabled, apiKey } = provider;
  const key = { none: "no key", set: apiKey.ending ? `key …${apiKey.ending}` : "key stored", unreadable: "" }[apiKey.state];
  const type = PROVIDER_TYPES.find(([id]) => id === provider.providerType)?.[1] ?? provider.providerType;
  return html`<li class="admin-card" data-provider="${slug}">
    <div class="admin-card-head">
      <div><h4>${displayName}</h4><p class="settings-note">${[slug, type, provider.defaultModel && `model ${provider.defaultModel}`, key].filter(Boolean).join(" · ")}</p>
        ${provider.baseUrl ? html`<p class="settings-note settings-value">${provider.baseUrl}</p>` : ""}</div>
      <div class="badges">${enabled ? badge("On", "good") : badge("Off")}${apiKey.state === "unreadable" ? badge("Enter the key again", "bad") : ""}</div>
    </div>
    <div class="form-actions">
      <button type="button" class="button button-small" data-do="test-provider" aria-label="Test ${displayName}">Test</button>
      <button type="button" class="button button-small" data-do="edit-provider" aria-label="Edit ${displayName}">Edit</button>
      <button type="button" class="button button-small button-quiet-danger" data-do="delete-provider" aria-label="Delete ${displayName}">Delete</button>
    </div>
    <div class="provider-test" aria-live="polite"></div>
  </li>`;
}
