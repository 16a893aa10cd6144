/** Rules of pronunciation in a form: written so, said so; tried on a text and heard before they are kept. */

import { sampleOf } from "../../api/reading-options.js";
import { previewVoice } from "../../api/voices.js";
import { Component } from "../../lib/component.js";
import { find, html, render } from "../../lib/html.js";
import { childController, delay, isAbort } from "../../lib/signals.js";
import { sendRows } from "../../model/rule-rows.js";
import { messageOf } from "../failures.js";
import { icon } from "../icons.js";
import { selectField, showFailure, textField } from "../settings/form.js";
import { toast } from "../toasts.js";

/** @typedef {import("../../api/reading-options.js").Rule} Rule */
/** What a preview is spoken with; empty values mean the default. @typedef {{providerRef: string, model: string, voice: string, language: string}} SampleVoice */

const KINDS = /** @type {const} */ ([["word", "Whole word"], ["literal", "Text anywhere"], ["regexp", "Pattern"]]);
const STYLES = "/ui/styles/rules.css";
const TYPING_MS = 350;
const MOST_RULES = 200;

/** Its rows are fields of the form around it, named rules.<number>.<part> as the server names them in errors. */
export class RulesEditor extends Component {
  /** @type {Rule[]} */
  #given = [];
  #sample = "";
  /** @type {SampleVoice} */
  #voice = { providerRef: "", model: "", voice: "", language: "" };
  #trying = new AbortController();
  #audio = new Audio();

