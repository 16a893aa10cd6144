/** The bar over the pages: pages or text, which page, how large, how laid out. */

import { Component } from "../../lib/component.js";
import { find, html, render } from "../../lib/html.js";
import { icon } from "../icons.js";

/** @typedef {import("../../model/page-settings.js").PageSettings} PageSettings */

const VIEWS = /** @type {const} */ ([["pages", "Pages"], ["text", "Text"]]);
const FITS = /** @type {const} */ ([["width", "Width"], ["page", "Whole page"]]);
const FLOWS = /** @type {const} */ ([["scroll", "Scroll"], ["single", "Single"], ["double", "Two"]]);

/** Emits "pages-set" (detail: part of PageSettings), "pages-go" (detail: page from 0), "pages-turn" and "pages-zoom" (detail: 1 or -1). */
export class PageTools extends Component {
  connected() {
    render(this, tools());
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "Pages");
    this.listen(this, "change", (event) => this.#onChange(event.target));
    this.listen(this, "submit", (event) => {
      event.preventDefault();
      this.#go();
    });
    this.listen(this, "click", (event) => {
      const button = event.target.closest("[data-turn], [data-zoom]");
      if (button?.dataset.turn) this.emit("pages-turn", Number(button.dataset.turn));
      if (button?.dataset.zoom) this.emit("pages-zoom", Number(button.dataset.zoom));
    });
    this.listen(this.#number, "focus", () => this.#number.select());
    this.listen(this.#number, "blur", () => this.#showPage());
  }

  #page = 0;
  #count = 0;

  get #number() {
    return find(this, "[name=page]", HTMLInputElement);
  }

  /** @param {{settings: PageSettings, page: number, count: number, scale: number}} now */
  show({ settings, page, count, scale }) {
    this.#page = page;
    this.#count = count;
    this.dataset.view = settings.view;
    for (const [name, value] of /** @type {const} */ ([["view", settings.view], ["fit", settings.zoom], ["flow", settings.flow]])) {
      for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (this.querySelectorAll(`input[name=${name}]`))) input.checked = input.value === value;
    }
    find(this, ".page-count", HTMLElement).textContent = `of ${count}`;
    find(this, ".zoom-now", HTMLOutputElement).value = `${Math.round(scale * 100)}%`;
    if (document.activeElement !== this.#number) this.#showPage();
    find(this, "[data-turn='-1']", HTMLButtonElement).disabled = page === 0;
    find(this, "[data-turn='1']", HTMLButtonElement).disabled = page >= count - 1;
  }

  focusNumber() {
    this.#number.focus();
  }

  #showPage() {
    this.#number.value = String(this.#page + 1);
    this.#number.setCustomValidity("");
  }

  #go() {
    const number = Number(this.#number.value.trim());
    const isPage = Number.isInteger(number) && number >= 1 && number <= this.#count;
    this.#number.setCustomValidity(isPage ? "" : `Enter a page from 1 to ${this.#count}.`);
    if (!this.#number.reportValidity()) return;
    this.#number.blur();
    this.emit("pages-go", number - 1);
  }

  /** @param {HTMLInputElement} input */
  #onChange(input) {
    if (input.name === "view" || input.name === "flow") this.emit("pages-set", { [input.name]: input.value });
    if (input.name === "fit") this.emit("pages-set", { zoom: input.value });
    if (input.name === "page") input.setCustomValidity("");
  }
}

function tools() {
  return html`
    <div class="segmented page-views" role="radiogroup" aria-label="View">${radios("view", VIEWS)}</div>
    <form class="page-number" novalidate>
      <button type="button" class="icon-button" data-turn="-1" aria-label="Previous page" title="Previous page">${icon("chevronLeft")}</button>
      <input name="page" type="text" inputmode="numeric" autocomplete="off" size="4" aria-label="Go to page" title="Go to page (G)">
      <span class="page-count"></span>
      <button type="button" class="icon-button" data-turn="1" aria-label="Next page" title="Next page">${icon("chevronRight")}</button>
    </form>
    <div class="page-zoom" role="group" aria-label="Zoom">
      <button type="button" class="icon-button" data-zoom="-1" aria-label="Zoom out" title="Zoom out (−)"><span aria-hidden="true">−</span></button>
      <button type="button" class="zoom-button" popovertarget="page-layout" title="Fit and layout"><output class="zoom-now" aria-label="Zoom and layout"></output></button>
      <button type="button" class="icon-button" data-zoom="1" aria-label="Zoom in" title="Zoom in (+)"><span aria-hidden="true">+</span></button>
    </div>
    <div id="page-layout" class="popover" popover role="group" aria-label="Fit and layout">
      ${choices("fit", "Fit", FITS)}${choices("flow", "Layout", FLOWS)}
    </div>`;
}

/** @param {string} name @param {string} label @param {readonly (readonly [string, string])[]} options */
function choices(name, label, options) {
  return html`<fieldset class="choices"><legend>${label}</legend><div class="segmented">${radios(name, options)}</div></fieldset>`;
}

/** @param {string} name @param {readonly (readonly [string, string])[]} options */
function radios(name, options) {
  return options.map(([value, text]) => html`<label><input type="radio" name="${name}" value="${value}"><span>${text}</span></label>`);
}
