/** Pasted text, as a document. */

import { addText } from "../../api/imports.js";
import { html } from "../../lib/html.js";
import { selectField, textArea, textField } from "../settings/form.js";
import { FormDialog, openedDialog } from "./form-dialog.js";

/** @typedef {import("../../api/types.js").Added} Added */

const KINDS = /** @type {const} */ ([["text", "Plain text"], ["markdown", "Markdown"]]);

class TextDialog extends FormDialog {
  /** @param {(added: Added) => void} done */
  open(done) {
    this.ask({
      title: "Paste text",
      action: "Add to library",
      busy: "Adding…",
      fields: html`
        ${textArea({ name: "text", label: "Text", rows: 10 })}
        ${textField({ name: "title", label: "Title", hint: "Optional: without one, the first line stands for it.", maxlength: 300 })}
        ${selectField({ name: "kind", label: "Kind", value: "text", options: KINDS })}`,
      check: (data) => /** @type {Record<string, string>} */ (String(data.get("text")).trim() ? {} : { text: "Paste or type the text here." }),
      send: (data) => addText({ text: String(data.get("text")), title: String(data.get("title")), kind: String(data.get("kind")) }),
      done,
    });
  }
}

/** @param {(added: Added) => void} done */
export function pasteText(done) {
  openedDialog("lectern-paste-text", TextDialog).open(done);
}
