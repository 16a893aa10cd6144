import assert from "node:assert/strict";
import { test } from "node:test";

import { signInNotice } from "../../app_server/ui/model/sign-in-notices.js";

test("a notice names the provider where it is one's", () => {
  assert.match(signInNotice("SIGN_IN_CANCELLED", "Our school").text, /Our school/);
  assert.match(signInNotice("SIGN_IN_CANCELLED", "").text, /The provider/);
});

test("waiting and suspended accounts have no use for the form", () => {
  for (const code of ["ACCOUNT_PENDING", "ACCOUNT_SUSPENDED"]) assert.equal(signInNotice(code, "").isFinal, true);
  assert.notEqual(signInNotice("PROVIDER_UNREACHABLE", "").isFinal, true);
});

test("nothing of an address that somebody made up is shown", () => {
  for (const code of ["<b>Call 555</b>", "constructor", "__proto__", ""]) {
    const { title, text } = signInNotice(code, "");
    assert.equal(title, "Signing in failed");
    assert.ok(!code || !text.includes(code));
  }
});
