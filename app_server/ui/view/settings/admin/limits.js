/** Settings → Admin → Compute limits: one document, as a form or as it is. */

import { getPolicies, replacePolicies, resetPolicies } from "../../../api/limits.js";
import { find, html } from "../../../lib/html.js";
import { isAbort } from "../../../lib/signals.js";
import { valueAt, withValue } from "../../../model/json-pointer.js";
import { leaveIfSignedOut, messageOf } from "../../failures.js";
import { toast } from "../../toasts.js";
import { formActions, sendForm, textArea } from "../form.js";
import { SettingsSection } from "../section.js";
import { badge } from "../table.js";
import { NEW_ROWS, limitForm } from "./limit-form.js";

/** @typedef {import("../../../api/limits.js").Policies} Policies */

const SOURCES = { default: "Defaults", seed: "From the first start", admin: "Changed here" };

/** @extends {SettingsSection<Policies>} */
export class LimitsSection extends SettingsSection {
  #isRaw = false;
  /** What is stored. @type {Policies} */
  #stored = { policies: {}, defaults: {}, source: "default" };
  /** What is being edited. @type {any} */
  #draft = {};

  opened() {
    this.listen(this, "click", (event) => {
      const button = event.target.closest("button");
      if (button?.dataset.mode) this.#switchTo(button.dataset.mode === "raw");
      if (button?.dataset.add) this.#add(button.dataset.add);
      if (button?.dataset.remove) this.#remove(button.dataset.remove);
      if (button?.dataset.do === "reset-limits") void this.#reset();
    });
  }

  load() {
    return getPolicies(this.signal);
  }

  /** @param {Policies} stored */
  show(stored) {
    this.#stored = stored;
    this.#draft = structuredClone(stored.policies);
    this.#render();
  }

