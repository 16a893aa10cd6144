/** Appearance: theme, and in the reader the size and width of the text. */

import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { TEXT_SIZES, nextStep } from "../model/preferences.js";
import { icon } from "./icons.js";

const THEMES = /** @type {const} */ ([["system", "System"], ["light", "Light"], ["sepia", "Sepia"], ["dark", "Dark"]]);
const WIDTHS = /** @type {const} */ ([["narrow", "Narrow"], ["medium", "Medium"], ["wide", "Wide"]]);

export class ThemeChooser extends Component {
  /** @type {import("../model/preferences.js").Preferences} */
  preferences = /** @type {any} */ (undefined);

  connected() {
    const forReading = this.hasAttribute("reading");
    render(this, html`
      <button type="button" class="icon-button" popovertarget="appearance" aria-label="Appearance" title="Appearance">${icon("letters")}</button>
      <div id="appearance" class="popover" popover aria-label="Appearance" role="group">
        ${forReading ? html`<div class="field-row"><span id="size-label">Text size</span>
          <span class="stepper" role="group" aria-labelledby="size-label">
            <button type="button" data-step="-1" aria-label="Smaller text"><span class="letter-small">A</span></button>
            <output></output>
            <button type="button" data-step="1" aria-label="Larger text"><span class="letter-large">A</span></button>
          </span></div>
          ${choices("lineWidth", "Line length", WIDTHS)}` : ""}
        ${choices("theme", "Theme", THEMES)}
      </div>`);
    this.listen(this, "change", (event) => this.preferences.set(event.target.name, event.target.value));
    this.listen(this, "click", (event) => this.#onStep(event));
    this.listen(this.preferences, "change", () => this.#show());
    this.#show();
  }

  /** @param {MouseEvent} event */
  #onStep(event) {
    const button = /** @type {HTMLElement} */ (event.target).closest("[data-step]");
    if (!(button instanceof HTMLElement)) return;
    const direction = Number(button.dataset.step) > 0 ? 1 : -1;
    this.preferences.set("textSize", nextStep(TEXT_SIZES, this.preferences.get("textSize"), direction));
  }

  #show() {
    for (const name of /** @type {const} */ (["theme", "lineWidth"])) {
      const input = this.querySelector(`input[name=${name}][value=${this.preferences.get(name)}]`);
      if (input instanceof HTMLInputElement) input.checked = true;
    }
    if (this.hasAttribute("reading")) {
      find(this, "output", HTMLOutputElement).value = `${Math.round(this.preferences.get("textSize") * 100)}%`;
    }
  }
}

/** @param {string} name @param {string} label @param {readonly (readonly [string, string])[]} options */
function choices(name, label, options) {
  return html`<fieldset class="choices"><legend>${label}</legend><div class="segmented">
    ${options.map(([value, text]) => html`<label><input type="radio" name="${name}" value="${value}"><span data-value="${value}">${text}</span></label>`)}
  </div></fieldset>`;
}
