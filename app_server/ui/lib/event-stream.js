/** An SSE client over fetch: resumes by Last-Event-ID, waits longer after each failure, ends with its signal. */

import { SseParser } from "./sse-parser.js";
import { Backoff, delay, isAbort } from "./signals.js";

/** @typedef {import("./sse-parser.js").ServerEvent} ServerEvent */

/**
 * @typedef {object} EventStreamOptions
 * @property {AbortSignal} signal
 * @property {(event: ServerEvent) => void | "done"} onEvent "done" closes the stream for good
 * @property {(isOpen: boolean) => void} [onConnection]
 * @property {(status: number) => void} [onRefused] the server said no (4xx): there will be no other attempt
 * @property {typeof fetch} [fetcher]
 * @property {Backoff} [backoff]
 */

/**
 * Follow a stream until it is done, refused or aborted.
 * @param {string} url
 * @param {EventStreamOptions} options
 */
export async function followEvents(url, options) {
  const { signal, onConnection, onRefused, fetcher = fetch } = options;
  const backoff = options.backoff ?? new Backoff({ mostMs: 5_000 });
  let lastId = "";
  while (!signal.aborted) {
    /** @type {number | null} */
    let retryMs = null;
    try {
      /** @type {Record<string, string>} */
      const headers = { Accept: "text/event-stream" };
      if (lastId) headers["Last-Event-ID"] = lastId;
      const response = await fetcher(url, { headers, signal, cache: "no-store", credentials: "same-origin" });
      if (response.status === 204) return;
      if (response.status >= 400 && response.status < 500 && response.status !== 429) return onRefused?.(response.status);
      if (!response.ok || !response.body) throw new TypeError(`event stream answered ${response.status}`);
      onConnection?.(true);
      const parser = new SseParser();
      parser.lastId = lastId;
      const outcome = await readEvents(response.body, parser, (event) => {
        backoff.reset();
        lastId = event.id;
        return options.onEvent(event);
      });
      retryMs = parser.retryMs;
      if (outcome === "done") return;
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
    }
    onConnection?.(false);
    await delay(Math.max(retryMs ?? 0, backoff.next()), signal).catch(() => undefined);
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {SseParser} parser
 * @param {(event: ServerEvent) => void | "done"} onEvent
 */
async function readEvents(body, parser, onEvent) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "closed";
      for (const event of parser.push(decoder.decode(value, { stream: true }))) {
        if (onEvent(event) === "done") return "done";
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
