/** The part of the system check that only a browser can do. What it looks with is passed in; no DOM. */

/** @typedef {import("../api/admin.js").CheckItem} CheckItem */
/** @typedef {import("../api/admin.js").BrowserFacts} BrowserFacts */
/**
 * @typedef {object} Senses
 * @property {string} origin of the page, such as https://lectern.example.org
 * @property {(url: string) => Promise<void>} hear loads sound; rejects when it can't
 * @property {(url: string) => Promise<string>} read the text at an address of the store; rejects when it can't
 */

const LOCAL = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** @param {BrowserFacts} facts @param {Senses} senses @returns {Promise<CheckItem[]>} */
export async function checkFromBrowser(facts, senses) {
  return Promise.all([origin(facts, senses), sound(facts, senses), store(facts, senses)]);
}

/** @param {BrowserFacts} facts @param {Senses} senses @returns {CheckItem} */
function origin({ baseUrl }, senses) {
  const expected = new URL(baseUrl).origin;
  const item = { id: "browser-origin", label: "This page's address" };
  if (senses.origin === expected) return good(item, `${expected}, as BASE_URL says.`);
  return {
    ...item, status: "error", detail: `This page comes from ${senses.origin}, BASE_URL says ${expected}.`,
    fix: `Open Lectern at ${expected}, or set BASE_URL to the address that people open, and restart.`,
  };
}

/** @param {BrowserFacts} facts @param {Senses} senses @returns {Promise<CheckItem>} */
async function sound({ soundUrl }, senses) {
  const url = new URL(soundUrl);
  const item = { id: "browser-worker", label: "The worker's public address" };
  if (isMixed(senses.origin, url)) return mixed(item, url, "COMPUTE_WORKER_PUBLIC_URL");
  try {
    await senses.hear(soundUrl);
  } catch {
    const own = url.origin === senses.origin;
    return {
      ...item, status: "error", detail: `No sound comes from ${url.origin}.`,
      fix: own
        ? "Sound goes through this app: see what the check says about the compute worker."
        : "Set COMPUTE_WORKER_PUBLIC_URL to an address of the worker that browsers reach, and publish its port; or set it to BASE_URL, so that sound goes through this app.",
    };
  }
  return good(item, url.origin === senses.origin ? "Sound comes through this app: one published port is enough." : `Sound comes from ${url.origin}.`);
}

/** @param {BrowserFacts} facts @param {Senses} senses @returns {Promise<CheckItem>} */
async function store({ objectUrl, objectText }, senses) {
  const item = { id: "browser-store", label: "The object store's public address" };
  if (objectUrl === null) return good(item, "Not needed: files go through this app (S3_BROWSER_TRANSPORT).");
  const url = new URL(objectUrl);
  if (isMixed(senses.origin, url)) return mixed(item, url, "S3_PUBLIC_ENDPOINT");
  const fix = `Set S3_PUBLIC_ENDPOINT to an address of the store that browsers reach, and let its CORS rules allow GET and PUT from ${senses.origin}; or set S3_BROWSER_TRANSPORT=proxy.`;
  try {
    const text = await senses.read(objectUrl);
    if (text !== objectText) return { ...item, status: "error", detail: `Something else than the store answers at ${url.origin}.`, fix };
  } catch {
    return { ...item, status: "error", detail: `This browser can't read from ${url.origin}.`, fix };
  }
  return good(item, `This browser reads from ${url.origin}.`);
}

/** A page loaded over https may load nothing over http but from the own machine. @param {string} page @param {URL} url */
function isMixed(page, url) {
  return page.startsWith("https:") && url.protocol === "http:" && !LOCAL.test(url.hostname);
}

/** @param {{id: string, label: string}} item @param {URL} url @param {string} variable @returns {CheckItem} */
function mixed(item, url, variable) {
  return {
    ...item, status: "error", detail: `This page comes over https, but ${url.origin} is plain http: browsers refuse to mix them.`,
    fix: `Put https in front of it and write that address into ${variable}${variable === "COMPUTE_WORKER_PUBLIC_URL" ? ", or set it to BASE_URL" : ""}.`,
  };
}

/** @param {{id: string, label: string}} item @param {string} detail @returns {CheckItem} */
function good(item, detail) {
  return { ...item, status: "ok", detail, fix: "" };
}
