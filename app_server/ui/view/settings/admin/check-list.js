/** What was looked at, one line each: how it stands, what was found, what to do. */

import { html } from "../../../lib/html.js";
import { badge } from "../table.js";

/** @typedef {import("../../../api/admin.js").CheckItem} CheckItem */

/** @type {Record<CheckItem["status"], ["good" | "warn" | "bad" | "plain", string]>} */
const TONES = { ok: ["good", "OK"], warn: ["warn", "Look at this"], error: ["bad", "Not working"], skipped: ["plain", "Not tried"] };

/** @param {CheckItem[]} items @param {string} label for screen readers */
export function checkList(items, label) {
  return html`<ul class="check-list" aria-label="${label}">${items.map((item) => {
    const [tone, word] = TONES[item.status];
    return html`<li class="check-item" data-check="${item.id}" data-status="${item.status}">
      <div class="check-head"><span class="check-label">${item.label}</span>${badge(word, tone)}</div>
      <p class="check-detail">${item.detail}</p>
      ${item.fix ? html`<p class="check-fix"><strong>What to do:</strong> ${item.fix}</p>` : ""}
    </li>`;
  })}</ul>`;
}
