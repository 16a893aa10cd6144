/** Files in folders of the server: browsed, searched, chosen, and handed on to be imported. */

import { listServerFolder, listServerRoots } from "../../api/imports.js";
import { Component } from "../../lib/component.js";
import { find, html, render } from "../../lib/html.js";
import { isAbort } from "../../lib/signals.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";
import { icon } from "../icons.js";

/** @typedef {import("../../api/imports.js").ServerRoot} ServerRoot */
/** @typedef {import("../../api/imports.js").ServerEntry} ServerEntry */
/** @typedef {import("../../model/upload-queue.js").ServerFile} ServerFile */

const SEARCH_DELAY_MS = 250;

export class ServerFolders extends Component {
  /** @type {ServerRoot[]} */
  #roots = [];
  /** @type {{root: number, path: string} | null} null: the list of roots */
  #place = null;
  /** @type {ServerEntry[]} */
  #entries = [];
  /** Across folders, by root and path. @type {Map<string, ServerFile>} */
  #chosen = new Map();
  /** @type {AbortController | null} */
  #loading = null;
  #searchTimer = 0;

  /** @param {(files: ServerFile[]) => void} done */
  open(done) {
    render(this, frame());
    const dialog = find(this, "dialog", HTMLDialogElement);
    this.listen(dialog, "close", () => this.remove());
    this.listen(dialog, "click", (event) => this.#onClick(event.target, done));
    this.listen(dialog, "change", (event) => event.target.matches("[data-entry]") && this.#choose(event.target));
    this.listen(find(this, "[type=search]", HTMLInputElement), "input", () => {
      clearTimeout(this.#searchTimer);
      this.#searchTimer = window.setTimeout(() => void this.#show(), SEARCH_DELAY_MS);
    });
    dialog.showModal();
    void this.#start();
  }

  get #search() {
    return find(this, "[type=search]", HTMLInputElement);
  }

  get #list() {
    return find(this, ".server-entries", HTMLElement);
  }

  async #start() {
    await this.#loaded(async (signal) => {
      this.#roots = await listServerRoots(signal);
      this.#place = this.#roots.length === 1 && !this.#roots[0]?.problem ? { root: 0, path: "" } : null;
      await this.#fill(signal);
    });
  }

  async #show() {
    await this.#loaded((signal) => this.#fill(signal));
  }

  /** One load at a time; a newer one takes its place. @param {(signal: AbortSignal) => Promise<void>} load */
  async #loaded(load) {
    this.#loading?.abort();
    const controller = this.#loading = new AbortController();
    this.signal.addEventListener("abort", () => controller.abort(), { once: true });
    this.#list.setAttribute("aria-busy", "true");
    try {
      await load(controller.signal);
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      this.#showPlace();
      render(this.#list, html`<div class="section-failure" role="alert">${icon("warning")}<p>${messageOf(error)}</p>
        <button type="button" class="button button-small" data-do="again">${icon("retry")} Try again</button></div>`);
    }
    if (this.#loading === controller) this.#list.removeAttribute("aria-busy");
  }

  /** @param {AbortSignal} signal */
  async #fill(signal) {
    const place = this.#place;
    this.#showPlace();
    if (!place) return render(this.#list, rootList(this.#roots));
    const search = this.#search.value.trim();
    const listing = await listServerFolder({ ...place, search }, signal);
    this.#entries = listing.entries;
    this.#showChosen();
    if (!listing.total) return render(this.#list, html`<p class="section-empty">${search ? "No folder or file is called that." : "Nothing in this folder can be read aloud."}</p>`);
    render(this.#list, html`<ul>${this.#rows(listing.entries)}</ul>`);
    this.#list.scrollTop = 0;
    return this.#showMore(listing, search);
  }

  /** @param {ServerEntry[]} entries */
  #rows(entries) {
    const isSearch = this.#search.value.trim() !== "";
    return entries.map((entry) => row(entry, { isChosen: this.#chosen.has(this.#key(entry.path)), isSearch }));
  }

  /** @param {import("../../api/imports.js").ServerListing} listing @param {string} search */
  #showMore(listing, search) {
    this.#list.querySelector(".server-more")?.remove();
    const note = listing.isComplete ? "" : "There are more: search for more words of the name.";
    const more = listing.nextOffset === null ? html`<p>${note}</p>` : html`
      <span>${this.#entries.length} of ${listing.total}</span>
      <button type="button" class="button button-small" data-do="more" data-offset="${listing.nextOffset}">Show more</button>`;
    const holder = document.createElement("div");
    holder.className = "server-more";
    render(holder, more);
    if (note || listing.nextOffset !== null) this.#list.append(holder);
    const count = search ? `${listing.total} found` : `${listing.total} in this folder`;
    find(this, ".server-status", HTMLElement).textContent = count;
  }

  /** @param {number} offset */
  async #more(offset) {
    const place = this.#place;
    if (!place) return;
    await this.#loaded(async (signal) => {
      const listing = await listServerFolder({ ...place, offset }, signal);
      this.#entries = [...this.#entries, ...listing.entries];
      const holder = document.createElement("ul");
      render(holder, html`${this.#rows(listing.entries)}`);
      const first = holder.firstElementChild;
      find(this.#list, "ul", HTMLElement).append(...holder.children);
      this.#showMore(listing, "");
      first?.querySelector("button, input")?.dispatchEvent(new FocusEvent("focus"));
      /** @type {HTMLElement | null | undefined} */ (first?.querySelector("button, input"))?.focus();
    });
  }

  #showPlace() {
    const place = this.#place;
    const parts = place ? place.path.split("/").filter(Boolean) : [];
    const top = place ? this.#roots[place.root]?.name ?? "" : "";
    render(find(this, ".server-path", HTMLElement), place ? html`
      ${this.#roots.length > 1 ? html`<button type="button" class="link" data-do="roots">All folders</button><span aria-hidden="true">/</span>` : ""}
      ${[top, ...parts].map((name, index) => html`${index ? html`<span aria-hidden="true">/</span>` : ""}<button type="button" class="link" data-do="folder"
        data-path="${parts.slice(0, index).join("/")}" ${index === parts.length ? html`aria-current="location"` : ""}>${name}</button>`)}` : html``);
    find(this, ".server-search", HTMLElement).hidden = !place;
    find(this, ".server-status", HTMLElement).textContent = "";
    this.#showChosen();
  }

  #showChosen() {
    const count = this.#chosen.size;
    const button = find(this, "[data-do=add]", HTMLButtonElement);
    button.disabled = count === 0;
    button.textContent = count === 0 ? "Add" : count === 1 ? "Add 1 document" : `Add ${count} documents`;
    find(this, "[data-do=all]", HTMLElement).hidden = !this.#place || !this.#entries.some((entry) => !entry.isFolder);
  }

  /** @param {string} path */
  #key(path) {
    return `${this.#place?.root}:${path}`;
  }

  /** @param {HTMLInputElement} box */
  #choose(box) {
    const entry = this.#entries.find(({ path }) => path === box.dataset.entry);
    if (!entry || !this.#place) return;
    if (box.checked) this.#chosen.set(this.#key(entry.path), { name: entry.name, size: entry.sizeBytes ?? 1, root: this.#place.root, path: entry.path });
    else this.#chosen.delete(this.#key(entry.path));
    this.#showChosen();
  }

  #chooseAll() {
    const boxes = [...this.#list.querySelectorAll("input[data-entry]")].filter((box) => box instanceof HTMLInputElement);
    const wanted = boxes.some((box) => !box.checked);
    for (const box of boxes) {
      box.checked = wanted;
      this.#choose(box);
    }
  }

  /** @param {HTMLElement} target @param {(files: ServerFile[]) => void} done */
  #onClick(target, done) {
    const button = /** @type {HTMLElement | null} */ (target.closest("[data-do]"));
    const dialog = find(this, "dialog", HTMLDialogElement);
    switch (button?.dataset.do) {
      case "close": return dialog.close();
      case "again": return void (this.#roots.length ? this.#show() : this.#start());
      case "all": return this.#chooseAll();
      case "more": return void this.#more(Number(button.dataset.offset));
      case "roots": return this.#go(null);
      case "root": return this.#go({ root: Number(button.dataset.root), path: "" });
      case "folder": return this.#place ? this.#go({ root: this.#place.root, path: button.dataset.path ?? "" }) : undefined;
      case "add":
        dialog.close();
        return done([...this.#chosen.values()]);
      default: return undefined;
    }
  }

  /** @param {{root: number, path: string} | null} place */
  #go(place) {
    this.#place = place;
    this.#entries = [];
    this.#search.value = "";
    void this.#show();
  }
}

