/** The fields of a shared provider. */

import { html } from "../../../lib/html.js";
import { formActions, selectField, textArea, textField, toggle } from "../form.js";

/** @typedef {import("../../../api/admin.js").ManagedProvider} ManagedProvider */

export const PROVIDER_TYPES = /** @type {const} */ ([
  ["custom-openai", "OpenAI-compatible server"],
  ["openai", "OpenAI"],
  ["deepinfra", "DeepInfra"],
  ["replicate", "Replicate"],
]);

/** @param {ManagedProvider | null} provider null for a new one */
export function providerForm(provider) {
  const key = provider?.apiKey ?? { state: "none", ending: "" };
  const stored = key.state === "set" ? `A key${key.ending ? ` ending in …${key.ending}` : ""} is stored. Leave this empty to keep it.` : "";
  const keyHint = key.state === "unreadable" ? "The stored key can't be decrypted. Enter it again." : stored || "Leave it empty when the server asks for none.";
  return html`<form class="settings-form">
    ${provider ? "" : textField({ name: "slug", label: "Slug", required: true, maxlength: 64, placeholder: "kokoro", hint: "How it is referred to: lowercase letters, digits and hyphens. It can't be changed later." })}
    ${textField({ name: "displayName", label: "Name", required: true, maxlength: 200, value: provider?.displayName ?? "", placeholder: "Kokoro", hint: "What listeners read when they choose." })}
    ${selectField({ name: "providerType", label: "Type", value: provider?.providerType ?? "custom-openai", options: PROVIDER_TYPES })}
    ${textField({ name: "baseUrl", label: "Base URL", type: "url", maxlength: 2000, value: provider?.baseUrl ?? "", placeholder: "http://kokoro:8880/v1", hint: "As the compute worker reaches it; speech is asked for at this address followed by /audio/speech. OpenAI, DeepInfra and Replicate have one of their own." })}
    ${textField({ name: "apiKey", label: "API key", type: "password", autocomplete: "new-password", hint: keyHint })}
    ${key.state === "none" ? "" : toggle({ name: "removeKey", label: "Remove the stored key", value: false })}
    ${textField({ name: "defaultModel", label: "Default model", maxlength: 200, value: provider?.defaultModel ?? "", placeholder: "kokoro", hint: "Empty: the usual one of this type." })}
    ${textArea({ name: "defaultInstructions", label: "Default instructions", value: provider?.defaultInstructions ?? "", rows: 3, hint: "How to speak, for models that take instructions. May be empty." })}
    ${toggle({ name: "enabled", label: "Turned on", value: provider?.enabled ?? true, hint: "Only providers that are turned on can be listened with and tested." })}
    ${formActions("Save and test", html`<button type="button" class="button" data-do="cancel-provider">Cancel</button>`)}
  </form>`;
}

/** As the API takes it. @param {FormData} data @param {ManagedProvider | null} present */
export function providerOf(data, present) {
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  const apiKey = text("apiKey");
  /** @type {Record<string, unknown>} */
  const provider = {
    displayName: text("displayName"),
    providerType: text("providerType"),
    baseUrl: text("baseUrl"),
    defaultModel: text("defaultModel"),
    defaultInstructions: text("defaultInstructions"),
    enabled: data.has("enabled"),
  };
  if (apiKey) provider.apiKey = apiKey;
  else if (present && data.has("removeKey")) provider.apiKey = "";
  return provider;
}
