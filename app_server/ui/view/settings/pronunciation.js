/** Settings → Pronunciation: how words are said in all of one's documents. */

import { getRules, putRules } from "../../api/reading-options.js";
import { find, html } from "../../lib/html.js";
import { RulesEditor, defineRulesEditor } from "../reading-options/rules-editor.js";
import { toast } from "../toasts.js";
import { formActions, sendForm } from "./form.js";
import { SettingsSection } from "./section.js";

/** @typedef {import("../../api/reading-options.js").Rule} Rule */

const SAMPLE = "Dr. Nguyen lives on St. Mary's Rd., 5 km from here.";

/** @extends {SettingsSection<Rule[]>} */
export class PronunciationSection extends SettingsSection {
  load() {
    return getRules(this.signal);
  }

  /** @param {Rule[]} rules */
  show(rules) {
    defineRulesEditor();
    this.render(html`<form class="settings-form">
      <p class="settings-note">Words that a voice says wrong: write how they should sound. Only what is heard changes, never the text. Rules are applied from top to bottom, after those of a document of its own.</p>
      <p class="settings-note">A pattern is a regular expression; what it finds in brackets can be said again as \\1, \\2 and so on.</p>
      <lectern-rules></lectern-rules>
      ${formActions("Save rules")}
    </form>`);
    const editor = find(this, "lectern-rules", RulesEditor);
    editor.begin({ rules, sample: SAMPLE });
    sendForm(this, find(this, "form", HTMLFormElement), {
      send: () => editor.save(putRules),
      done: (kept) => {
        toast({ message: kept.length ? "Your rules have been saved." : "You have no rules now." });
        editor.begin({ rules: kept, sample: SAMPLE });
      },
    });
  }
}
