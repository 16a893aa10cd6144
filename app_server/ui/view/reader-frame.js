/** What every reader page begins with. */

import { html } from "../lib/html.js";
import { icon } from "./icons.js";

export function frame() {
  return html`
    <header class="reader-bar">
      <a class="icon-button" href="/app" aria-label="Back to the library" title="Library">${icon("back")}</a>
      <button type="button" class="icon-button" data-command="contents" aria-label="Contents" title="Contents (C)">${icon("contents")}</button>
      <h1 class="reader-title" dir="auto"></h1>
      <button type="button" class="icon-button" data-command="recordings" aria-label="Your own audiobook" title="Your own audiobook">${icon("headphones")}</button>
      <button type="button" class="icon-button" data-command="options" aria-label="What is read" title="What is read">${icon("edit")}</button>
      <button type="button" class="icon-button wide-only" data-command="help" aria-label="Keyboard" title="Keyboard (?)">${icon("keyboard")}</button>
      <lectern-theme reading></lectern-theme>
    </header>
    <main class="reader-page">
      <div class="page-notice"></div>
      <lectern-text class="book-text"></lectern-text>
      <nav class="reader-ends" aria-label="Sections"></nav>
      <button type="button" class="to-voice" data-command="to-voice" hidden>${icon("voice")} Back to the voice</button>
    </main>
    <lectern-player role="region" aria-label="Player"></lectern-player>
    <lectern-contents></lectern-contents>
    <lectern-voices></lectern-voices>
    <lectern-shortcuts></lectern-shortcuts>
    <audio preload="none"></audio>`;
}
