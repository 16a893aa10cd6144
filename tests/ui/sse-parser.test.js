import assert from "node:assert/strict";
import test from "node:test";

import { SseParser } from "../../app_server/ui/lib/sse-parser.js";

const STREAM = "\uFEFF: hello\nretry: 1500\n\nid: 7\nevent: segment\ndata: {\"a\":1}\r\n\r\ndata: one\rdata: two\r\rid\ndata\n\nevent: lost\n\n";
const EVENTS = [
  { type: "segment", data: '{"a":1}', id: "7" },
  { type: "message", data: "one\ntwo", id: "7" },
  { type: "message", data: "", id: "" },
];

test("comments, line ends of all kinds, joined data and kept ids are understood", () => {
  const parser = new SseParser();
  assert.deepEqual(parser.push(STREAM), EVENTS);
  assert.equal(parser.retryMs, 1500);
});

test("every cut of the stream gives the same events", () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) {
    const parser = new SseParser();
    assert.deepEqual([...parser.push(STREAM.slice(0, cut)), ...parser.push(STREAM.slice(cut))], EVENTS, `cut at ${cut}`);
  }
});

test("an event that is not finished is not told", () => {
  const parser = new SseParser();
  assert.deepEqual(parser.push("data: half"), []);
  assert.deepEqual(parser.push("\n"), []);
  assert.deepEqual(parser.push("\n"), [{ type: "message", data: "half", id: "" }]);
});
