/** Settings → Admin → Audit log. */

import { listAudit } from "../../../api/admin.js";
import { html } from "../../../lib/html.js";
import { empty } from "../states.js";
import { pager, table } from "../table.js";
import { fieldInWords, valueInWords } from "./audit-words.js";
import { FEATURE_GROUPS } from "./feature-fields.js";
import { ResultsSection } from "./results.js";
import { moment } from "./wording.js";

/** @typedef {import("../../../api/admin.js").AuditPage} AuditPage */
/** @typedef {import("../../../api/admin.js").AuditEntry} AuditEntry */

const KINDS = [["user", "Users"], ["provider", "Providers"], ["feature", "Site features"], ["limits", "Compute limits"], ["email", "E-mail"], ["task", "Tasks"]];
/** @type {Record<string, string>} */
const WORDS = {
  "user.approve": "approved", "user.suspend": "suspended", "user.reactivate": "reactivated", "user.role": "changed the role of", "user.delete": "deleted the user",
  "provider.create": "added the provider", "provider.change": "changed the provider", "provider.delete": "deleted the provider",
  "feature.change": "changed", "feature.reset": "reset", "limits.change": "changed", "limits.reset": "reset",
  "email.change": "changed the e-mail settings", "email.test": "sent a test message to",
  "task.change": "changed the task", "task.run": "ran the task",
};

/** What settings are called where they are changed. @type {Record<string, string>} */
const SETTINGS = {
  computeLimitPolicies: "the compute limits",
  ...Object.fromEntries(FEATURE_GROUPS.flatMap(({ fields }) => fields.map(({ key, label }) => [key, `“${label}”`]))),
};

/** @extends {ResultsSection<AuditPage>} */
export class AuditSection extends ResultsSection {
  tools() {
    return html`<label class="admin-search"><span class="unseen">Search the audit log</span><input type="search" name="search" placeholder="Administrator or what was changed" autocomplete="off"></label>
      <label><span class="unseen">What</span><select name="action"><option value="">Everything</option>${KINDS.map(([id, label]) => html`<option value="${id}">${label}</option>`)}</select></label>`;
  }

  /** @param {Record<string, string>} query */
  search(query) {
    return listAudit(query, this.signal);
  }

  /** @param {AuditPage} found */
  results({ entries, total, pageSize }) {
    return html`
      <p class="settings-note" role="status">${total === 1 ? "1 entry" : `${total} entries`}</p>
      ${entries.length ? table({ caption: "Audit log", columns: ["When", "Who", "What", "Changes"], rows: entries.map(row) }) : empty("Nothing was done that matches.")}
      ${pager({ page: this.page, pages: Math.max(1, Math.ceil(total / pageSize)), label: "Pages of the audit log" })}`;
  }
}

/** @param {AuditEntry} entry */
function row({ at, actorEmail, action, target, details }) {
  return [
    html`<time datetime="${at}">${moment(at)}</time>`,
    actorEmail || "The local user",
    html`${WORDS[action] ?? action} <strong><bdi>${SETTINGS[target] ?? target}</bdi></strong>`,
    html`<ul class="audit-details">${Object.entries(details).map(([field, change]) => html`<li>${fieldInWords(field)}: ${changeInWords(field, change)}</li>`)}</ul>`,
  ];
}

/** @param {string} field @param {unknown} change a word, or what was and what is */
function changeInWords(field, change) {
  if (!Array.isArray(change)) return html`<bdi>${valueInWords(field, change)}</bdi>`;
  return html`<del>${valueInWords(field, change[0])}</del> → <ins>${valueInWords(field, change[1])}</ins>`;
}