  /** @param {{rules: Rule[], sample: string, voice?: SampleVoice}} parts */
  begin({ rules, sample, voice = this.#voice }) {
    this.#given = rules;
    this.#sample = sample;
    this.#voice = voice;
    if (this.isConnected) this.#build();
  }

  connected() {
    if (!document.querySelector(`link[href="${STYLES}"]`)) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLES }));
    }
    this.listen(this, "click", (event) => this.#act(event.target.closest("button")));
    this.listen(this, "input change", () => void this.#try());
    this.signal.addEventListener("abort", () => this.#silence(), { once: true });
    this.#build();
  }

  /**
   * As they stand in the fields; a row in which nothing was written is none.
   * @template T @param {(rules: Rule[]) => Promise<T>} send @returns {Promise<T>} errors name the rows
   */
  save(send) {
    return sendRows(this.#rows(), (rule) => rule.pattern || rule.replacement, send);
  }

  /** @returns {Rule[]} */
  #rows() {
    return [...this.querySelectorAll(".rule")].map((row) => {
      const value = (/** @type {string} */ part) => /** @type {HTMLInputElement} */ (row.querySelector(`[name$=".${part}"]`));
      return {
        kind: /** @type {Rule["kind"]} */ (value("kind").value),
        pattern: value("pattern").value,
        replacement: value("replacement").value,
        matchCase: value("matchCase").checked,
      };
    });
  }

  #build() {
    render(this, html`<div class="rules"></div>
      <p><button type="button" class="button button-small" data-do="add-rule">${icon("plus")} Add a rule</button></p>
      <div class="rules-trial" hidden>
        ${textField({ name: "sample", id: "rules-sample", label: "Try it on", value: this.#sample, maxlength: 400 })}
        <p class="rules-said"><span>Said as:</span> <output for="rules-sample" dir="auto"></output>
          <button type="button" class="icon-button" data-do="hear" aria-label="Hear it" title="Hear it">${icon("play")}</button></p>
      </div>`);
    this.#show(this.#given);
  }

  /** @param {Rule[]} rules */
  #show(rules) {
    render(find(this, ".rules", HTMLElement), html`${rules.map(row)}`);
    find(this, ".rules-trial", HTMLElement).hidden = rules.length === 0;
    find(this, "[data-do=add-rule]", HTMLButtonElement).hidden = rules.length >= MOST_RULES;
    if (rules.length) void this.#try();
  }

  /** @param {HTMLButtonElement | null} button */
  #act(button) {
    const rules = this.#rows();
    if (button?.dataset.do === "add-rule") {
      this.#show([...rules, { kind: "word", pattern: "", replacement: "", matchCase: false }]);
      find(this, `[name="rules.${rules.length}.pattern"]`, HTMLInputElement).focus();
    } else if (button?.dataset.remove) {
      this.#show(rules.filter((_, index) => index !== Number(button.dataset.remove)));
      find(this, "[data-do=add-rule]", HTMLButtonElement).focus();
    } else if (button?.dataset.do === "hear") void this.#hear(button);
  }

  /** Shows what the rules make of the sample. @returns {Promise<string>} that; empty where there is no answer */
  async #try() {
    this.#trying.abort();
    const trying = (this.#trying = childController(this.signal));
    const text = find(this, "#rules-sample", HTMLInputElement).value.trim();
    const output = find(this, "output", HTMLOutputElement);
    try {
      await delay(TYPING_MS, trying.signal);
      const { said, leftOut } = await sendRows(this.#rows(), ({ pattern }) => pattern, async (rules, rowOf) => {
        if (!text) return { said: "", leftOut: [] };
        const answer = await sampleOf(rules, text, trying.signal);
        return { said: answer.said, leftOut: answer.leftOut.map(rowOf) };
      });
      output.value = said;
      this.#warn(leftOut);
      return said;
    } catch (error) {
      if (!isAbort(error)) {
        output.value = "–";
        const form = this.closest("form");
        if (form && !form.contains(document.activeElement)) showFailure(form, error);
      }
      return "";
    }
  }

  /** Says of which rows the rule takes too long on the sample. @param {number[]} rows */
  #warn(rows) {
    for (const [row, warning] of this.querySelectorAll(".rule-warning").entries()) {
      warning.textContent = rows.includes(row) ? "This takes too long on the text below, so it is left out there. Make it simpler." : "";
    }
  }

  /** @param {HTMLButtonElement} button */
  async #hear(button) {
    this.#silence();
    this.emit("voice-preview");
    button.setAttribute("aria-busy", "true");
    try {
      const text = await this.#try();
      if (!text) return;
      this.#audio.src = URL.createObjectURL(await previewVoice({ ...this.#voice, text: text.slice(0, 400) }, this.signal));
      await this.#audio.play();
    } catch (error) {
      if (!isAbort(error)) toast({ message: messageOf(error) });
    } finally {
      button.removeAttribute("aria-busy");
    }
  }

  #silence() {
    this.#audio.pause();
    if (this.#audio.src) URL.revokeObjectURL(this.#audio.src);
    this.#audio.removeAttribute("src");
  }
}

/** @param {Rule} rule @param {number} index */
function row(rule, index) {
  const named = (/** @type {string} */ part) => ({ name: `rules.${index}.${part}`, id: `rule-${index}-${part}` });
  return html`<div class="rule" role="group" aria-label="Rule ${index + 1}">
    ${selectField({ ...named("kind"), label: "Find", value: rule.kind, options: KINDS })}
    ${textField({ ...named("pattern"), label: "Written", value: rule.pattern })}
    ${textField({ ...named("replacement"), label: "Said as", value: rule.replacement, placeholder: "nothing" })}
    <label class="rule-case" title="Only in these capital and small letters"><input type="checkbox" name="rules.${index}.matchCase"${rule.matchCase ? html` checked` : ""}> Match case</label>
    <p class="rule-warning" aria-live="polite"></p>
    <button type="button" class="icon-button" data-remove="${index}" aria-label="Remove rule ${index + 1}" title="Remove">${icon("trash")}</button>
  </div>`;
}

/** Once, before the element is used. */
export function defineRulesEditor() {
  if (!customElements.get("lectern-rules")) customElements.define("lectern-rules", RulesEditor);
}
