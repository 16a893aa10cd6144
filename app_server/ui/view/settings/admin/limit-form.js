/** The compute limits as a form. Every field's name is its place in the document, as the server names it too. */

import { html } from "../../../lib/html.js";
import { badge } from "../table.js";
import { ACTIONS, ACTIVE_SCOPES, AUDIENCES, BOUNDARIES, METRICS, PRIORITIES, RESOURCES, SCOPES } from "./limit-words.js";

/** @typedef {import("../../../lib/html.js").Html} Html */

const MOST = Number.MAX_SAFE_INTEGER;
/** What a new row starts with, by the last step of its list's pointer. @type {Record<string, object>} */
export const NEW_ROWS = {
  windows: { scope: "user", windowSeconds: 60, limit: 10 },
  active: { scope: "user", limit: 2, leaseSeconds: 1800 },
  usage: { scope: "user", audience: "all", metric: "characters", window: "utc_day", limit: 100_000, boundary: "soft_unit" },
};

/** @param {any} policies @param {ReadonlySet<string>} open actions that are unfolded */
export function limitForm(policies, open) {
  const names = Object.keys(ACTIONS).filter((name) => name in policies.actions);
  return html`${names.map((name) => actionPart(name, policies.actions[name], open.has(name)))}
    ${workerPart(policies.worker)}
    ${providerPart(policies.providers)}`;
}

/** @param {string} name @param {any} action @param {boolean} isOpen */
function actionPart(name, action, isOpen) {
  const at = `/actions/${name}`;
  const [title, hint] = /** @type {[string, string]} */ (ACTIONS[name]);
  if (NOT_DONE.has(name)) return html`<details class="limit-action" data-action="${name}"${isOpen ? html` open` : ""}>
    <summary>${title} ${badge("Not done by this version")}</summary><div class="limit-body"><p class="settings-note">${hint}</p></div></details>`;
  return html`<details class="limit-action" data-action="${name}"${isOpen ? html` open` : ""}>
    <summary>${title} ${action.enabled ? badge("Limited", "good") : badge("Not limited")}</summary>
    <div class="limit-body">
      ${hint ? html`<p class="settings-note">${hint}</p>` : ""}
      <div class="toggle" data-field="${at}/enabled"><label for="${at}/enabled"><span class="toggle-label">Limit this</span>
        <input type="checkbox" role="switch" id="${at}/enabled" name="${at}/enabled" aria-label="Limit this: ${title}"${action.enabled ? html` checked` : ""}></label><p class="field-error"></p></div>
      ${action.admission ? html`
        ${rows(`${at}/admission/windows`, "How often it may begin", "Add a window", action.admission.windows, (place) => html`
          ${number(`${place}/limit`, "Times")} ${number(`${place}/windowSeconds`, "Within seconds")} ${select(`${place}/scope`, "Counted for", SCOPES)}`)}
        ${rows(`${at}/admission/active`, "How many at once", "Add a limit", action.admission.active, (place) => html`
          ${number(`${place}/limit`, "At once")} ${select(`${place}/scope`, "Counted for", ACTIVE_SCOPES)} ${number(`${place}/leaseSeconds`, "Forgotten after seconds")}`)}` : ""}
      ${rows(`${at}/usage`, "How much in a day (UTC)", "Add an allowance", action.usage, (place) => html`
        ${number(`${place}/limit`, "At most")} ${select(`${place}/metric`, "Of", METRICS)} ${select(`${place}/scope`, "Counted for", SCOPES)}
        ${select(`${place}/audience`, "Concerns", AUDIENCES)} ${select(`${place}/boundary`, "At the limit", BOUNDARIES)}`)}
      ${action.execution ? execution(`${at}/execution`, DONE_ELSEWHERE[name]) : ""}
    </div>
  </details>`;
}

const BY_WORKERS = "Workers go by the priority always, and by the rest while this is limited. What would wait beyond it is refused, what waited too long fails; both say so.";
// Nobody shall wonder why a change here changes nothing: what has no effect is not shown. It stays in the document.
const NOT_DONE = new Set(["tts_playback_export"]);
/** @type {Record<string, { by: string, hasTurns: boolean }>} */
const DONE_ELSEWHERE = {
  tts_playback_plan: { by: "Done while somebody waits for it: each worker counts who waits there. It goes by the priority always, and by the rest while this is limited; who can't be served is told.", hasTurns: true },
  account_export: { by: "Each app server makes one export at a time. While this is limited, one that would wait beyond these is refused, and one that waited too long fails; both say so.", hasTurns: false },
};
const OF_WORKERS = html`<p class="settings-note">For each worker, over all that is limited above; align is for recordings and always in force. Changes reach workers within 15 seconds.</p>`;

