/** Moments and sizes, as administrators read them. */

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const UNITS = ["B", "KB", "MB", "GB", "TB"];

/** @param {string} iso */
export function moment(iso) {
  return MOMENT.format(new Date(iso));
}

/** In powers of 1000, as disks are sold. @param {number} bytes */
export function size(bytes) {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const number = bytes / 1000 ** step;
  return `${number.toLocaleString(undefined, { maximumFractionDigits: number < 10 && step ? 1 : 0 })} ${UNITS[step]}`;
}
