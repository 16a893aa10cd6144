import assert from "node:assert/strict";
import test from "node:test";

import { problemFrom } from "../../app_server/ui/api/http.js";
import { html } from "../../app_server/ui/lib/html.js";

test("whatever is put into a template is text", () => {
  const title = `<img src=x onerror="alert('1')">&`;
  assert.equal(html`<p title="${title}">${title}</p>`.markup.match(/<img/), null);
  assert.equal(html`${"&<>\"'"}`.markup, "&amp;&lt;&gt;&quot;&#39;");
});

test("markup and lists of it are kept, nothing stays nothing", () => {
  assert.equal(html`<ul>${[1, 2].map((item) => html`<li>${item}</li>`)}</ul>`.markup, "<ul><li>1</li><li>2</li></ul>");
  assert.equal(html`${null}${undefined}${false}${0}`.markup, "0");
});

test("a problem's detail becomes the message, its fields' messages theirs", () => {
  const error = problemFrom(422, JSON.stringify({ title: "T", detail: "D", code: "C", errors: [{ field: "email", message: "M" }] }));
  assert.deepEqual([error.message, error.code, error.fields, error.isTemporary], ["D", "C", { email: "M" }, false]);
});

test("an answer that is no problem document still says something", () => {
  const error = problemFrom(502, "<html>Bad gateway</html>");
  assert.equal(error.code, "HTTP_502");
  assert.ok(error.isTemporary);
  assert.match(error.message, /went wrong/);
});
