import assert from "node:assert/strict";
import test from "node:test";

import { ApiError } from "../../app_server/ui/api/http.js";
import { sendRows } from "../../app_server/ui/model/rule-rows.js";

const rule = (pattern) => ({ kind: "word", pattern, replacement: "", matchCase: false });
const rows = [rule(""), rule("a"), rule(""), rule("(b")];
const isWritten = ({ pattern }) => pattern;

test("empty rows are not sent", async () => {
  const sent = await sendRows(rows, isWritten, async (rules) => rules.map(({ pattern }) => pattern));
  assert.deepEqual(sent, ["a", "(b"]);
});

test("what the server finds wrong is said of the row in which it is written", async () => {
  const fields = { "rules.1.pattern": "No regular expression.", "rules.0": "Wrong.", language: "Unknown.", "rules.7.pattern": "Of none." };
  const refusal = new ApiError({ status: 422, code: "FIELDS_INVALID", message: "Look at the fields.", fields });
  const answer = sendRows(rows, isWritten, async () => Promise.reject(refusal));
  await assert.rejects(answer, (error) => error === refusal);
  assert.deepEqual(refusal.fields, { "rules.3.pattern": "No regular expression.", "rules.1": "Wrong.", language: "Unknown.", "rules.7.pattern": "Of none." });
});

test("what is told of the rules by their places is known by row", async () => {
  const left = await sendRows(rows, isWritten, async (_rules, rowOf) => [0, 1, 2].map(rowOf));
  assert.deepEqual(left, [1, 3, -1]);
});