/** @param {string} at */
function execution(at, { by, hasTurns } = { by: BY_WORKERS, hasTurns: true }) {
  return html`<fieldset class="limit-rows"><legend>How it is done</legend><p class="settings-note">${by}</p><div class="limit-row">
    ${hasTurns ? select(`${at}/priority`, "Priority", PRIORITIES) : ""} ${number(`${at}/maxQueued`, "Queued at most")}
    ${number(`${at}/maxQueueAgeSeconds`, "Waiting seconds at most")} ${hasTurns ? turns(at) : ""}
  </div></fieldset>`;
}

/** @param {string} at */
function turns(at) {
  return html`${number(`${at}/maxConcurrentPerWorker`, "At once on a worker")}
    <div class="field limit-wide" data-field="${at}/resources"><span class="limit-label">Needs</span><div class="limit-checks">
      ${RESOURCES.map((one) => html`<label class="check"><input type="checkbox" name="${at}/resources" value="${one}"> ${one}</label>`)}</div><p class="field-error"></p></div>`;
}

/** @param {any} worker */
function workerPart(worker) {
  return html`<details class="limit-action" data-action="worker"><summary>Workers</summary><div class="limit-body">${OF_WORKERS}<div class="limit-row">
    ${number("/worker/maxExecutingPerWorker", "At once on a worker")} ${number("/worker/policyRefreshSeconds", "Asks for limits at least every (seconds)")}
    ${Object.keys(worker.resources).map((name) => number(`/worker/resources/${name}`, `${name} at once`))}
  </div></div></details>`;
}

/** @param {any} providers */
function providerPart(providers) {
  const at = "/providers/defaults";
  const slugs = Object.keys(providers.overrides);
  return html`<details class="limit-action" data-action="providers"><summary>Speech providers</summary><div class="limit-body">
    <div class="toggle" data-field="${at}/enabled"><label for="${at}/enabled"><span class="toggle-label">Limit requests to providers</span>
      <input type="checkbox" role="switch" id="${at}/enabled" name="${at}/enabled"></label><p class="field-error"></p></div>
    <div class="limit-row">${number(`${at}/maxConcurrent`, "Requests at once")} ${number(`${at}/requestsPerMinute`, "Requests a minute")}
      ${number(`${at}/charactersPerMinute`, "Characters a minute")} ${number(`${at}/maxWaitSeconds`, "Waiting seconds at most")}</div>
    <p class="settings-note">${slugs.length ? `Of their own, in the raw document: ${slugs.join(", ")}.` : "Single providers can have limits of their own, in the raw document."}</p>
  </div></details>`;
}

/** @param {string} at @param {string} title @param {string} add @param {any[]} list @param {(place: string) => Html} fields */
function rows(at, title, add, list, fields) {
  return html`<fieldset class="limit-rows"><legend>${title}</legend>
    ${list.map((row, index) => html`<div class="limit-row">${fields(`${at}/${index}`)}
      <button type="button" class="button button-small limit-remove" data-remove="${at}/${index}" aria-label="Remove: ${title}, ${index + 1}">Remove</button></div>`)}
    ${list.length ? "" : html`<p class="field-hint">No limit.</p>`}
    <button type="button" class="button button-small" data-add="${at}">${add}</button></fieldset>`;
}

/** @param {string} at @param {string} label */
function number(at, label) {
  return html`<div class="field" data-field="${at}"><label for="${at}">${label}</label>
    <input type="number" id="${at}" name="${at}" min="1" max="${MOST}" step="1" required inputmode="numeric"><p class="field-error"></p></div>`;
}

/** @param {string} at @param {string} label @param {readonly (readonly [string, string])[]} options */
function select(at, label, options) {
  return html`<div class="field" data-field="${at}"><label for="${at}">${label}</label>
    <select id="${at}" name="${at}">${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select><p class="field-error"></p></div>`;
}
