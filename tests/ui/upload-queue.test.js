import assert from "node:assert/strict";
import test from "node:test";

import { ApiError } from "../../app_server/ui/api/http.js";
import { UploadQueue } from "../../app_server/ui/model/upload-queue.js";

const ready = (id) => ({ id, state: "ready", progress: null, error: null });
const file = (name, size = 10) => new File(["x".repeat(size)], name);

/** Transport whose uploads are settled by hand. */
class HandTransport {
  /** @type {Map<string, PromiseWithResolvers<any> & {onProgress: (sent: number, total: number) => void, signal: AbortSignal}>} */
  sent = new Map();
  retried = [];
  /** @type {any[]} */
  changes = [];

  upload(upload, onProgress, signal) {
    let resolve, reject;
    const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
    signal.addEventListener("abort", () => reject(signal.reason));
    this.sent.set(upload.name, { promise, resolve, reject, onProgress, signal });
    return promise;
  }

  async watch(_id, onChange) {
    for (const change of this.changes) onChange(change);
  }

  async retry(id) {
    this.retried.push(id);
    return ready(id);
  }
}

function queueOf(transport, maxUploadMb = 1) {
  return new UploadQueue({ transport, maxUploadMb, signal: new AbortController().signal });
}

/** Wait for a state of the queue. */
function until(queue, condition) {
  return new Promise((resolve) => {
    const look = () => condition(queue.uploads) && (queue.removeEventListener("change", look), resolve());
    queue.addEventListener("change", look);
    look();
  });
}

test("two files go at once, the next when one has arrived", async () => {
  const transport = new HandTransport();
  const queue = queueOf(transport);
  queue.add([file("a"), file("b"), file("c")]);
  assert.deepEqual([...transport.sent.keys()], ["a", "b"]);
  transport.sent.get("a").resolve({ document: ready("1"), isDuplicate: false });
  await until(queue, ([a, , c]) => a.state === "ready" && c.state === "uploading");
  assert.deepEqual([...transport.sent.keys()], ["a", "b", "c"]);
});

test("sending and opening each show how far they are", async () => {
  const transport = new HandTransport();
  transport.changes = [{ id: "1", state: "processing", progress: { phase: "parsing", done: 1, total: 4 } }];
  const queue = queueOf(transport);
  queue.add([file("a")]);
  transport.sent.get("a").onProgress(3, 4);
  assert.equal(queue.uploads[0].fraction, 0.75);
  transport.sent.get("a").resolve({ document: { id: "1", state: "processing", progress: null }, isDuplicate: false });
  await until(queue, ([a]) => a.state === "processing" && a.fraction === 0.25);
});

test("an empty and an oversized file are refused without being sent", async () => {
  const transport = new HandTransport();
  const queue = queueOf(transport, 0.001);
  queue.add([file("empty", 0), file("huge", 2000)]);
  await until(queue, (uploads) => uploads.every(({ state }) => state === "failed"));
  assert.equal(transport.sent.size, 0);
  assert.deepEqual(queue.uploads.map(({ canRetry }) => canRetry), [false, false]);
});

test("a broken connection can be tried again, a refusal cannot", async () => {
  const transport = new HandTransport();
  const queue = queueOf(transport);
  queue.add([file("a"), file("b")]);
  transport.sent.get("a").reject(new ApiError({ status: 0, code: "UNREACHABLE", message: "No answer." }));
  transport.sent.get("b").reject(new ApiError({ status: 415, code: "FORMAT_UNSUPPORTED", message: "A picture." }));
  await until(queue, (uploads) => uploads.every(({ state }) => state === "failed"));
  assert.deepEqual(queue.uploads.map(({ message, canRetry }) => [message, canRetry]), [["No answer.", true], ["A picture.", false]]);
  queue.retry(queue.uploads[0].id);
  assert.equal(queue.uploads[0].state, "uploading");
});

test("a document that could not be opened is not sent a second time", async () => {
  const transport = new HandTransport();
  const queue = queueOf(transport);
  queue.add([file("a")]);
  const document = { id: "9", state: "failed", progress: null, error: { code: "X", message: "Busy.", retryable: true } };
  transport.sent.get("a").resolve({ document, isDuplicate: false });
  await until(queue, ([a]) => a.state === "failed");
  await new Promise((resolve) => setImmediate(resolve));
  queue.retry(queue.uploads[0].id);
  await until(queue, ([a]) => a.state === "ready");
  assert.deepEqual(transport.retried, ["9"]);
});

test("dismissing a file stops sending it", () => {
  const transport = new HandTransport();
  const queue = queueOf(transport);
  queue.add([file("a")]);
  queue.dismiss(queue.uploads[0].id);
  assert.equal(queue.uploads.length, 0);
  assert.ok(transport.sent.get("a").signal.aborted);
});

test("what was in the library already is told, and is no failure", async () => {
  const transport = new HandTransport();
  const queue = queueOf(transport);
  const told = [];
  queue.addEventListener("duplicate", (event) => told.push(event.detail.id));
  queue.add([file("a"), { name: "b", size: 5, root: 0, path: "shelf/b" }]);
  transport.sent.get("a").resolve({ document: ready("1"), isDuplicate: true });
  transport.sent.get("b").resolve({ document: ready("2"), isDuplicate: false });
  await until(queue, (uploads) => uploads.every(({ state }) => state === "ready"));
  assert.deepEqual(told, ["1"]);
});
