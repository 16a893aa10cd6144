/** Lengths of time and moments, in words. */

const UNITS = /** @type {const} */ ([["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]]);

/** The largest unit that fits exactly. @param {number} seconds */
export function duration(seconds) {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? UNITS[3];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** How far away a moment is, such as "in 3 hours" or "2 minutes ago". @param {string} moment */
export function away(moment) {
  const seconds = Math.round((Date.parse(moment) - Date.now()) / 1000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS[3];
  if (Math.abs(seconds) < 5) return "just now";
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(Math.trunc(seconds / size), unit);
}
