/** What to do when a request finds nobody signed in. */

import { ApiError } from "../api/http.js";

/** @param {unknown} error @returns {boolean} true when the page is being left for the sign-in page */
export function leaveIfSignedOut(error) {
  if (!(error instanceof ApiError) || error.status !== 401) return false;
  location.assign(`/signin?${new URLSearchParams({ next: location.pathname })}`);
  return true;
}

/** A message for a person. @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
