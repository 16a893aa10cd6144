/** A dialog around one form. Extended by those that add to the library or change what is in it. */

import { Component } from "../../lib/component.js";
import { find, html, render } from "../../lib/html.js";
import { ConfirmDialog } from "../confirm-dialog.js";
import { icon } from "../icons.js";
import { formActions, sendForm } from "../settings/form.js";

/** @typedef {import("../../lib/html.js").Html} Html */

export class FormDialog extends Component {
  #untouched = "";

  /**
   * @template T
   * @param {{title: string, fields: Html, action: string, busy: string, send: (data: FormData) => Promise<T>, done: (answer: T) => void,
   *   check?: (data: FormData) => Record<string, string>}} form
   */
  ask({ title, fields, action, busy, send, done, check }) {
    render(this, html`<dialog class="dialog form-dialog" aria-labelledby="form-dialog-title">
      <div class="drawer-header"><h2 id="form-dialog-title">${title}</h2>
        <button type="button" class="icon-button" data-do="close" aria-label="Close" title="Close">${icon("close")}</button></div>
      <form>${fields}${formActions(action, html`<button type="button" class="button" data-do="close">Cancel</button>`)}</form>
    </dialog><lectern-confirm></lectern-confirm>`);
    const dialog = find(this, "dialog", HTMLDialogElement);
    const form = find(this, "form", HTMLFormElement);
    this.#untouched = written(form);
    this.listen(dialog, "close", () => this.remove());
    this.listen(dialog, "click", (event) => event.target.closest("[data-do=close]") && void this.#leave(dialog, form));
    // The key first, wherever the focus is: a browser asks "cancel" only the first time, and closes the second.
    this.listen(document, "keydown", (event) => event.key === "Escape" && !event.isComposing && this.#keep(event, dialog, form));
    this.listen(dialog, "cancel", (event) => event.target === dialog && this.#keep(event, dialog, form));
    sendForm(this, form, {
      busy,
      send,
      check,
      done: (answer) => {
        dialog.close();
        done(answer);
      },
    });
    dialog.showModal();
    const first = form.querySelector("input, textarea");
    if (first instanceof HTMLElement) first.focus();
  }

  /** @param {Event} event that would close the dialog @param {HTMLDialogElement} dialog @param {HTMLFormElement} form */
  #keep(event, dialog, form) {
    if (event.defaultPrevented || this.querySelector("lectern-confirm dialog[open]")) return;
    event.preventDefault();
    void this.#leave(dialog, form);
  }

  /** Closes it; what was written is only dropped by who says so. @param {HTMLDialogElement} dialog @param {HTMLFormElement} form */
  async #leave(dialog, form) {
    const question = { title: "Discard what you wrote?", message: "It isn't saved yet.", action: "Discard" };
    if (written(form) === this.#untouched || (await find(this, "lectern-confirm", ConfirmDialog).ask(question))) dialog.close();
  }
}

/** What stands in the fields. @param {HTMLFormElement} form */
function written(form) {
  return JSON.stringify([...new FormData(form)]);
}

/**
 * @template {FormDialog} T
 * @param {string} name
 * @param {new () => T} Dialog
 * @param {Element} place what hears its events
 * @returns {T} in the page, and gone from it once it is closed
 */
export function openedDialog(name, Dialog, place = document.body) {
  if (!customElements.get("lectern-confirm")) customElements.define("lectern-confirm", ConfirmDialog);
  if (!customElements.get(name)) customElements.define(name, Dialog);
  const element = /** @type {T} */ (document.createElement(name));
  place.append(element);
  return element;
}
