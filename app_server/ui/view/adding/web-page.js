/** A page of the web, as a document. */

import { addWebPage } from "../../api/imports.js";
import { html } from "../../lib/html.js";
import { textField } from "../settings/form.js";
import { FormDialog, openedDialog } from "./form-dialog.js";

/** @typedef {import("../../api/types.js").Added} Added */

class WebPageDialog extends FormDialog {
  /** @param {(added: Added) => void} done */
  open(done) {
    this.ask({
      title: "Add a web page",
      action: "Add to library",
      busy: "Fetching the page…",
      fields: html`${textField({
        name: "address", label: "Web address", placeholder: "https://", required: true, maxlength: 4000,
        hint: "The article is read, without the menus and advertisements around it. Only pages that anybody may see can be fetched.",
      })}`,
      send: (data) => addWebPage(String(data.get("address"))),
      done,
    });
  }
}

/** @param {(added: Added) => void} done */
export function addPage(done) {
  openedDialog("lectern-add-page", WebPageDialog).open(done);
}
