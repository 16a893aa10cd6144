/** A custom element whose listeners, timers and requests all end with one AbortSignal when it leaves the page. */

export class Component extends HTMLElement {
  #controller = new AbortController();

  /** Aborted when the element is removed. */
  get signal() {
    return this.#controller.signal;
  }

  connectedCallback() {
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
    this.connected();
  }

  disconnectedCallback() {
    // Moving an element disconnects and connects it in one go; only a real removal ends its work.
    queueMicrotask(() => {
      if (!this.isConnected) this.#controller.abort();
    });
  }

  /** Build the content and attach the listeners. */
  connected() {}

  /**
   * @param {EventTarget} target
   * @param {string} types separated by blanks
   * @param {(event: any) => void} handler
   * @param {AddEventListenerOptions} [options]
   */
  listen(target, types, handler, options) {
    for (const type of types.split(" ")) target.addEventListener(type, handler, { ...options, signal: this.signal });
  }

  /** @param {string} type @param {unknown} [detail] */
  emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }
}
