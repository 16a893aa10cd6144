import assert from "node:assert/strict";
import test from "node:test";

import { narrationText } from "../../app_server/ui/model/narration.js";

test("a narrated edition tells who reads it, how long, and what of it is broken", () => {
  const text = narrationText({ narrators: ["Ada", "Bo", "Cy"], durationSeconds: 3602.5, clipCount: 9, wrongCount: 2 });
  assert.match(text, /^This is a narrated edition: read by Ada, Bo, and Cy, 1 h 0 min\. 2 of its passages lead nowhere\. /);
});

test("what isn't known is left out", () => {
  assert.match(narrationText({}), /^This is a narrated edition\. Its sound/);
  assert.match(narrationText({ durationSeconds: 20 }), /edition: 1 min\. /);
  assert.match(narrationText({ narrators: ["Ada"], wrongCount: 1 }), /read by Ada\. One of its passages leads nowhere\. /);
});
