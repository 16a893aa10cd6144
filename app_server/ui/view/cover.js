/** Covers set in type for documents that bring no picture. */

import { html } from "../lib/html.js";

/** Palettes in styles/document-card.css. */
const PALETTES = 8;

/** @param {string} text @returns {number} the same number for the same text, well spread */
function hash(text) {
  let value = 2166136261;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 16777619);
  return value >>> 0;
}

/** @param {import("../api/types.js").LibraryDocument} document */
export function cover(document) {
  if (document.cover) {
    return html`<span class="cover${document.format === "pdf" ? " cover-page" : ""}"><img src="${document.cover}" alt="" loading="lazy" decoding="async" width="200" height="300"></span>`;
  }
  const seed = hash(document.title || document.fileName);
  const length = document.title.length;
  const size = length < 14 ? "large" : length < 44 ? "medium" : "small";
  return html`<span class="cover cover-typeset" data-palette="${seed % PALETTES}" data-pattern="${(seed >>> 8) % 3}" aria-hidden="true">
    <span class="cover-title" data-size="${size}">${document.title || document.fileName}</span>
    <span class="cover-author">${document.authors.join(", ")}</span>
  </span>`;
}
