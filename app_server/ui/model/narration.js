/** What is told of the narration that a book's file brings. */

/** @param {NonNullable<import("../api/types.js").ReadingDocument["narration"]>} narration */
export function narrationText({ narrators = [], durationSeconds = 0, wrongCount = 0 }) {
  const names = new Intl.ListFormat("en", { type: "conjunction" }).format(narrators);
  const facts = [names && `read by ${names}`, durationSeconds && length(durationSeconds)].filter(Boolean).join(", ");
  const wrong = wrongCount ? ` ${wrongCount === 1 ? "One of its passages leads" : `${wrongCount} of its passages lead`} nowhere.` : "";
  return `This is a narrated edition${facts ? `: ${facts}` : ""}.${wrong} Its sound is kept in the file; Lectern reads with a voice, or with a recording that you add here.`;
}

/** @param {number} seconds */
function length(seconds) {
  const minutes = Math.max(1, Math.round(seconds / 60));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
