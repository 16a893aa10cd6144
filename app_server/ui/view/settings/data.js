/** Settings → Your data: taking everything along, and leaving. */

import { deleteAccount, deleteExport, getAccount, listExports, startExport } from "../../api/account.js";
import { find, fragment, html } from "../../lib/html.js";
import { delay, isAbort } from "../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";
import { toast } from "../toasts.js";
import { moment, size } from "./admin/wording.js";
import { formActions, sendForm, textField } from "./form.js";
import { SettingsSection } from "./section.js";

/** @typedef {import("../../api/account.js").Account} Account */
/** @typedef {import("../../api/account.js").AccountExport} AccountExport */

const POLL_MS = 1_000;

/** @extends {SettingsSection<{account: Account, exports: AccountExport[]}>} */
export class DataSection extends SettingsSection {
  #isFollowing = false;

  opened() {
    this.listen(this, "click", (event) => {
      if (event.target.closest("[data-export]")) void this.#start();
      const remove = event.target.closest("[data-remove]");
      if (remove) void this.#remove(remove.dataset.remove);
    });
  }

  async load() {
    const [account, exports] = await Promise.all([getAccount(this.signal), listExports(this.signal)]);
    return { account, exports };
  }

  /** @param {{account: Account, exports: AccountExport[]}} data */
  show({ account, exports }) {
    this.render(html`
      <section class="settings-part" aria-labelledby="export-title">
        <h4 id="export-title">Export everything</h4>
        <p class="settings-note">A ZIP archive with your files, your places in them, and all that Lectern knows about your account. It can be downloaded for a week.</p>
        <ul class="ways exports" aria-live="polite"></ul>
        <div class="form-actions"><button type="button" class="button" data-export>Start an export</button></div>
      </section>
      ${this.context.user.kind === "account" ? deletion(account) : ""}`);
    this.#showExports(exports);
    if (this.context.user.kind === "account") this.#listenForDeletion(account);
  }

  /** @param {Account} account */
  #listenForDeletion(account) {
    const form = find(this, "form", HTMLFormElement);
    find(form, "button", HTMLButtonElement).classList.replace("button-primary", "button-danger");
    sendForm(this, form, {
      busy: "Deleting…",
      send: async (data) => {
        const isSure = await this.context.confirm({
          title: "Delete your account?",
          message: `The account ${account.email} and ${account.documentCount === 1 ? "its document" : `its ${account.documentCount} documents`} will be gone for good.`,
          action: "Delete for good",
        });
        if (isSure) await deleteAccount({ currentPassword: String(data.get("currentPassword") ?? "") }, this.signal);
        return isSure;
      },
      done: (isDeleted) => isDeleted && location.assign("/"),
    });
  }

  /** @param {AccountExport[]} exports */
  #showExports(exports) {
    find(this, ".exports", HTMLElement).replaceChildren(fragment(html`${exports.map(row)}`));
    const isUnderWay = exports.some(({ state }) => state === "queued" || state === "running");
    find(this, "[data-export]", HTMLButtonElement).disabled = isUnderWay;
    if (isUnderWay) void this.#follow();
  }

  async #start() {
    find(this, "[data-export]", HTMLButtonElement).disabled = true;
    try {
      await startExport();
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      toast({ message: messageOf(error) });
    }
    await this.#refresh();
  }

  async #follow() {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    try {
      await delay(POLL_MS, this.signal);
    } catch {
      return; // the section is gone
    } finally {
      this.#isFollowing = false;
    }
    await this.#refresh();
  }

  async #refresh() {
    try {
      this.#showExports(await listExports(this.signal));
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      toast({ message: messageOf(error), action: "Try again", onAction: () => void this.#refresh() });
    }
  }

  /** @param {string} id */
  async #remove(id) {
    const isSure = await this.context.confirm({ title: "Delete this export?", message: "The archive is deleted. Your account and its documents stay as they are.", action: "Delete" });
    if (!isSure) return;
    try {
      await deleteExport(id);
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      toast({ message: messageOf(error) });
    }
    await this.#refresh();
  }
}

/** @param {AccountExport} item */
function row(item) {
  const isUnderWay = item.state === "queued" || item.state === "running";
  const text = {
    queued: "Waiting to be made…",
    running: item.total ? `${item.done} of ${item.total} files` : "Begun…",
    ready: `${size(item.sizeBytes ?? 0)} · until ${item.expiresAt ? moment(item.expiresAt) : ""}`,
    failed: item.failure ?? "",
  }[item.state];
  return html`<li class="way">
    <div class="way-text"><strong>Export of ${moment(item.requestedAt)}</strong><span>${text}</span>
      ${isUnderWay ? html`<progress aria-label="Export"${item.total ? html` value="${item.done}" max="${item.total}"` : ""}></progress>` : ""}</div>
    ${item.state === "ready" ? html`<a class="button button-small button-primary" href="/api/user/exports/${item.id}/file" download>Download</a>` : ""}
    <button type="button" class="button button-small" data-remove="${item.id}" aria-label="Delete the export of ${moment(item.requestedAt)}">${isUnderWay ? "Cancel" : "Delete"}</button>
  </li>`;
}

/** @param {Account} account */
function deletion(account) {
  return html`<section class="settings-part" aria-labelledby="delete-title">
    <h4 id="delete-title">Delete your account</h4>
    <p class="settings-note">Your documents, your places in them and the account itself are deleted at once. Nobody can bring them back: export them first if you may want them.</p>
    <form>
      ${account.hasPassword ? html`<input type="text" name="username" value="${account.email}" autocomplete="username" hidden>` : ""}
      ${account.hasPassword
        ? textField({ name: "currentPassword", label: "Your password", type: "password", autocomplete: "current-password", required: true })
        : html`<p class="settings-note">Because you have no password, sign in within ten minutes before you delete the account.</p>`}
      ${formActions("Delete my account")}
    </form>
  </section>`;
}
