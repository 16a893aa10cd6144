import assert from "node:assert/strict";
import { test } from "node:test";

import { valueAt, withValue } from "../../app_server/ui/model/json-pointer.js";

const DOCUMENT = { actions: { play: { windows: [{ limit: 3 }, { limit: 4 }] } }, "a/b": { "c~d": 1 } };

test("a pointer finds its place, escapes and all", () => {
  assert.equal(valueAt(DOCUMENT, "/actions/play/windows/1/limit"), 4);
  assert.equal(valueAt(DOCUMENT, "/a~1b/c~0d"), 1);
  assert.equal(valueAt(DOCUMENT, ""), DOCUMENT);
  assert.equal(valueAt(DOCUMENT, "/actions/none/windows"), undefined);
});

test("a change leaves the document that it is made from alone", () => {
  const changed = withValue(DOCUMENT, "/actions/play/windows/0/limit", 9);
  assert.deepEqual(changed.actions.play.windows, [{ limit: 9 }, { limit: 4 }]);
  assert.equal(DOCUMENT.actions.play.windows[0]?.limit, 3);
  assert.equal(withValue(DOCUMENT, "", 5), 5);
});
