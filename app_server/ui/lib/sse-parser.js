/** Server-sent events, as the HTML standard's "interpreting an event stream" says; no I/O. */

/** @typedef {{type: string, data: string, id: string}} ServerEvent */

export class SseParser {
  #rest = "";
  #type = "";
  /** @type {string[]} */
  #data = [];
  #first = true;
  /** Identifier of the last event, to be sent as Last-Event-ID. */
  lastId = "";
  /** Asked for by the server, null when it did not. @type {number | null} */
  retryMs = null;

  /** @param {string} chunk any cut of the stream @returns {ServerEvent[]} the events it completed */
  push(chunk) {
    let text = this.#rest + chunk;
    if (this.#first && text) {
      text = text.replace(/^\uFEFF/, "");
      this.#first = false;
    }
    // A CR at the very end may be half of a CRLF: it waits for the next chunk.
    const held = text.endsWith("\r") ? "\r" : "";
    const lines = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? "") + held;
    /** @type {ServerEvent[]} */
    const events = [];
    for (const line of lines) this.#line(line, events);
    return events;
  }

  /** @param {string} line @param {ServerEvent[]} events */
  #line(line, events) {
    if (line === "") return this.#dispatch(events);
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#type = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.lastId = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  /** @param {ServerEvent[]} events */
  #dispatch(events) {
    if (this.#data.length) {
      events.push({ type: this.#type || "message", data: this.#data.join("\n"), id: this.lastId });
    }
    this.#type = "";
    this.#data = [];
  }
}
