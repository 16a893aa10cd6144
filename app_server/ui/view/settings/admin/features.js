/** Settings → Admin → Site features. */

import { changeFeatures, listFeatures, listManagedProviders, resetFeatures } from "../../../api/admin.js";
import { find, html } from "../../../lib/html.js";
import { isAbort } from "../../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../../failures.js";
import { toast } from "../../toasts.js";
import { formActions, sendForm } from "../form.js";
import { SettingsSection } from "../section.js";
import { badge } from "../table.js";
import { FEATURE_GROUPS, defaultInWords, featureField, featureGroup, sourceInWords, writtenValue } from "./feature-fields.js";

/** @typedef {import("../../../api/admin.js").Feature} Feature */
/** @typedef {import("../../../api/admin.js").ManagedProvider} ManagedProvider */
/** @typedef {import("./feature-fields.js").FeatureField} FeatureField */
/** @typedef {{features: Map<string, Feature>, providers: ManagedProvider[]}} Known */

/** @extends {SettingsSection<Known>} */
export class FeaturesSection extends SettingsSection {
  /** @type {Known} */
  #known = { features: new Map(), providers: [] };

  opened() {
    this.listen(this, "click", (event) => {
      const key = event.target.closest("[data-reset]")?.dataset.reset;
      if (key) void this.#reset(key);
    });
  }

  async load() {
    const [features, providers] = await Promise.all([listFeatures(this.signal), listManagedProviders(this.signal)]);
    return { features: byKey(features), providers };
  }

  /** @param {Known} known */
  show(known) {
    this.#known = known;
    this.render(html`<form class="settings-form">
      <p class="settings-note">Changes reach every part of Lectern within 15 seconds.</p>
      ${FEATURE_GROUPS.map(({ title, fields }) => featureGroup(title, fields.map((field) => this.#row(field))))}
      ${formActions("Save changes")}
    </form>`);
    sendForm(this, find(this, "form", HTMLFormElement), {
      send: async (data) => {
        const values = this.#changed(data);
        return Object.keys(values).length ? changeFeatures(values, this.signal) : null;
      },
      done: (features) => {
        toast({ message: features ? "The site features have been saved." : "Nothing was changed." });
        if (features) this.#updated(features);
        find(this, ".button-primary", HTMLElement).focus();
      },
    });
  }

  /** @param {FeatureField} field */
  #row(field) {
    const feature = this.#known.features.get(field.key);
    if (!feature) return "";
    const isDefault = feature.source === "default";
    return html`<div class="feature" data-feature="${field.key}">
      ${featureField(field, feature, this.#known.providers)}
      <div class="feature-source">${badge(sourceInWords(feature.source), feature.source === "admin" ? "good" : "plain")}
        ${isDefault ? "" : html`<button type="button" class="button button-small" data-reset="${field.key}" aria-label="Reset: ${field.label}">Reset to ${defaultInWords(field, feature)}</button>`}</div>
    </div>`;
  }

  /** @param {FormData} data */
  #changed(data) {
    /** @type {Record<string, unknown>} */
    const values = {};
    for (const field of FEATURE_GROUPS.flatMap(({ fields }) => fields)) {
      const feature = this.#known.features.get(field.key);
      const value = feature && writtenValue(field, feature, data);
      if (feature && value !== feature.value) values[field.key] = value;
    }
    return values;
  }

  /** @param {string} key */
  async #reset(key) {
    try {
      this.#updated(await resetFeatures([key], this.signal));
      toast({ message: "This feature has its default again." });
      const control = this.querySelector(`[data-feature="${key}"] :is(input, select)`);
      if (control instanceof HTMLElement) control.focus();
    } catch (error) {
      if (!isAbort(error) && !leaveIfSignedOut(error)) toast({ message: messageOf(error) });
    }
  }

  /** @param {Feature[]} features */
  #updated(features) {
    this.show({ ...this.#known, features: byKey(features) });
    // What listeners may do, this page included.
    void this.context.refreshSession();
  }
}

/** @param {Feature[]} features */
function byKey(features) {
  return new Map(features.map((feature) => [feature.key, feature]));
}