/** @param {(files: ServerFile[]) => void} done */
export function chooseServerFiles(done) {
  if (!customElements.get("lectern-server-folders")) customElements.define("lectern-server-folders", ServerFolders);
  const element = /** @type {ServerFolders} */ (document.createElement("lectern-server-folders"));
  document.body.append(element);
  element.open(done);
}

function frame() {
  return html`<dialog class="dialog server-folders" aria-labelledby="server-folders-title">
    <div class="drawer-header"><h2 id="server-folders-title">Server folders</h2>
      <button type="button" class="icon-button" data-do="close" aria-label="Close" title="Close">${icon("close")}</button></div>
    <nav class="server-path" aria-label="Place"></nav>
    <label class="server-search" hidden><span class="unseen">Search this folder and those in it</span>
      <input type="search" placeholder="Search this folder and those in it" autocomplete="off"></label>
    <div class="server-entries" tabindex="-1" aria-busy="true"><div class="section-loading" role="status" aria-label="Loading">
      <span class="skeleton skeleton-line skeleton-74"></span><span class="skeleton skeleton-line skeleton-86"></span><span class="skeleton skeleton-line skeleton-38"></span></div></div>
    <div class="dialog-actions"><span class="server-status" role="status"></span>
      <button type="button" class="button" data-do="all" hidden>Select all</button>
      <button type="button" class="button button-primary" data-do="add" disabled>Add</button></div>
  </dialog>`;
}