  #render() {
    const open = new Set([...this.querySelectorAll("details[open]")].map((part) => /** @type {HTMLElement} */ (part).dataset.action ?? ""));
    const { source } = this.#stored;
    this.render(html`<form class="settings-form limits-form">
      <p class="settings-note">Nothing is limited until it is turned on here. Changes reach every part of Lectern within 15 seconds, and workers within a minute.</p>
      <div class="limits-head">${badge(SOURCES[source], source === "admin" ? "good" : "plain")}
        <div class="limits-modes" role="group" aria-label="Edit as">
          <button type="button" class="button button-small" data-mode="form" aria-pressed="${String(!this.#isRaw)}">Form</button>
          <button type="button" class="button button-small" data-mode="raw" aria-pressed="${String(this.#isRaw)}">Raw document</button></div></div>
      ${this.#isRaw ? textArea({ name: "document", label: "The whole document (JSON)", value: JSON.stringify(this.#draft, null, 2), rows: 24, code: true })
        : html`<div class="limit-actions">${limitForm(this.#draft, open)}</div>`}
      ${formActions("Save limits", html`<button type="button" class="button button-quiet-danger" data-do="reset-limits"${source === "default" ? html` disabled` : ""}>Reset to defaults</button>`)}
    </form>`);
    const form = find(this, "form", HTMLFormElement);
    if (!this.#isRaw) this.#fill(form);
    sendForm(this, form, {
      check: () => this.#faults(form),
      send: () => replacePolicies(this.#draft, this.signal),
      done: (stored) => {
        toast({ message: "The limits have been saved." });
        this.show(stored);
      },
    });
  }

  /** @param {HTMLFormElement} form */
  #fill(form) {
    for (const control of controlsOf(form)) {
      const value = valueAt(this.#draft, control.name);
      if (control instanceof HTMLSelectElement || control.type === "number") control.value = String(value);
      else control.checked = Array.isArray(value) ? value.includes(control.value) : Boolean(value);
    }
  }

  /** Take what the form says into the draft. @param {HTMLFormElement} form */
  #read(form) {
    /** @type {Map<string, string[]>} */
    const lists = new Map();
    for (const control of controlsOf(form)) {
      if (control instanceof HTMLSelectElement) this.#draft = withValue(this.#draft, control.name, control.value);
      else if (control.type === "number") this.#draft = withValue(this.#draft, control.name, control.value === "" ? null : Number(control.value));
      else if (control.value === "on") this.#draft = withValue(this.#draft, control.name, control.checked);
      else lists.set(control.name, [...(lists.get(control.name) ?? []), ...(control.checked ? [control.value] : [])]);
    }
    for (const [name, list] of lists) this.#draft = withValue(this.#draft, name, list);
  }

  /** What the server need not be asked about; the draft is what the page says. @param {HTMLFormElement} form @returns {Record<string, string>} */
  #faults(form) {
    if (!this.#isRaw) {
      const wrong = form.querySelector(":invalid");
      wrong?.closest("details")?.setAttribute("open", "");
      this.#read(form);
      return {};
    }
    try {
      this.#draft = JSON.parse(find(form, "textarea", HTMLTextAreaElement).value);
      return {};
    } catch (error) {
      return { document: `This is no JSON: ${messageOf(error)}` };
    }
  }

  /** @param {boolean} isRaw */
  #switchTo(isRaw) {
    if (isRaw === this.#isRaw) return;
    const form = find(this, "form", HTMLFormElement);
    const faults = this.#faults(form);
    if (faults.document) {
      toast({ message: faults.document });
      return;
    }
    if (!isRaw && !hasShape(this.#draft)) {
      toast({ message: "The form can show whole documents only: something is missing in this one." });
      return;
    }
    this.#isRaw = isRaw;
    this.#render();
    find(this, `[data-mode=${isRaw ? "raw" : "form"}]`, HTMLElement).focus();
  }

  /** @param {string} pointer of a list */
  #add(pointer) {
    this.#read(find(this, "form", HTMLFormElement));
    const list = valueAt(this.#draft, pointer);
    const kind = pointer.split("/").at(-1) ?? "";
    this.#draft = withValue(this.#draft, pointer, [...list, structuredClone(NEW_ROWS[kind])]);
    this.#render();
    document.getElementById(`${pointer}/${list.length}/limit`)?.focus();
  }

  /** @param {string} pointer of one row */
  #remove(pointer) {
    this.#read(find(this, "form", HTMLFormElement));
    const cut = pointer.lastIndexOf("/");
    const [list, index] = [pointer.slice(0, cut), Number(pointer.slice(cut + 1))];
    this.#draft = withValue(this.#draft, list, valueAt(this.#draft, list).toSpliced(index, 1));
    this.#render();
    find(this, `[data-add="${list}"]`, HTMLElement).focus();
  }

  async #reset() {
    const question = { title: "Reset the limits?", message: "All limits become what they are on a new instance: nothing is limited.", action: "Reset" };
    if (!(await this.context.confirm(question))) return;
    try {
      this.show(await resetPolicies(this.signal));
      toast({ message: "The limits have their defaults again." });
    } catch (error) {
      if (!isAbort(error) && !leaveIfSignedOut(error)) toast({ message: messageOf(error) });
    }
  }
}

/** @param {HTMLFormElement} form @returns {(HTMLInputElement | HTMLSelectElement)[]} */
function controlsOf(form) {
  return [...form.elements].filter(
    /** @returns {control is HTMLInputElement | HTMLSelectElement} */
    (control) => (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) && control.name.startsWith("/"),
  );
}

/** Is everything there that the form shows? @param {any} draft */
function hasShape(draft) {
  const actions = Object.values(draft?.actions ?? {});
  const lists = /** @param {any} action */ (action) =>
    Array.isArray(action?.usage) && (!action.admission || (Array.isArray(action.admission.windows) && Array.isArray(action.admission.active)));
  return actions.length > 0 && actions.every(lists) && Boolean(draft.worker?.resources && draft.providers?.defaults && draft.providers.overrides);
}
