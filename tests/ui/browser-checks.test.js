import assert from "node:assert/strict";
import { test } from "node:test";

import { checkFromBrowser } from "../../app_server/ui/model/browser-checks.js";

const FACTS = {
  baseUrl: "https://lectern.example.org",
  soundUrl: "https://worker.example.org/v1/tts-playback/sessions/soundcheck/audio?token=t",
  objectUrl: "https://store.example.org/bucket/probe",
  objectText: "probe",
};
const SENSES = { origin: "https://lectern.example.org", hear: async () => {}, read: async () => "probe" };
const fail = async () => {
  throw new Error("no");
};

/** @param {object} [facts] @param {object} [senses] */
async function statuses(facts = {}, senses = {}) {
  const items = await checkFromBrowser({ ...FACTS, ...facts }, { ...SENSES, ...senses });
  return Object.fromEntries(items.map((item) => [item.id, item]));
}

test("all is well when each address is reached as it is written", async () => {
  const items = Object.values(await statuses());
  assert.deepEqual(items.map(({ id, status, fix }) => [id, status, fix]), [
    ["browser-origin", "ok", ""], ["browser-worker", "ok", ""], ["browser-store", "ok", ""],
  ]);
});

test("another address than BASE_URL's is told with both", async () => {
  const { "browser-origin": item } = await statuses({}, { origin: "http://10.0.0.7:3003" });
  assert.equal(item.status, "error");
  assert.match(item.detail, /10\.0\.0\.7:3003.*lectern\.example\.org/);
  assert.match(item.fix, /BASE_URL/);
});

test("plain http under a page of https is refused before it is tried, except on the own machine", async () => {
  const never = async () => assert.fail("nothing is loaded");
  const { "browser-worker": worker, "browser-store": store } = await statuses(
    { soundUrl: "http://worker.example.org:8081/x", objectUrl: "http://store.example.org/x" }, { hear: never, read: never },
  );
  assert.match(worker.fix, /COMPUTE_WORKER_PUBLIC_URL/);
  assert.match(store.fix, /S3_PUBLIC_ENDPOINT/);
  const local = await statuses({ soundUrl: "http://localhost:8081/x" });
  assert.equal(local["browser-worker"]?.status, "ok");
});

test("a worker that cannot be heard is told by the variable that names it", async () => {
  const { "browser-worker": far } = await statuses({}, { hear: fail });
  assert.deepEqual([far.status, /COMPUTE_WORKER_PUBLIC_URL/.test(far.fix)], ["error", true]);
  const { "browser-worker": own } = await statuses({ soundUrl: "https://lectern.example.org/v1/x" }, { hear: fail });
  assert.match(own.fix, /goes through this app/);
});

test("a store is asked only where files go straight to it, and must hold what was put there", async () => {
  const proxied = await statuses({ objectUrl: null }, { read: fail });
  assert.equal(proxied["browser-store"]?.status, "ok");
  const { "browser-store": unread } = await statuses({}, { read: fail });
  assert.match(unread.fix, /CORS/);
  const { "browser-store": other } = await statuses({}, { read: async () => "a router's page" });
  assert.match(other.detail, /Something else/);
});
