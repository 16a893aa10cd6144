/** Rows in which rules are written, some of them empty: only the others are sent, and what comes back is said of the rows. */

import { ApiError } from "../api/http.js";

/** @typedef {import("../api/reading-options.js").Rule} Rule */

const PLACE = /^rules\.(\d+)(?=\.|$)/;

/**
 * The server counts the rules that it gets; the fields that it finds wrong are renamed to the rows they stand in.
 * @template T
 * @param {Rule[]} rows
 * @param {(rule: Rule) => unknown} isWritten
 * @param {(rules: Rule[], rowOf: (place: number) => number) => Promise<T>} send
 * @returns {Promise<T>}
 */
export async function sendRows(rows, isWritten, send) {
  const places = [...rows.keys()].filter((row) => isWritten(/** @type {Rule} */ (rows[row])));
  const rowOf = (/** @type {number} */ place) => places[place] ?? -1;
  try {
    return await send(places.map((row) => /** @type {Rule} */ (rows[row])), rowOf);
  } catch (error) {
    if (error instanceof ApiError) {
      const renamed = (/** @type {string} */ name) => name.replace(PLACE, (whole, place) => (rowOf(Number(place)) < 0 ? whole : `rules.${rowOf(Number(place))}`));
      error.fields = Object.fromEntries(Object.entries(error.fields).map(([name, message]) => [renamed(name), message]));
    }
    throw error;
  }
}
