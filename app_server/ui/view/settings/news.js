/** Settings → What's new: the feed that the site names. */

import { sendJson } from "../../api/http.js";
import { html } from "../../lib/html.js";
import { SettingsSection } from "./section.js";
import { empty } from "./states.js";

/** @typedef {{title: string, url: string, published: string, summary: string}} News */

/** @extends {SettingsSection<News[]>} */
export class NewsSection extends SettingsSection {
  async load() {
    return (await sendJson("GET", "/api/changelog", { signal: this.signal })).entries;
  }

  /** @param {News[]} entries */
  show(entries) {
    this.render(html`
      ${entries.length ? entries.map(entry) : empty("Nothing is new yet.")}
      <p class="settings-note">This is Lectern ${this.context.session.version}.</p>`);
  }
}

/** @param {News} news */
function entry({ title, url, published, summary }) {
  return html`<section class="settings-part">
    <h4>${url ? html`<a href="${url}" target="_blank" rel="noreferrer">${title}</a>` : title}</h4>
    ${published ? html`<p class="settings-note">${published}</p>` : ""}
    ${summary ? html`<p>${summary}</p>` : ""}
  </section>`;
}
