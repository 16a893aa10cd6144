import assert from "node:assert/strict";
import test from "node:test";

import { toCodePoints, toUtf16 } from "../../app_server/ui/model/offsets.js";

const TEXTS = ["", "plain", "naïve – 欲張り", "a😀b🧡c", "😀🧡", "👩‍👩‍👧 family", "𝔄𝔟c"];

test("code points and UTF-16 units agree with the string's own iteration", () => {
  for (const text of TEXTS) {
    const characters = [...text];
    for (let count = 0; count <= characters.length; count += 1) {
      const units = characters.slice(0, count).join("").length;
      assert.equal(toUtf16(text, count), units);
      assert.equal(toCodePoints(text, units), count);
    }
  }
});

test("offsets beyond the text end with it", () => {
  assert.equal(toUtf16("a😀", 9), 3);
  assert.equal(toUtf16("abc", 9), 3);
  assert.equal(toCodePoints("a😀", 9), 2);
  assert.equal(toUtf16("abc", -1), 0);
});

test("a place inside a surrogate pair counts as before it", () => {
  assert.equal(toCodePoints("a😀b", 2), 1);
});
