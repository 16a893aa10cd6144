/** A question before something is lost. */

import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";

export class ConfirmDialog extends Component {
  /**
   * @param {{title: string, message: string, action: string}} question
   * @returns {Promise<boolean>}
   */
  ask({ title, message, action }) {
    render(this, html`<dialog class="dialog" aria-labelledby="confirm-title" aria-describedby="confirm-message">
      <form method="dialog">
        <h2 id="confirm-title">${title}</h2>
        <p id="confirm-message">${message}</p>
        <div class="dialog-actions">
          <button class="button" value="no" autofocus>Cancel</button>
          <button class="button button-danger" value="yes">${action}</button>
        </div>
      </form>
    </dialog>`);
    const dialog = find(this, "dialog", HTMLDialogElement);
    dialog.returnValue = "no";
    dialog.showModal();
    const answered = new AbortController();
    return new Promise((resolve) => {
      this.listen(dialog, "click", (event) => event.target === dialog && dialog.close("no"));
      // Of a key, wherever the focus is: left to itself, a browser may take one press for the dialog beneath as well.
      const onKey = (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
        event.preventDefault();
        dialog.close("no");
      };
      document.addEventListener("keydown", onKey, { signal: AbortSignal.any([this.signal, answered.signal]) });
      this.listen(dialog, "close", () => {
        answered.abort();
        dialog.remove();
        resolve(dialog.returnValue === "yes");
      });
    });
  }
}
