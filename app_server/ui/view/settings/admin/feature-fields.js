/** How each site feature is shown and written. Its name is the key of the API. */

import { html } from "../../../lib/html.js";
import { selectField, textField, toggle } from "../form.js";

/** @typedef {import("../../../api/admin.js").Feature} Feature */
/** @typedef {import("../../../api/admin.js").ManagedProvider} ManagedProvider */
/** @typedef {readonly (readonly [value: string, label: string])[]} Options */
/**
 * @typedef {object} FeatureField
 * @property {string} key
 * @property {string} label
 * @property {string} hint
 * @property {number} [least] a whole number, at least this
 * @property {Options | "providers"} [options] one of these
 */

/** @type {readonly {title: string, fields: readonly FeatureField[]}[]} */
export const FEATURE_GROUPS = [
  { title: "People", fields: [
    { key: "signupPolicy", label: "Who may sign up", hint: "With approval, new accounts wait under Users until an administrator lets them in.", options: [["open", "Everybody"], ["approval", "Everybody, after approval"], ["closed", "Nobody"]] },
  ] },
  { title: "Listening", fields: [
    { key: "defaultTtsProvider", label: "Default provider", hint: "What speaks until a listener chooses. Automatic: the provider “default-provider”, else the first that is turned on, else the built-in voice.", options: "providers" },
    { key: "enableBuiltinVoice", label: "Built-in voice", hint: "eSpeak NG: instant, in over a hundred languages, and without any cost." },
    { key: "enableTtsProvidersTab", label: "Listeners choose their provider", hint: "Off: everybody hears the default provider." },
    { key: "showAllProviderModels", label: "Listeners choose other models", hint: "Off: each provider speaks with its default model only." },
    { key: "ttsPlaybackBackgroundExtent", label: "How far speech is made ahead when the listener has gone", hint: "The whole document costs more at a paid provider.", options: [["section", "To the end of the section"], ["document", "To the end of the document"]] },
  ] },
  { title: "Documents", fields: [
    { key: "maxUploadMb", label: "Largest upload (MB)", hint: "Of one file. A listener’s own recording of a book may be five times as large.", least: 1 },
    { key: "enableDocxConversion", label: "Word documents", hint: "Whether .docx files can be uploaded." },
    { key: "enableAudiobookExport", label: "Audiobook export", hint: "Whether listeners may take documents away as sound files. Export is not part of this version yet." },
  ] },
  { title: "Speech providers", fields: [
    { key: "ttsUpstreamMaxRetries", label: "Retries", hint: "How often a failed request to a provider is tried again.", least: 0 },
    { key: "ttsUpstreamTimeoutMs", label: "Time for one request (ms)", hint: "Afterwards a provider counts as not answering.", least: 1 },
    { key: "ttsCacheMaxSizeBytes", label: "Speech that a worker keeps in memory (bytes)", hint: "268435456 are 256 MiB. All speech is in the object store as well.", least: 1 },
    { key: "ttsCacheTtlMs", label: "For how long it is kept there (ms)", hint: "1800000 are 30 minutes.", least: 1 },
  ] },
  { title: "News", fields: [
    { key: "changelogFeedUrl", label: "Feed of what is new", hint: "The address of an Atom, RSS or JSON feed, shown under Settings → What's new. Empty: there is no such page." },
  ] },
];

/** @param {FeatureField} field @param {Feature} feature @param {ManagedProvider[]} providers */
export function featureField({ key, label, hint, least, options }, { value }, providers) {
  const named = { name: key, label, hint };
  if (options) return selectField({ ...named, value, options: options === "providers" ? providerOptions(providers, value) : options });
  if (typeof value === "boolean") return toggle({ ...named, value });
  if (least !== undefined) return textField({ ...named, type: "number", value, min: least, required: true });
  return textField({ ...named, type: "url", value, placeholder: "https://example.org/changes.xml" });
}

/** As the API takes it. @param {FeatureField} field @param {Feature} feature @param {FormData} data */
export function writtenValue({ key, least }, { value }, data) {
  if (typeof value === "boolean") return data.has(key);
  const text = String(data.get(key) ?? "").trim();
  return least === undefined ? text : Number(text);
}

/** What a reset brings, in words. @param {FeatureField} field @param {Feature} feature */
export function defaultInWords({ options }, feature) {
  if (typeof feature.default === "boolean") return feature.default ? "on" : "off";
  const label = Array.isArray(options) ? options.find(([id]) => id === feature.default)?.[1] : undefined;
  return label ?? (String(feature.default) || (options ? "Automatic" : "empty"));
}

/** @param {ManagedProvider[]} providers @param {string} value @returns {Options} */
function providerOptions(providers, value) {
  /** @type {(readonly [string, string])[]} */
  const options = [["", "Automatic"], ["builtin", "Built-in voice"], ...providers.map(({ slug, displayName }) => /** @type {const} */ ([slug, displayName]))];
  // A type names the first provider of that type.
  for (const type of new Set(providers.map(({ providerType }) => providerType))) options.push([type, `The first provider of type ${type}`]);
  if (!options.some(([id]) => id === value)) options.push([value, `${value} (there is no such provider)`]);
  return options;
}

/** @param {Feature["source"]} source */
export function sourceInWords(source) {
  return { default: "default", seed: "from the seed", admin: "set here" }[source];
}

/** @param {string} title @param {unknown} content */
export function featureGroup(title, content) {
  return html`<fieldset class="feature-group"><legend>${title}</legend>${content}</fieldset>`;
}
