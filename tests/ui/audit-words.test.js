import assert from "node:assert/strict";
import { test } from "node:test";

import { fieldInWords, valueInWords } from "../../app_server/ui/view/settings/admin/audit-words.js";

test("settings have the names of their forms", () => {
  assert.equal(fieldInWords("senderEmail"), "Sender's address");
  assert.equal(fieldInWords("actions.tts_playback.admission.windows"), "Listening: how often");
  assert.equal(fieldInWords("actions.pdf_layout.execution.maxQueued"), "Opening PDF files: queued at most");
  assert.equal(fieldInWords("providers.defaults.maxConcurrent"), "Speech providers: requests at once");
  assert.equal(fieldInWords("providers.overrides.home"), "Speech providers: of their own, home");
  assert.equal(fieldInWords("something.new"), "something: new");
});

test("values are words, lists of limits too", () => {
  for (const [field, value, words] of /** @type {[string, unknown, string][]} */ ([
    ["enabled", true, "yes"],
    ["replyTo", null, "nothing"],
    ["intervalSeconds", 21_600, "6 hours"],
    ["retentionDays", 90, "90 days"],
    ["value", 1800, "1,800"],
    ["actions.tts_playback.admission.windows", [{ scope: "user", windowSeconds: 60, limit: 12 }, { scope: "ip", windowSeconds: 3600, limit: 1000 }],
      "12 in 1 minute for a user; 1,000 in 1 hour for a network address"],
    ["actions.tts_playback.admission.active", [{ scope: "site", limit: 50, leaseSeconds: 1800 }], "50 at once for everybody together, forgotten after 30 minutes"],
    ["actions.tts_synthesis.usage", [{ scope: "user", audience: "anonymous", metric: "characters", window: "utc_day", limit: 50_000, boundary: "soft_unit" }],
      "50,000 characters a day for a user (guests)"],
    ["actions.pdf_layout.admission.active", [], "none"],
    ["actions.pdf_layout.execution.resources", ["cpu_heavy", "align"], "cpu_heavy; align"],
    ["providers.overrides.home", { enabled: true, maxConcurrent: 3 }, "Turned on: yes, requests at once: 3"],
  ])) assert.equal(valueInWords(field, value), words);
});
