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
    return new Promise((resolve) => {
      this.listen(dialog, "click", (event) => event.target === dialog && dialog.close("no"));
      this.listen(dialog, "close", () => {
        this.replaceChildren();
        resolve(dialog.returnValue === "yes");
      });
    });
  }
}
