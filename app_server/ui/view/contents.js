/** The table of contents, as a drawer. */

import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { icon } from "./icons.js";

/** @typedef {import("../api/types.js").TocEntry} TocEntry */

/** Emits "contents-go" with {section, blockId}. */
export class Contents extends Component {
  connected() {
    this.listen(this, "click", (event) => this.#onClick(event.target));
  }

  /** @param {import("../api/types.js").ReadingDocument} reading */
  show(reading) {
    const entries = reading.toc.length ? reading.toc : reading.sections
      .filter((section) => section.sentenceCount > 0)
      .map((section) => ({ title: section.title || `Part ${section.index + 1}`, section: section.index, blockId: "", children: [] }));
    render(this, html`<dialog class="drawer" aria-labelledby="contents-title">
      <div class="drawer-header"><h2 id="contents-title">Contents</h2>
        <button type="button" class="icon-button" data-close aria-label="Close">${icon("close")}</button></div>
      ${entries.length ? html`<nav aria-labelledby="contents-title">${list(entries)}</nav>` : html`<p class="dialog-hint">This document has no table of contents.</p>`}
    </dialog>`);
  }

  /** @param {number} section the one that is shown */
  open(section) {
    const dialog = find(this, "dialog", HTMLDialogElement);
    for (const button of this.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    const buttons = /** @type {HTMLElement[]} */ ([...this.querySelectorAll("[data-section]")]);
    const current = buttons.findLast((button) => Number(button.dataset.section) === section)
      ?? buttons.findLast((button) => Number(button.dataset.section) < section);
    const first = buttons.find((button) => Number(button.dataset.section) === section) ?? current;
    first?.setAttribute("aria-current", "true");
    dialog.showModal();
    first?.focus();
    first?.scrollIntoView({ block: "center" });
  }

  /** @param {Element} target */
  #onClick(target) {
    const dialog = find(this, "dialog", HTMLDialogElement);
    const entry = target.closest("[data-section]");
    if (entry instanceof HTMLElement) {
      this.emit("contents-go", { section: Number(entry.dataset.section), blockId: entry.dataset.block ?? "" });
    }
    if (entry || target === dialog || target.closest("[data-close]")) dialog.close();
  }
}

/** @param {TocEntry[]} entries @returns {import("../lib/html.js").Html} */
function list(entries) {
  return html`<ol>${entries.map((entry) => html`<li>
    <button type="button" data-section="${entry.section}" data-block="${entry.blockId}" dir="auto">${entry.title || "Untitled"}</button>
    ${entry.children.length ? list(entry.children) : ""}</li>`)}</ol>`;
}
