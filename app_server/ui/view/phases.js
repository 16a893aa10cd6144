/** What the worker is doing with a new document, in a reader's words. */

/** @param {string} phase the worker's word for what it is doing */
export function phaseName(phase) {
  return { queued: "Waiting its turn", fetching: "Fetching", parsing: "Reading the pages", storing: "Putting it on the shelf", "layout model": "Fetching the layout model" }[phase] ?? "Opening";
}
