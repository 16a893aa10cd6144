/** Settings → Admin → Tasks: what Lectern does by itself, and how it went. */

import { changeTask, listTasks, runTask } from "../../../api/tasks.js";
import { html } from "../../../lib/html.js";
import { delay, isAbort } from "../../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../../failures.js";
import { toast } from "../../toasts.js";
import { away, duration } from "../durations.js";
import { SettingsSection } from "../section.js";
import { badge } from "../table.js";

/** @typedef {import("../../../api/tasks.js").Task} Task */
/** @typedef {import("../../../api/tasks.js").TaskChange} TaskChange */

const LOOK_AGAIN_MS = 1_000;
/** The scheduler looks once a minute. */
const SOON_MS = 60_000;
const INTERVALS = [600, 1_800, 3_600, 6 * 3_600, 12 * 3_600, 24 * 3_600, 7 * 24 * 3_600];
const RETENTIONS = [7, 30, 90, 180, 365];
const OUTCOMES = /** @type {const} */ ({
  done: ["Done", "good"],
  failed: ["Failed", "bad"],
  timed_out: ["Not finished", "warn"],
  interrupted: ["Interrupted", "warn"],
  crashed: ["Crashed", "bad"],
});

/** @extends {SettingsSection<Task[]>} */
export class TasksSection extends SettingsSection {
  #isWatching = false;
  /** Changes on their way: until they are answered, the page knows better than the server. */
  #changes = 0;

  opened() {
    this.listen(this, "click", (event) => {
      const key = event.target.closest("[data-run]")?.dataset.run;
      if (key) void this.#change(key, () => runTask(key, this.signal));
    });
    this.listen(this, "change", ({ target }) => {
      const key = target.closest("[data-task]")?.dataset.task;
      if (key) void this.#change(key, () => changeTask(key, changeOf(target), this.signal));
    });
  }

  load() {
    return listTasks(this.signal);
  }

  /** @param {Task[]} tasks */
  show(tasks) {
    if (this.#changes) return;
    const focused = document.activeElement?.id;
    this.render(html`<p class="settings-note">Each task runs on one app server at a time, for four minutes at most.</p>
      <div class="tasks">${tasks.map(shownTask)}</div>`);
    if (focused) document.getElementById(focused)?.focus();
    if (tasks.some(({ isRunning }) => isRunning)) void this.#watch();
  }

  /** Until nothing runs any more. */
  async #watch() {
    if (this.#isWatching) return;
    this.#isWatching = true;
    try {
      await delay(LOOK_AGAIN_MS, this.signal);
      this.#isWatching = false;
      await this.reload({ quietly: true });
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
  }

  /** @param {string} key @param {() => Promise<Task>} send */
  async #change(key, send) {
    this.#changes += 1;
    try {
      const task = await send();
      if (task.isRunning) toast({ message: `“${task.title}” is running.` });
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      toast({ message: messageOf(error) });
    } finally {
      this.#changes -= 1;
    }
    await this.reload({ quietly: true });
    this.querySelector(`[data-task="${CSS.escape(key)}"]`)?.scrollIntoView({ block: "nearest" });
  }
}

/** @param {HTMLInputElement | HTMLSelectElement} control @returns {TaskChange} */
function changeOf(control) {
  if (control instanceof HTMLInputElement) return { enabled: control.checked };
  return { [control.name]: Number(control.value) };
}

/** @param {Task} task */
function shownTask(task) {
  const { key, title, description, enabled, isRunning } = task;
  return html`<section class="settings-part task" data-task="${key}" aria-labelledby="${key}-title">
    <div class="task-head"><h4 id="${key}-title">${title}</h4>${isRunning ? badge("Running", "warn") : ""}
      <button type="button" class="button button-small" id="${key}-run" data-run="${key}" aria-label="Run now: ${title}"${isRunning ? html` disabled` : ""}>Run now</button></div>
    <p class="settings-note">${description}</p>
    <div class="toggle"><label for="${key}-enabled"><span class="toggle-label">Runs by itself</span>
      <input type="checkbox" role="switch" id="${key}-enabled" name="enabled" aria-label="Runs by itself: ${title}"${enabled ? html` checked` : ""}></label></div>
    <div class="task-choices">
      ${choice(task, "intervalSeconds", "Every", INTERVALS, task.intervalSeconds, duration)}
      ${task.retentionDays === undefined ? "" : choice(task, "retentionDays", "Unheard for", RETENTIONS, task.retentionDays, (days) => `${days} days`)}
    </div>
    ${lastRun(task)}
  </section>`;
}

/** @param {Task} task @param {string} name @param {string} label @param {number[]} usual @param {number} value @param {(value: number) => string} inWords */
function choice({ key, title }, name, label, usual, value, inWords) {
  const values = usual.includes(value) ? usual : [...usual, value].sort((a, b) => a - b);
  return html`<div class="field"><label for="${key}-${name}">${label}</label>
    <select id="${key}-${name}" name="${name}" aria-label="${label}: ${title}">${values.map((one) => html`<option value="${one}"${one === value ? html` selected` : ""}>${inWords(one)}</option>`)}</select></div>`;
}

/** @param {Task} task */
function lastRun({ lastRun: run, isRunning, nextRunAt }) {
  const next = nextRunAt && !isRunning ? `Next run ${Date.parse(nextRunAt) - Date.now() < SOON_MS ? "within a minute" : away(nextRunAt)}.` : "";
  if (!run) return html`<p class="task-run">It has not run yet. ${next}</p>`;
  if (isRunning) return html`<p class="task-run" role="status">Began ${away(run.startedAt)}.</p>`;
  const [word, tone] = OUTCOMES[run.outcome ?? "done"];
  const counts = Object.entries(run.counts ?? {}).filter(([, count]) => count);
  const did = counts.length ? counts.map(([what, count]) => `${what}: ${count}`).join(", ") : "nothing to do";
  return html`<p class="task-run">${badge(word, tone)} ${away(run.finishedAt || run.startedAt)} · ${run.outcome === "done" ? did : run.message || did}. ${next}</p>`;
}
