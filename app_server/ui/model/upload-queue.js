/** Files on their way into the library: a few at a time, each with its own progress and its own error. */

import { isAbort } from "../lib/signals.js";

/** @typedef {import("../api/types.js").LibraryDocument} LibraryDocument */
/** A file in a folder of the server, which the application fetches itself. @typedef {{name: string, size: number, root: number, path: string}} ServerFile */
/** @typedef {"waiting" | "uploading" | "processing" | "ready" | "failed"} UploadState */
/**
 * @typedef {object} Upload
 * @property {number} id
 * @property {File | ServerFile} file
 * @property {UploadState} state
 * @property {number} fraction of the current state, 0-1
 * @property {string} message of the error
 * @property {boolean} canRetry
 * @property {LibraryDocument | null} document
 */
/**
 * What the queue needs of the outside.
 * @typedef {object} UploadTransport
 * @property {(file: File | ServerFile, onProgress: (sent: number, total: number) => void, signal: AbortSignal) => Promise<import("../api/types.js").Added>} upload
 * @property {(id: string, onChange: (document: LibraryDocument) => void, signal: AbortSignal) => Promise<void>} watch
 * @property {(id: string) => Promise<LibraryDocument>} retry
 */

const AT_ONCE = 2;

export class UploadQueue extends EventTarget {
  #transport;
  #maxBytes;
  #signal;
  #nextId = 1;
  /** @type {Upload[]} */
  #uploads = [];
  /** @type {Map<number, AbortController>} */
  #running = new Map();

  /** @param {{transport: UploadTransport, maxUploadMb: number, signal: AbortSignal}} parts */
  constructor({ transport, maxUploadMb, signal }) {
    super();
    this.#transport = transport;
    this.#maxBytes = maxUploadMb * 1024 * 1024;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#running.forEach((controller) => controller.abort()), { once: true });
  }

  get uploads() {
    return /** @type {readonly Upload[]} */ (this.#uploads);
  }

  /** Tells of "document" at every change, and of "duplicate" for one that was in the library already. @param {Iterable<File | ServerFile>} files */
  add(files) {
    for (const file of files) {
      const upload = { id: this.#nextId++, file, fraction: 0, message: "", canRetry: true, document: null };
      this.#uploads.push({ ...upload, state: "waiting" });
    }
    this.#changed();
    this.#startNext();
  }

  /** @param {number} id */
  retry(id) {
    const upload = this.#find(id);
    if (upload?.state !== "failed" || !upload.canRetry) return;
    Object.assign(upload, { state: "waiting", fraction: 0, message: "" });
    this.#changed();
    this.#startNext();
  }

  /** Take a file off the list; one that is still being sent is cancelled. @param {number} id */
  dismiss(id) {
    this.#running.get(id)?.abort();
    this.#uploads = this.#uploads.filter((upload) => upload.id !== id);
    this.#changed();
  }

  #startNext() {
    for (const upload of this.#uploads) {
      const sending = this.#uploads.filter(({ id, state }) => this.#running.has(id) && state !== "processing").length;
      if (sending >= AT_ONCE) return;
      if (upload.state === "waiting" && !this.#running.has(upload.id)) void this.#run(upload);
    }
  }

  /** @param {Upload} upload */
  async #run(upload) {
    const controller = new AbortController();
    if (this.#signal.aborted) return;
    this.#running.set(upload.id, controller);
    try {
      const document = upload.document ? await this.#transport.retry(upload.document.id) : await this.#send(upload, controller.signal);
      this.#follow(upload, document);
      this.#startNext();
      if (document.state === "processing") {
        await this.#transport.watch(document.id, (change) => this.#follow(upload, change), controller.signal);
      }
    } catch (error) {
      if (!isAbort(error)) this.#fail(upload, error);
    } finally {
      this.#running.delete(upload.id);
      this.#startNext();
    }
  }

  /** @param {Upload} upload @param {AbortSignal} signal */
  async #send(upload, signal) {
    if (upload.file.size === 0) throw new RangeError("This file is empty.");
    if (upload.file.size > this.#maxBytes) {
      throw new RangeError(`This file is larger than the ${Math.round(this.#maxBytes / 1024 / 1024)} MB allowed here.`);
    }
    this.#update(upload, { state: "uploading" });
    const added = await this.#transport.upload(
      upload.file,
      (sent, total) => this.#update(upload, { fraction: total ? sent / total : 0 }),
      signal,
    );
    if (added.isDuplicate) this.dispatchEvent(new CustomEvent("duplicate", { detail: added.document }));
    return added.document;
  }

  /** @param {Upload} upload @param {LibraryDocument} document */
  #follow(upload, document) {
    if (document.state === "failed") {
      const message = document.error?.message ?? "This file could not be opened.";
      this.#update(upload, { state: "failed", document, message, canRetry: document.error?.retryable ?? false });
    } else {
      const { done = 0, total = 0 } = document.progress ?? {};
      const fraction = total ? done / total : 0;
      this.#update(upload, { state: document.state, document, fraction: document.state === "ready" ? 1 : fraction });
    }
    this.dispatchEvent(new CustomEvent("document", { detail: document }));
  }

  /** @param {Upload} upload @param {unknown} error */
  #fail(upload, error) {
    const isOurs = error instanceof RangeError;
    const isTemporary = /** @type {{isTemporary?: boolean}} */ (error).isTemporary ?? false;
    const message = error instanceof Error ? error.message : String(error);
    this.#update(upload, { state: "failed", message, canRetry: !isOurs && isTemporary });
  }

  /** @param {Upload} upload @param {Partial<Upload>} changes */
  #update(upload, changes) {
    Object.assign(upload, changes);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  /** @param {number} id */
  #find(id) {
    return this.#uploads.find((upload) => upload.id === id);
  }
}
