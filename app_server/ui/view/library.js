/** The library page: what there is to read, and getting more into it. */

import { deleteDocument, listDocuments, retryDocument, watchDocument } from "../api/documents.js";
import { getSession, signOut } from "../api/session.js";
import { uploadDocument, uploadDocumentToStore } from "../api/uploads.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { isAbort } from "../lib/signals.js";
import { UploadQueue } from "../model/upload-queue.js";
import { AccountMenu } from "./account-menu.js";
import { ConfirmDialog } from "./confirm-dialog.js";
import { cover } from "./cover.js";
import { DocumentCard, readPercent } from "./document-card.js";
import { leaveIfSignedOut, messageOf } from "./failures.js";
import { icon } from "./icons.js";
import { toast } from "./toasts.js";
import { UploadList } from "./upload-list.js";

/** @typedef {import("../api/types.js").LibraryDocument} LibraryDocument */
/** @typedef {Iterable<File | import("../model/upload-queue.js").ServerFile>} Files */

customElements.define("lectern-document-card", DocumentCard);
customElements.define("lectern-upload-list", UploadList);
customElements.define("lectern-account-menu", AccountMenu);
customElements.define("lectern-confirm", ConfirmDialog);

export class Library extends Component {
  /** @type {Map<string, LibraryDocument>} */
  #documents = new Map();
  /** @type {Set<string>} */
  #watched = new Set();
  /** @type {UploadQueue | null} */
  #queue = null;
  /** @type {(File | import("../model/upload-queue.js").ServerFile)[]} given before there was a queue */
  #early = [];
  /** @type {string[]} */
  #formats = [];
  #dragDepth = 0;
  /** @type {import("../api/types.js").User | null} */
  #user = null;

