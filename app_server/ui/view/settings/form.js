/** Forms of the settings: fields that show their own errors, and one way of sending them. */

import { ApiError } from "../../api/http.js";
import { find, html } from "../../lib/html.js";
import { isAbort } from "../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";

/** @typedef {import("../../lib/html.js").Html} Html */
/** @typedef {{name: string, label: string, hint?: string | Html, id?: string}} Named */

/** @param {Named} field */
function described({ name, hint, id = name }) {
  return `${hint ? `${id}-hint ` : ""}${id}-error`;
}

/** @param {Named} field @param {Html} control */
function framed({ name, label, hint, id = name }, control) {
  return html`<div class="field" data-field="${name}">
    <label for="${id}">${label}</label>
    ${control}
    ${hint ? html`<p class="field-hint" id="${id}-hint">${hint}</p>` : ""}
    <p class="field-error" id="${id}-error"></p>
  </div>`;
}

/**
 * One line of text or a number. `id` where a name occurs twice on a page.
 * @param {Named & {type?: string, value?: string | number | null, autocomplete?: string, placeholder?: string, required?: boolean,
 *   min?: number, max?: number, minlength?: number, maxlength?: number, readonly?: boolean}} field
 */
export function textField({ type = "text", value = "", autocomplete = "off", placeholder = "", required = false, readonly = false, ...rest }) {
  const { name, id = name } = rest;
  const limit = (/** @type {"min" | "max" | "minlength" | "maxlength"} */ key) => rest[key] === undefined ? "" : html` ${key}="${rest[key]}"`;
  return framed(rest, html`<input id="${id}" name="${name}" type="${type}" value="${value ?? ""}" autocomplete="${autocomplete}"
    placeholder="${placeholder}" aria-describedby="${described(rest)}" autocapitalize="off" spellcheck="false"${required ? html` required` : ""}${readonly ? html` readonly` : ""}${limit("min")}${limit("max")}${limit("minlength")}${limit("maxlength")}>`);
}

/** @param {Named & {value?: string, rows?: number, code?: boolean}} field */
export function textArea({ value = "", rows = 4, code = false, ...rest }) {
  const { name, id = name } = rest;
  return framed(rest, html`<textarea id="${id}" name="${name}" rows="${rows}" spellcheck="${String(!code)}" class="${code ? "code" : ""}"
    aria-describedby="${described(rest)}">${value}</textarea>`);
}

/** @param {Named & {value: string, options: readonly (readonly [value: string, label: string])[]}} field */
export function selectField({ value, options, ...rest }) {
  const { name, id = name } = rest;
  return framed(rest, html`<select id="${id}" name="${name}" aria-describedby="${described(rest)}">
    ${options.map(([key, label]) => html`<option value="${key}"${key === value ? html` selected` : ""}>${label}</option>`)}</select>`);
}

/** On or off. @param {Named & {value: boolean, disabled?: boolean}} field */
export function toggle({ name, label, hint, id = name, value, disabled = false }) {
  return html`<div class="toggle" data-field="${name}">
    <label for="${id}"><span class="toggle-label">${label}</span>
      <input type="checkbox" role="switch" id="${id}" name="${name}" aria-describedby="${described({ name, label, hint, id })}"${value ? html` checked` : ""}${disabled ? html` disabled` : ""}>
    </label>
    ${hint ? html`<p class="field-hint" id="${id}-hint">${hint}</p>` : ""}
    <p class="field-error" id="${id}-error"></p>
  </div>`;
}

/** The foot of a form: what is wrong with it as a whole, and its button. @param {string} action @param {Html} [more] further buttons */
export function formActions(action, more) {
  return html`<p class="form-error" role="alert"></p>
    <div class="form-actions">${more ?? ""}<button class="button button-primary">${action}</button></div>`;
}

/**
 * Sends a form when it is submitted: once at a time, with the server's messages at their fields.
 * @template T
 * @param {import("../../lib/component.js").Component} owner
 * @param {HTMLFormElement} form
 * @param {{busy?: string, send: (data: FormData) => Promise<T>, done?: (answer: T) => void, check?: (data: FormData) => Record<string, string>}} how
 *   `check` finds what the fields' own attributes don't, by name; `busy` is what the button says meanwhile
 */
export function sendForm(owner, form, { busy = "Saving…", send, done, check }) {
  form.noValidate = true;
  owner.listen(form, "submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (event.submitter ?? find(form, "button:not([type=button])", HTMLButtonElement));
    if (button.disabled) return;
    clearErrors(form);
    const wrong = { ...invalidFields(form), ...check?.(new FormData(form)) };
    if (Object.keys(wrong).length) return showErrors(form, wrong);
    const label = [...button.childNodes];
    button.disabled = true;
    button.replaceChildren(busy);
    try {
      const answer = await send(new FormData(form));
      done?.(answer);
    } catch (error) {
      if (!isAbort(error) && !leaveIfSignedOut(error)) showFailure(form, error);
    } finally {
      button.disabled = false;
      button.replaceChildren(...label);
    }
  });
  owner.listen(form, "input", (event) => event.target.name && showErrors(form, { [event.target.name]: "" }, { focus: false }));
}

/** What the browser itself finds wrong, in our words. @param {HTMLFormElement} form */
function invalidFields(form) {
  /** @type {Record<string, string>} */
  const wrong = {};
  for (const control of form.elements) {
    if (control instanceof HTMLInputElement && !control.validity.valid) wrong[control.name] = fault(control);
  }
  return wrong;
}

/** @param {HTMLInputElement} input */
function fault({ validity, type, min, max, minLength, maxLength }) {
  if (validity.valueMissing) return "Fill this in.";
  if (validity.tooShort) return `Use at least ${minLength} characters.`;
  if (validity.tooLong) return `Use at most ${maxLength} characters.`;
  if (validity.rangeUnderflow) return `Enter ${min} or more.`;
  if (validity.rangeOverflow) return `Enter ${max} or less.`;
  if (validity.typeMismatch && type === "email") return "This does not look like an e-mail address.";
  if (validity.typeMismatch && type === "url") return "This does not look like an address: begin it with https://.";
  return type === "number" ? "Enter a whole number." : "This is not possible here.";
}

/** @param {HTMLFormElement} form @param {unknown} error */
export function showFailure(form, error) {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  const known = fields.filter(([name]) => holder(form, name));
  showErrors(form, Object.fromEntries(known));
  if (fields.length && known.length === fields.length) return;
  const rest = fields.filter(([name]) => !holder(form, name)).map(([name, message]) => `${name}: ${message}`);
  find(form, ".form-error", HTMLElement).textContent = rest.length ? rest.join("\n") : messageOf(error);
}

/** @param {HTMLFormElement} form @param {Record<string, string>} errors "" takes one away */
export function showErrors(form, errors, { focus = true } = {}) {
  /** @type {HTMLElement | null} */
  let first = null;
  for (const [name, message] of Object.entries(errors)) {
    const field = holder(form, name);
    const shown = field?.querySelector(".field-error");
    const control = field?.querySelector("input, select, textarea");
    if (!shown || !(control instanceof HTMLElement)) continue;
    shown.textContent = message;
    if (message) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
    if (message) first ??= control;
  }
  if (focus) first?.focus();
}

/** @param {HTMLFormElement} form */
function clearErrors(form) {
  for (const field of form.querySelectorAll(".field-error, .form-error")) field.textContent = "";
  for (const control of form.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
}

/** @param {HTMLFormElement} form @param {string} name */
function holder(form, name) {
  return form.querySelector(`[data-field="${CSS.escape(name)}"]`);
}
