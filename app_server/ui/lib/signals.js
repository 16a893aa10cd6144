/** Time under an AbortSignal: everything here ends when its signal does. */

/** @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>} rejected with the signal's reason when it is aborted
 */
export function delay(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** @param {number} milliseconds @param {() => void} action @param {AbortSignal} signal */
export function every(milliseconds, action, signal) {
  if (signal.aborted) return;
  const timer = setInterval(action, milliseconds);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/**
 * Run an action in every animation frame until the signal is aborted.
 * @param {() => void} action
 * @param {AbortSignal} signal
 */
export function everyFrame(action, signal) {
  const step = () => {
    if (signal.aborted) return;
    action();
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/**
 * A controller that is aborted when its parent is.
 * @param {AbortSignal} parent
 */
export function childController(parent) {
  const controller = new AbortController();
  if (parent.aborted) controller.abort(parent.reason);
  parent.addEventListener("abort", () => controller.abort(parent.reason), { once: true, signal: controller.signal });
  return controller;
}

/** Waiting times between attempts: doubling from `firstMs` up to `mostMs`, with up to a quarter taken off at random. */
export class Backoff {
  #attempt = 0;
  #firstMs;
  #mostMs;
  #random;

  /** @param {{firstMs?: number, mostMs?: number, random?: () => number}} [options] */
  constructor({ firstMs = 250, mostMs = 15_000, random = Math.random } = {}) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
    this.#random = random;
  }

  next() {
    const wait = Math.min(this.#firstMs * 2 ** this.#attempt, this.#mostMs);
    this.#attempt += 1;
    return wait * (1 - this.#random() / 4);
  }

  reset() {
    this.#attempt = 0;
  }
}
