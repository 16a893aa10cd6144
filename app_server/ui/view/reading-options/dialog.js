/** What is read of the document that is open, in which language, and how its words are said. */

import { changeDocument } from "../../api/imports.js";
import { getReadingOptions, putReadingOptions } from "../../api/reading-options.js";
import { find, html } from "../../lib/html.js";
import { FormDialog, openedDialog } from "../adding/form-dialog.js";
import { LANGUAGE } from "../adding/details.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";
import { textField, toggle } from "../settings/form.js";
import { toast } from "../toasts.js";
import { RulesEditor, defineRulesEditor } from "./rules-editor.js";

/** @typedef {import("../../api/reading-options.js").ReadingOptions} ReadingOptions */
/** @typedef {{options: ReadingOptions, language: string}} Changed */
/**
 * @typedef {object} Opened
 * @property {string} documentId
 * @property {string} language
 * @property {string} sample a sentence of the document
 * @property {{providerRef: string, model?: string, voice?: string}} voice
 */

const STYLES = ["fields", "settings", "adding"];
/** What can be read or not, with the roles of lectern.reading.v1 behind it, and whether they are by default. */
const ROLES = /** @type {const} */ ([
  ["footnotes", "Footnotes", ["footnote"], false],
  ["margins", "Page headers, footers and numbers", ["header", "footer", "page_number"], false],
  ["tables", "Tables", ["table"], true],
  ["captions", "Captions", ["caption"], true],
  ["pictures", "Descriptions of pictures", ["image_alt"], true],
  ["code", "Program code", ["code"], true],
  ["formulas", "Formulas", ["formula"], true],
  ["references", "Lists of references", ["reference"], true],
]);

class ReadingOptionsDialog extends FormDialog {
  /** @param {Opened} opened @param {ReadingOptions} options @param {(changed: Changed) => void} done */
  open({ documentId, language, sample, voice }, options, done) {
    this.ask({
      title: "What is read",
      action: "Save",
      busy: "Saving…",
      fields: html`
        <div class="reading-roles" role="group" aria-label="Read aloud">
          ${ROLES.map(([name, label, roles, byDefault]) => toggle({ name, label, value: isRead(options, roles[0], byDefault) }))}
          ${toggle({ name: "citations", label: "Citations", hint: "Such as [3] or (Smith, 2020).", value: !options.skipCitations })}
          ${toggle({ name: "brackets", label: "Text in brackets", value: !options.skipBrackets })}
        </div>
        ${textField({ name: "language", label: "Language", value: language, maxlength: 35, hint: "Its short name, such as en, de or pt-BR. Leave it empty for the file's own." })}
        <section class="reading-rules" aria-labelledby="reading-rules-title">
          <h3 id="reading-rules-title">Pronunciation in this document</h3>
          <p class="dialog-hint">Only what is heard changes, never the text. For all your documents, go to <a href="/app/settings/pronunciation">your own rules</a>.</p>
          <lectern-rules></lectern-rules>
        </section>`,
      check: (data) => {
        const wanted = String(data.get("language")).trim();
        return /** @type {Record<string, string>} */ (!wanted || LANGUAGE.test(wanted) ? {} : { language: "Use a language's short name, such as en or pt-BR." });
      },
      send: (data) => this.#save(documentId, language, data),
      done,
    });
    const { providerRef, model = "", voice: name = "" } = voice;
    this.#rules.begin({ rules: options.rules, sample, voice: { providerRef, model, voice: name, language } });
  }

  get #rules() {
    return find(this, "lectern-rules", RulesEditor);
  }

  /** @param {string} documentId @param {string} language @param {FormData} data @returns {Promise<Changed>} */
  async #save(documentId, language, data) {
    const isOn = (/** @type {string} */ name) => data.has(name);
    const options = await this.#rules.save((rules) => putReadingOptions(documentId, {
      includeRoles: ROLES.flatMap(([name, , roles, byDefault]) => (!byDefault && isOn(name) ? roles : [])),
      skipRoles: ROLES.flatMap(([name, , roles, byDefault]) => (byDefault && !isOn(name) ? roles : [])),
      skipCitations: !isOn("citations"),
      skipBrackets: !isOn("brackets"),
      rules,
    }));
    const wanted = String(data.get("language")).trim();
    if (wanted === language) return { options, language };
    return { options, language: (await changeDocument(documentId, { language: wanted || null })).language };
  }
}

/** @param {ReadingOptions} options @param {string} role @param {boolean} byDefault */
function isRead({ includeRoles, skipRoles }, role, byDefault) {
  return byDefault ? !skipRoles.includes(role) : includeRoles.includes(role);
}

/** @param {Opened} opened @param {(changed: Changed) => void} done */
export async function openReadingOptions(opened, done) {
  let options;
  try {
    options = await getReadingOptions(opened.documentId);
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast({ message: messageOf(error) });
    return;
  }
  for (const name of STYLES) {
    const href = `/ui/styles/${name}.css`;
    if (!document.querySelector(`link[href="${href}"]`)) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
    }
  }
  defineRulesEditor();
  // In the reader, where a sample that is heard silences the document.
  openedDialog("lectern-reading-options", ReadingOptionsDialog, find(document.body, "lectern-reader", HTMLElement)).open(opened, options, done);
}
