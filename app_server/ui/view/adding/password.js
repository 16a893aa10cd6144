/** The password of a locked document. It goes to the server once and is kept nowhere. */

import { unlockDocument } from "../../api/documents.js";
import { html } from "../../lib/html.js";
import { textField } from "../settings/form.js";
import { FormDialog, openedDialog } from "./form-dialog.js";

/** @typedef {import("../../api/types.js").LibraryDocument} LibraryDocument */

class PasswordDialog extends FormDialog {
  /** @param {LibraryDocument} item @param {(item: LibraryDocument) => void} done */
  open(item, done) {
    this.ask({
      title: "This document is locked",
      action: "Open",
      busy: "Opening…",
      fields: html`
        <p class="dialog-hint"><span dir="auto">${item.title || item.fileName}</span> opens only with a password. Lectern needs it once and doesn't keep it.</p>
        ${textField({ name: "password", label: "Password", type: "password", required: true, maxlength: 250, autocomplete: "off" })}`,
      send: (data) => unlockDocument(item.id, String(data.get("password"))),
      done,
    });
  }
}

/** @param {LibraryDocument} item @param {(item: LibraryDocument) => void} done */
export function askPassword(item, done) {
  openedDialog("lectern-password", PasswordDialog).open(item, done);
}
