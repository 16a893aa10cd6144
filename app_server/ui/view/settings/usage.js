/** Settings → Usage: what is left of everything that this site limits. */

import { getUsage } from "../../api/limits.js";
import { html } from "../../lib/html.js";
import { away, duration } from "./durations.js";
import { SettingsSection } from "./section.js";
import { empty } from "./states.js";

/** @typedef {import("../../api/limits.js").Limit} Limit */
/** @typedef {import("../../api/limits.js").Usage} Usage */

const WHOSE = { user: "You", anonymous_device: "This device", ip: "Your network" };
const OF_METRIC = { starts: "times", characters: "characters", input_bytes: "bytes", files: "files" };

/** @extends {SettingsSection<Usage>} */
export class UsageSection extends SettingsSection {
  load() {
    return getUsage(this.signal);
  }

  /** @param {Usage} usage */
  show({ limits, dayEndsAt }) {
    if (!limits.length) {
      this.render(empty("Nothing is limited for you here.", "You can listen and upload as much as you like."));
      return;
    }
    const [daily, often] = [limits.filter(({ metric }) => metric !== "starts"), limits.filter(({ metric }) => metric === "starts")];
    this.render(html`
      ${daily.length ? html`<section class="settings-part"><h4>Today</h4>
        <p class="settings-note">Allowances start anew at midnight UTC, ${away(dayEndsAt)}. What was spoken before can always be heard again.</p>
        <ul class="limits">${daily.map(meter)}</ul></section>` : ""}
      ${often.length ? html`<section class="settings-part"><h4>How often</h4><ul class="limits">${often.map(meter)}</ul></section>` : ""}`);
  }
}

/** @param {Limit} limit */
function meter(limit) {
  const { doing, scope, metric, used, left, windowSeconds, resetsAt } = limit;
  const number = new Intl.NumberFormat("en");
  const what = `${doing.slice(0, 1).toUpperCase()}${doing.slice(1)}`;
  const period = windowSeconds ? ` in ${duration(windowSeconds)}` : "";
  const opens = windowSeconds && resetsAt ? ` · more ${away(resetsAt)}` : "";
  return html`<li class="limit">
    <span class="limit-name">${what}<small>${WHOSE[scope]}</small></span>
    <meter min="0" max="${limit.limit}" high="${limit.limit * 0.9}" value="${Math.min(used, limit.limit)}" aria-label="${what}, ${WHOSE[scope]}: used"></meter>
    <span class="limit-left">${left === 0 ? "Nothing left" : html`${number.format(left)} left`} of ${number.format(limit.limit)} ${OF_METRIC[metric]}${period}${opens}</span>
  </li>`;
}
