import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";

import { followEvents } from "../../app_server/ui/lib/event-stream.js";
import { Backoff } from "../../app_server/ui/lib/signals.js";

/**
 * A real server that answers one request after the other as told.
 * @param {import("node:test").TestContext} t
 * @param {((request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => void)[]} answers
 */
async function serve(t, answers) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.headers["last-event-id"] ?? null);
    (answers[asked.length - 1] ?? ((_, late) => late.writeHead(204).end()))(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/`, asked };
}

const stream = (text, end = (response) => response.end()) => (_request, response) => {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(text, () => end(response));
};
const quickly = () => new Backoff({ firstMs: 1, mostMs: 2 });

test("a stream that breaks off is taken up after the last event", async (t) => {
  const { url, asked } = await serve(t, [
    stream("id: 1\ndata: a\n\n", (response) => response.destroy()),
    (_request, response) => response.writeHead(503).end(),
    stream("id: 2\ndata: b\n\n"),
  ]);
  const heard = [];
  await followEvents(url, { signal: new AbortController().signal, backoff: quickly(), onEvent: ({ data }) => void heard.push(data) });
  assert.deepEqual(heard, ["a", "b"]);
  assert.deepEqual(asked, [null, "1", "1", "2"]);
});

test("a refusal ends it", async (t) => {
  const { url, asked } = await serve(t, [(_request, response) => response.writeHead(404).end()]);
  const refusals = [];
  await followEvents(url, { signal: new AbortController().signal, onEvent: () => {}, onRefused: (status) => refusals.push(status) });
  assert.deepEqual(refusals, [404]);
  assert.equal(asked.length, 1);
});

test("the listener can have enough", async (t) => {
  const { url, asked } = await serve(t, [stream("data: a\n\ndata: b\n\n", () => {})]);
  await followEvents(url, { signal: new AbortController().signal, onEvent: () => "done" });
  assert.equal(asked.length, 1);
});

test("aborting ends it while it waits for events", async (t) => {
  const { url } = await serve(t, [stream("data: a\n\n", () => {})]);
  const controller = new AbortController();
  await followEvents(url, { signal: controller.signal, onEvent: () => controller.abort() });
  assert.ok(controller.signal.aborted);
});
