/** Title, authors and language of a document, and where it came from. */

import { changeDocument } from "../../api/imports.js";
import { html } from "../../lib/html.js";
import { textArea, textField } from "../settings/form.js";
import { FormDialog, openedDialog } from "./form-dialog.js";

/** @typedef {import("../../api/types.js").LibraryDocument} LibraryDocument */

export const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;

class DetailsDialog extends FormDialog {
  /** @param {LibraryDocument} item @param {(item: LibraryDocument) => void} done */
  open(item, done) {
    this.ask({
      title: "Details",
      action: "Save",
      busy: "Saving…",
      fields: html`
        ${textField({ name: "title", label: "Title", value: item.title, maxlength: 300 })}
        ${textArea({ name: "authors", label: "Authors", value: item.authors.join("\n"), rows: 2 })}
        ${textField({ name: "language", label: "Language", value: item.language, hint: "Its short name, such as en, de or pt-BR. Voices say the words as in this language.", maxlength: 35 })}
        <p class="dialog-hint">What you leave empty is taken from the file.${item.sourceUrl ? html` From <a href="${item.sourceUrl}" target="_blank" rel="noopener noreferrer">${item.sourceUrl}</a>` : ""}</p>`,
      check: (data) => {
        const language = String(data.get("language")).trim();
        return /** @type {Record<string, string>} */ (!language || LANGUAGE.test(language) ? {} : { language: "Use a language's short name, such as en or pt-BR." });
      },
      send: (data) => changeDocument(item.id, changes(item, data)),
      done,
    });
  }
}

/** Only what is different: the rest stays the file's own. @param {LibraryDocument} item @param {FormData} data */
function changes(item, data) {
  /** @type {{title?: string | null, authors?: string[] | null, language?: string | null}} */
  const wanted = {};
  const title = String(data.get("title")).trim();
  if (title !== item.title) wanted.title = title || null;
  const authors = String(data.get("authors")).split("\n").map((name) => name.trim()).filter(Boolean);
  if (authors.join("\n") !== item.authors.join("\n")) wanted.authors = authors.length ? authors : null;
  const language = String(data.get("language")).trim();
  if (language !== item.language) wanted.language = language || null;
  return wanted;
}

/** @param {LibraryDocument} item @param {(item: LibraryDocument) => void} done */
export function editDetails(item, done) {
  openedDialog("lectern-details", DetailsDialog).open(item, done);
}
