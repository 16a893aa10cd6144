/** Settings → Admin → Users. */

import { changeUser, deleteUser, listUsers } from "../../../api/admin.js";
import { find, html } from "../../../lib/html.js";
import { isAbort } from "../../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../../failures.js";
import { toast } from "../../toasts.js";
import { empty } from "../states.js";
import { badge, pager, table } from "../table.js";
import { ResultsSection } from "./results.js";
import { moment, size } from "./wording.js";

/** @typedef {import("../../../api/admin.js").ManagedUser} ManagedUser */
/** @typedef {import("../../../api/admin.js").UserPage} UserPage */
/** @typedef {{id: string, label: string, change: {role?: string, status?: string}, done: string, isGrave?: boolean}} Action */

const KINDS = { account: "Account", anonymous: "Guest", local: "This machine" };

/** @extends {ResultsSection<UserPage>} */
export class UsersSection extends ResultsSection {
  /** @type {Map<string, ManagedUser>} */
  #users = new Map();

  opened() {
    super.opened();
    this.listen(this, "click", (event) => {
      const button = event.target.closest("[data-act]");
      const user = this.#users.get(button?.dataset.user ?? "");
      if (user) void (button.dataset.act === "delete" ? this.#delete(user) : this.#change(user, button.dataset.act));
    });
  }

  tools() {
    return html`<label class="admin-search"><span class="unseen">Search users</span><input type="search" name="search" placeholder="E-mail address" autocomplete="off"></label>
      <label><span class="unseen">Kind</span><select name="kind"><option value="">All kinds</option><option value="account">Accounts</option><option value="anonymous">Guests</option></select></label>
      <label><span class="unseen">Status</span><select name="status"><option value="">Any status</option><option value="active">Active</option><option value="pending">Waiting for approval</option><option value="suspended">Suspended</option></select></label>`;
  }

  /** @param {Record<string, string>} query */
  search(query) {
    return listUsers(query, this.signal);
  }

  /** @param {UserPage} found */
  results({ users, total, pageSize, pending }) {
    this.#users = new Map(users.map((user) => [user.id, user]));
    return html`
      <p class="settings-note" role="status">${total === 1 ? "1 user" : `${total} users`}${pending ? html` · <strong>${pending} ${pending === 1 ? "waits" : "wait"} for approval</strong>` : ""}</p>
      ${users.length ? table({ caption: "Users", columns: ["User", "Status", "Usage", ""], rows: users.map((user) => this.#row(user)) }) : empty("Nobody matches.")}
      ${pager({ page: this.page, pages: Math.max(1, Math.ceil(total / pageSize)), label: "Pages of users" })}`;
  }

  /** @param {ManagedUser} user */
  #row(user) {
    const name = nameOf(user);
    const stored = user.documentCount ? html`<span class="unbroken">${user.documentCount} ${user.documentCount === 1 ? "document" : "documents"}</span><small>${size(user.storedBytes)}</small>` : html`<span class="unbroken">No documents</span>`;
    return [
      html`<strong class="settings-value">${name}</strong> ${user.role === "admin" ? badge(user.mustChangePassword ? "Administrator, password not changed yet" : "Administrator", "good") : ""}<small>${user.kind === "account" ? "Since" : `${KINDS[user.kind]} since`} ${moment(user.createdAt)}</small>
        <small>${user.lastSeenAt ? `Last seen ${moment(user.lastSeenAt)}` : "Not signed in"}</small>`,
      statusBadge(user),
      user.spokenCharacters ? html`${stored}<small>${user.spokenCharacters.toLocaleString()} characters spoken today</small>` : stored,
      user.id === this.context.user.id ? html`<span class="settings-note">This is you</span>` : html`<div class="row-actions">${actionsOf(user).map(({ id, label }) => button(user, id, label))}${button(user, "delete", "Delete", "button-quiet-danger")}</div>`,
    ];
  }

  /** @param {ManagedUser} user @param {string} act */
  async #change(user, act) {
    const action = actionsOf(user).find(({ id }) => id === act);
    if (!action) return;
    const name = nameOf(user);
    if (action.isGrave && !(await this.context.confirm({ title: `${action.label}: ${name}?`, message: graveMessage(act), action: action.label }))) return;
    await this.#attempt(user, () => changeUser(user.id, action.change, this.signal), `${name} ${action.done}.`);
  }

  /** @param {ManagedUser} user */
  async #delete(user) {
    const name = nameOf(user);
    const isSure = await this.context.confirm({
      title: `Delete ${name}?`,
      message: `The account, ${user.documentCount} ${user.documentCount === 1 ? "document" : "documents"} (${size(user.storedBytes)}) and all reading places are deleted. This can't be undone.`,
      action: "Delete user",
    });
    if (isSure) await this.#attempt(user, () => deleteUser(user.id, this.signal), `${name} has been deleted.`);
  }

  /** @param {ManagedUser} user @param {() => Promise<void>} action @param {string} message */
  async #attempt(user, action, message) {
    try {
      await action();
      toast({ message });
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      toast({ message: messageOf(error) });
    }
    await this.refresh();
    // The button that was pressed is gone: on with the same user, or with the search.
    const next = this.querySelector(`[data-user="${CSS.escape(user.id)}"]`) ?? find(this, "input[type=search]", HTMLElement);
    if (next instanceof HTMLElement) next.focus();
  }
}

/** @param {ManagedUser} user @returns {Action[]} */
function actionsOf({ kind, status, role }) {
  /** @type {Action[]} */
  const actions = [];
  if (status === "pending") {
    actions.push({ id: "approve", label: "Approve", change: { status: "active" }, done: "may come in now" });
    actions.push({ id: "suspend", label: "Turn away", change: { status: "suspended" }, done: "has been turned away" });
  } else if (status === "suspended") {
    actions.push({ id: "reactivate", label: "Reactivate", change: { status: "active" }, done: "may come in again" });
  } else {
    actions.push({ id: "suspend", label: "Suspend", change: { status: "suspended" }, done: "has been suspended", isGrave: true });
  }
  if (kind === "account" && role === "admin") actions.push({ id: "demote", label: "Make member", change: { role: "member" }, done: "is no longer an administrator", isGrave: true });
  else if (kind === "account" && status === "active") actions.push({ id: "promote", label: "Make administrator", change: { role: "admin" }, done: "is an administrator now", isGrave: true });
  return actions;
}

/** @param {string} act */
function graveMessage(act) {
  if (act === "promote") return "Administrators can change everything here, and delete users with all their documents. They will have to sign in again.";
  if (act === "demote") return "They keep their library, and will have to sign in again.";
  return "They are signed out everywhere and can't sign in until they are reactivated. Their library stays.";
}

/** @param {ManagedUser} user @param {string} act @param {string} label @param {string} [look] */
function button(user, act, label, look = "") {
  return html`<button type="button" class="button button-small ${look}" data-act="${act}" data-user="${user.id}" aria-label="${label}: ${nameOf(user)}">${label}</button>`;
}

/** @param {ManagedUser} user */
function statusBadge({ status }) {
  if (status === "pending") return badge("Waiting for approval", "warn");
  return status === "suspended" ? badge("Suspended", "bad") : badge("Active");
}

/** @param {ManagedUser} user */
function nameOf({ email, kind, id }) {
  return email || `${KINDS[kind]} ${id.slice(0, 8)}`;
}