  connected() {
    render(this, frame());
    this.listen(this, "sign-out", () => void this.#signOut());
    this.listen(this, "click", (event) => this.#onClick(event.target));
    this.listen(this, "change", (event) => event.target.type === "file" && this.#onChosen(event.target));
    this.listen(this, "card-edit", (event) => void this.#edit(event.detail));
    this.listen(this, "card-delete", (event) => void this.#delete(event.detail));
    this.listen(document, "session-changed", (event) => this.#showUser(event.detail.user));
    this.listen(this, "card-retry", (event) => void this.#retry(event.detail));
    this.listen(this, "card-unlock", (event) => void this.#unlock(event.detail));
    this.#listenForFiles();
    void this.#load();
  }

  #main() {
    return find(this, "main", HTMLElement);
  }

  async #load() {
    render(this.#main(), skeleton());
    try {
      const [session, documents] = await Promise.all([getSession(this.signal), listDocuments(this.signal)]);
      if (!session.user) return location.assign("/signin?next=/app");
      this.#documents = new Map(documents.map((item) => [item.id, item]));
      this.#startQueue(session.features);
      this.#showUser(session.user);
      this.#show();
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      render(this.#main(), failure(messageOf(error)));
    }
  }

  /** @param {import("../api/types.js").User} user */
  #showUser(user) {
    this.#user = user;
    find(this, "lectern-account-menu", AccountMenu).user = user;
    find(this, ".must-change", HTMLElement).hidden = !user.mustChangePassword;
    find(this, ".guest-note", HTMLElement).hidden = user.kind !== "anonymous";
    for (const way of this.querySelectorAll(".add-menu .users-only")) /** @type {HTMLElement} */ (way).hidden = user.kind === "anonymous";
  }

  /** @param {import("../api/types.js").Features} features */
  #startQueue(features) {
    this.#formats = features.formats;
    find(this, "input[type=file]", HTMLInputElement).accept = features.formats.join(",");
    if (this.#queue) return;
    const upload = features.uploadTransport === "presigned" ? uploadDocumentToStore : uploadDocument;
    const transport = {
      /** @type {import("../model/upload-queue.js").UploadTransport["upload"]} */
      upload: async (file, onProgress, signal) =>
        file instanceof File ? await upload(file, onProgress, signal) : await (await import("../api/imports.js")).addServerFile(file, signal),
      watch: watchDocument,
      retry: retryDocument,
    };
    this.#queue = new UploadQueue({ transport, maxUploadMb: features.maxUploadMb, signal: this.signal });
    this.listen(this.#queue, "document", (event) => this.#keep(event.detail));
    this.listen(this.#queue, "duplicate", (event) => tellDuplicate(event.detail));
    find(this, "lectern-upload-list", UploadList).follow(this.#queue);
    this.#upload(this.#early.splice(0));
  }

  /** They may be given before it is known how they are to be sent. @param {Files} files */
  #upload(files) {
    if (this.#queue) this.#queue.add(files);
    else this.#early.push(...files);
  }

  /** @param {LibraryDocument} document */
  #keep(document) {
    const isNew = !this.#documents.has(document.id);
    this.#documents = isNew ? new Map([[document.id, document], ...this.#documents]) : this.#documents.set(document.id, document);
    const card = this.#card(document.id);
    if (card && document.state === "processing") card.document = document;
    else this.#show();
  }

  #show() {
    const documents = [...this.#documents.values()];
    if (!documents.length) return render(this.#main(), welcome(this.#formats));
    const current = documents
      .filter((item) => item.state === "ready" && item.position && readPercent(item) < 100)
      .sort((left, right) => (right.position?.updatedAt ?? "").localeCompare(left.position?.updatedAt ?? ""))[0];
    render(this.#main(), html`
      ${current ? continueReading(current) : ""}
      <section aria-labelledby="library-title">
        <header class="shelf-header"><h2 id="library-title">Your library</h2><span>${documents.length === 1 ? "1 document" : `${documents.length} documents`}</span></header>
        <div class="shelf" role="list">${documents.map((item) => html`<lectern-document-card data-id="${item.id}"></lectern-document-card>`)}</div>
      </section>`);
    for (const item of documents) {
      const card = this.#card(item.id);
      if (card) card.document = item;
      if (item.state === "processing") this.#watch(item.id);
    }
    return undefined;
  }

  /** Documents that were still being opened when the page came up. @param {string} id */
  #watch(id) {
    const isUploads = this.#queue?.uploads.some(({ document, state }) => document?.id === id && state === "processing");
    if (this.#watched.has(id) || isUploads) return;
    this.#watched.add(id);
    watchDocument(id, (document) => this.#documents.has(id) && this.#keep(document), this.signal)
      .catch((error) => isAbort(error) || toast({ message: messageOf(error) }))
      .finally(() => this.#watched.delete(id));
  }

  /** @param {string} id */
  #card(id) {
    const card = this.querySelector(`lectern-document-card[data-id="${CSS.escape(id)}"]`);
    return card instanceof DocumentCard ? card : null;
  }

  /** @param {HTMLElement} target */
  #onClick(target) {
    const action = /** @type {HTMLElement | null} */ (target.closest("[data-do]"))?.dataset.do;
    if (action === "choose") this.#chooseFiles();
    if (action === "reload") void this.#load();
    if (action === "text" || action === "page" || action === "folders") void this.#addBy(action);
  }

  /** The dialogs are loaded when they are first asked for. @param {"text" | "page" | "folders"} way */
  async #addBy(way) {
    const menu = this.querySelector("#add-menu");
    if (menu instanceof HTMLElement) menu.hidePopover();
    const added = (/** @type {import("../api/types.js").Added} */ { document, isDuplicate }) => {
      this.#keep(document);
      if (isDuplicate) tellDuplicate(document);
    };
    try {
      if (way === "text") (await import("./adding/text.js")).pasteText(added);
      if (way === "page") (await import("./adding/web-page.js")).addPage(added);
      if (way === "folders") (await import("./adding/server-folders.js")).chooseServerFiles((files) => this.#upload(files));
    } catch {
      toast({ message: NOT_LOADED });
    }
  }

  /** @param {LibraryDocument} item */
  async #edit(item) {
    try {
      (await import("./adding/details.js")).editDetails(item, (changed) => this.#keep(changed));
    } catch {
      toast({ message: NOT_LOADED });
    }
  }

  /** @param {LibraryDocument} item */
  async #unlock(item) {
    try {
      (await import("./adding/password.js")).askPassword(item, (changed) => {
        this.#keep(changed);
        this.#watch(item.id);
      });
    } catch {
      toast({ message: NOT_LOADED });
    }
  }

  /** Nobody can come back as a guest, so nothing of theirs is kept. */
  async #signOut() {
    const isGuest = this.#user?.kind === "anonymous";
    const isSure = !isGuest || await find(this, "lectern-confirm", ConfirmDialog).ask({
      title: "Leave and delete everything?",
      message: "You are here as a guest. Your documents and the places in them will be deleted; an account would keep them.",
      action: "Leave and delete",
    });
    if (isSure) await signOut().finally(() => location.assign(isGuest ? "/" : "/signin"));
  }

  #chooseFiles() {
    const menu = this.querySelector("#add-menu:popover-open");
    if (menu instanceof HTMLElement) menu.hidePopover();
    find(this, "input[type=file]", HTMLInputElement).click();
  }

  /** @param {HTMLInputElement} input */
  #onChosen(input) {
    this.#upload(input.files ?? []);
    input.value = "";
  }

  #listenForFiles() {
    const hasFiles = (/** @type {DataTransfer | null} */ data) => data?.types.includes("Files") ?? false;
    this.listen(window, "dragenter", (event) => hasFiles(event.dataTransfer) && this.#drag(1));
    this.listen(window, "dragleave", (event) => hasFiles(event.dataTransfer) && this.#drag(-1));
    this.listen(window, "dragover", (event) => hasFiles(event.dataTransfer) && event.preventDefault());
    this.listen(window, "drop", (event) => {
      this.#drag(-this.#dragDepth);
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      this.#upload(event.dataTransfer.files);
    });
    this.listen(window, "paste", (event) => {
      if (hasFiles(event.clipboardData)) this.#upload(event.clipboardData.files);
    });
  }

  /** @param {number} change elements under the pointer are entered before the last one is left */
  #drag(change) {
    this.#dragDepth = Math.max(0, this.#dragDepth + change);
    this.toggleAttribute("data-dragging", this.#dragDepth > 0);
  }

  /** @param {LibraryDocument} item */
  async #delete(item) {
    const isSure = await find(this, "lectern-confirm", ConfirmDialog).ask({
      title: `Delete “${item.title || item.fileName}”?`,
      message: "The document and your place in it will be gone from this library. Your own copy of the file is not touched.",
      action: "Delete",
    });
    if (!isSure) return;
    try {
      await deleteDocument(item.id);
      this.#documents.delete(item.id);
      const upload = this.#queue?.uploads.find(({ document }) => document?.id === item.id);
      if (upload) this.#queue?.dismiss(upload.id);
      this.#show();
    } catch (error) {
      if (!leaveIfSignedOut(error)) toast({ message: messageOf(error), action: "Try again", onAction: () => void this.#delete(item) });
    }
  }

  /** @param {LibraryDocument} item */
  async #retry(item) {
    try {
      this.#keep(await retryDocument(item.id));
      this.#watch(item.id);
    } catch (error) {
      if (!leaveIfSignedOut(error)) toast({ message: messageOf(error) });
    }
  }
}

const NOT_LOADED = "This part of Lectern could not be loaded. Check your connection and try again.";

/** @param {LibraryDocument} item */
function tellDuplicate(item) {
  toast({
    message: `“${item.title || item.fileName}” is in your library already.`,
    action: "Open",
    onAction: () => location.assign(`/read/${item.id}`),
  });
}

function frame() {
  return html`
    <header class="app-bar">
      <h1 class="unseen">Library</h1>
      <a class="wordmark" href="/app"><img src="/ui/icon.svg" alt="" width="28" height="28"> Lectern</a>
      <span class="app-bar-space"></span>
      <button type="button" class="button button-primary" popovertarget="add-menu" aria-haspopup="true">${icon("plus")} <span>Add<span class="wide-only"> documents</span></span></button>
      <div id="add-menu" class="popover add-menu" popover>
        <button type="button" class="button button-wide" data-do="choose">${icon("upload")} Upload files</button>
        <button type="button" class="button button-wide" data-do="text">${icon("letters")} Paste text</button>
        <button type="button" class="button button-wide users-only" data-do="page">${icon("globe")} Web page</button>
        <button type="button" class="button button-wide users-only" data-do="folders">${icon("folder")} Server folders</button>
      </div>
      <lectern-theme></lectern-theme>
      <lectern-account-menu></lectern-account-menu>
      <input type="file" multiple hidden aria-label="Files to add">
    </header>
    <p class="must-change" role="status" hidden>${icon("warning")} <span>Change your password to make your administrator rights active.</span>
      <a class="button button-small" href="/app/settings/account">Change password</a></p>
    <p class="guest-note" role="status" hidden><span>You are here as a guest. What you add is kept while you come back within a week, in this browser only.</span>
      <a class="button button-small" href="/signup">Create an account to keep it</a></p>
    <lectern-upload-list role="region" aria-label="Uploads" hidden></lectern-upload-list>
    <main aria-label="Library"></main>
    <lectern-confirm></lectern-confirm>
    <div class="drop-veil" aria-hidden="true"><p>${icon("upload")} Drop to add to your library</p></div>`;
}

function skeleton() {
  return html`<section aria-busy="true" aria-label="Loading your library"><div class="shelf">
    ${Array.from({ length: 6 }, () => html`<div class="card-skeleton"><span class="cover skeleton"></span><span class="skeleton skeleton-line"></span><span class="skeleton skeleton-line"></span></div>`)}
  </div></section>`;
}

/** @param {string} message */
function failure(message) {
  return html`<section class="notice" role="alert"><h2>Your library could not be loaded</h2><p>${message}</p>
    <button type="button" class="button button-primary" data-do="reload">${icon("retry")} Try again</button></section>`;
}

/** @param {string[]} formats */
function welcome(formats) {
  const names = formats.map((format) => format.replace(".", "").toUpperCase()).join(", ");
  return html`<section class="welcome">
    <div class="welcome-books" aria-hidden="true"><span></span><span></span><span></span></div>
    <h2>What would you like to hear?</h2>
    <p>Drop a book or an article anywhere on this page. Lectern reads it aloud and lights every word as it is spoken.</p>
    <button type="button" class="button button-primary button-large" data-do="choose">${icon("upload")} Choose files</button>
    <p class="welcome-formats">${names}</p>
  </section>`;
}

/** @param {LibraryDocument} item */
function continueReading(item) {
  const percent = readPercent(item);
  return html`<section class="continue" aria-labelledby="continue-title">
    <a class="continue-card" href="/read/${item.id}">
      ${cover(item)}
      <span class="continue-text">
        <span class="eyebrow" id="continue-title">Continue reading</span>
        <span class="continue-name" dir="auto">${item.title || item.fileName}</span>
        <span class="continue-author" dir="auto">${item.authors.join(", ")}</span>
        <span class="continue-progress"><progress value="${percent}" max="100" aria-label="Read"></progress><span>${percent}%</span></span>
      </span>
      <span class="continue-play" aria-hidden="true">${icon("play")}</span>
    </a>
  </section>`;
}