/** @param {ServerRoot[]} roots */
function rootList(roots) {
  return html`<ul>${roots.map(({ root, name, problem }) => html`<li>${problem
    ? html`<p class="server-entry server-entry-closed">${icon("folder")}<span class="server-name" dir="auto">${name}<small>${problem}</small></span></p>`
    : html`<button type="button" class="server-entry" data-do="root" data-root="${root}">${icon("folder")}<span class="server-name" dir="auto">${name}</span>${icon("chevronRight")}</button>`}</li>`)}</ul>`;
}

/** @param {ServerEntry} entry @param {{isChosen: boolean, isSearch: boolean}} how */
function row(entry, { isChosen, isSearch }) {
  const where = isSearch ? entry.path.split("/").slice(0, -1).join(" / ") : "";
  if (entry.isFolder) {
    return html`<li><button type="button" class="server-entry" data-do="folder" data-path="${entry.path}">${icon("folder")}
      <span class="server-name" dir="auto">${entry.name}${where ? html`<small>${where}</small>` : ""}</span>${icon("chevronRight")}</button></li>`;
  }
  return html`<li><label class="server-entry"><input type="checkbox" data-entry="${entry.path}"${isChosen ? html` checked` : ""}>
    <span class="server-name" dir="auto">${entry.name}${where ? html`<small>${where}</small>` : ""}</span><span class="server-size">${sizeOf(entry.sizeBytes ?? 0)}</span></label></li>`;
}

/** @param {number} bytes */
function sizeOf(bytes) {
  if (bytes < 1024 * 1024) return `${Math.max(1, Math.round(bytes / 1024))} KB`;
  return `${(bytes / 1024 / 1024).toFixed(bytes < 10 * 1024 * 1024 ? 1 : 0)} MB`;
}
