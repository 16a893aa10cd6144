/** What is in the compute limits, in the words of the form and the audit log. */

/** @type {Record<string, [title: string, hint: string]>} */
export const ACTIONS = {
  tts_playback: ["Listening", "Each time somebody presses play."],
  tts_synthesis: ["New speech", "Characters that are spoken for the first time. Speech from the cache is free."],
  tts_playback_plan: ["Preparing a document for listening", "Once for each document and way of reading it."],
  tts_playback_document: ["Speaking whole documents ahead", "Beyond the limit a document is spoken ahead by sections."],
  tts_playback_export: ["Making audiobooks", "Lectern makes no audiobooks yet, so that nothing goes by these limits. They are kept with the document."],
  pdf_layout: ["Opening PDF files", ""],
  document_conversion: ["Opening Word files", ""],
  document_preview: ["Opening other files", "EPUB, HTML, Markdown and text."],
  account_export: ["Exporting an account's data", ""],
};
export const SCOPES = /** @type {const} */ ([["user", "a user"], ["anonymous_device", "a guest's device"], ["ip", "a network address"], ["site", "everybody together"]]);
export const ACTIVE_SCOPES = SCOPES.filter(([scope]) => scope === "user" || scope === "site");
export const AUDIENCES = /** @type {const} */ ([["all", "guests and accounts"], ["anonymous", "guests"], ["authenticated", "accounts"]]);
export const METRICS = /** @type {const} */ ([["characters", "characters"], ["input_bytes", "bytes"], ["files", "files"]]);
export const BOUNDARIES = /** @type {const} */ ([["soft_unit", "finish what crosses it"], ["strict", "never cross it"]]);
export const PRIORITIES = /** @type {const} */ ([["interactive", "interactive"], ["foreground", "foreground"], ["background", "background"]]);
export const RESOURCES = /** @type {const} */ (["cpu_heavy", "model_inference", "align", "media", "archive_io"]);
