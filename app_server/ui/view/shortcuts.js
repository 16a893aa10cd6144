/** The keyboard: what each key does, and the list of them. */

import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { icon } from "./icons.js";

/** @typedef {"toggle" | "back" | "forward" | "slower" | "faster" | "contents" | "previous-section" | "next-section" | "to-voice" | "voices" | "smaller" | "larger" | "view" | "go-to-page" | "help"} Command */

/** @type {readonly {keys: string[], shown: string[], command: Command, text: string}[]} */
const SHORTCUTS = [
  { keys: [" ", "k"], shown: ["Space"], command: "toggle", text: "Play or pause" },
  { keys: ["ArrowLeft", "j"], shown: ["←"], command: "back", text: "Back one sentence" },
  { keys: ["ArrowRight", "l"], shown: ["→"], command: "forward", text: "Forward one sentence" },
  { keys: ["["], shown: ["["], command: "previous-section", text: "Previous section" },
  { keys: ["]"], shown: ["]"], command: "next-section", text: "Next section" },
  { keys: ["<", ","], shown: ["<"], command: "slower", text: "Slower" },
  { keys: [">", "."], shown: [">"], command: "faster", text: "Faster" },
  { keys: ["v"], shown: ["V"], command: "voices", text: "Choose a voice" },
  { keys: ["c"], shown: ["C"], command: "contents", text: "Contents" },
  { keys: ["b"], shown: ["B"], command: "to-voice", text: "Back to the voice" },
  { keys: ["-"], shown: ["−"], command: "smaller", text: "Smaller text or page" },
  { keys: ["+", "="], shown: ["+"], command: "larger", text: "Larger text or page" },
  { keys: ["p"], shown: ["P"], command: "view", text: "Pages or text of a PDF" },
  { keys: ["g"], shown: ["G"], command: "go-to-page", text: "Go to a page" },
  { keys: ["?"], shown: ["?"], command: "help", text: "This list" },
];

/** @param {KeyboardEvent} event @returns {Command | null} null when the key belongs to whatever has the focus */
export function commandOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, select, textarea, dialog, [popover], [contenteditable]")) return null;
  if (event.key === " " && target?.closest("button, a, summary")) return null;
  return SHORTCUTS.find(({ keys }) => keys.includes(event.key))?.command ?? null;
}

export class Shortcuts extends Component {
  connected() {
    render(this, html`<dialog class="dialog" aria-labelledby="shortcuts-title">
      <div class="drawer-header"><h2 id="shortcuts-title">Keyboard</h2>
        <button type="button" class="icon-button" data-close aria-label="Close" autofocus>${icon("close")}</button></div>
      <dl class="shortcuts">${SHORTCUTS.map(({ shown, text }) => html`<div><dt>${shown.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${text}</dd></div>`)}</dl>
      <p class="dialog-hint">Click any word to hear the text from there.</p>
    </dialog>`);
    this.listen(this, "click", (event) => {
      const dialog = find(this, "dialog", HTMLDialogElement);
      if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    });
  }

  open() {
    find(this, "dialog", HTMLDialogElement).showModal();
  }
}
