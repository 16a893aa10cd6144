/** Line icons on a 24-unit grid, drawn with the text's colour. */

import { Html, html } from "../lib/html.js";

const PATHS = {
  account: html`<circle cx="12" cy="8.500" r="3.700"/><path d="M4.800 19.500c.7-3.600 3.500-5.500 7.200-5.500s6.500 1.900 7.200 5.500"/>`,
  back: html`<path d="M15 5l-7 7 7 7"/>`,
  chevronLeft: html`<path d="M14.5 6l-6 6 6 6"/>`,
  chevronRight: html`<path d="M9.500 6l6 6-6 6"/>`,
  close: html`<path d="M6 6l12 12M18 6L6 18"/>`,
  contents: html`<path d="M4 6.500h2M4 12h2M4 17.500h2M9.500 6.500H20M9.500 12H20M9.500 17.500H17"/>`,
  headphones: html`<path d="M4.500 15v-2.500a7.500 7.500 0 0 1 15 0V15M4.500 14.500h3V20H6a1.500 1.500 0 0 1-1.500-1.500zM19.500 14.500h-3V20H18a1.500 1.500 0 0 0 1.500-1.500z"/>`,
  edit: html`<path d="M4.500 19.500l.9-4L16 4.900a1.800 1.800 0 0 1 2.600 0l.5.5a1.800 1.800 0 0 1 0 2.600L8.500 18.600z"/>`,
  folder: html`<path d="M3.500 18V6.500A1.500 1.500 0 0 1 5 5h4.500l2 2.500H19A1.500 1.500 0 0 1 20.500 9v9a1.500 1.500 0 0 1-1.500 1.500H5A1.500 1.500 0 0 1 3.500 18z"/>`,
  globe: html`<circle cx="12" cy="12" r="8.500"/><path d="M3.500 12h17M12 3.500c5 5 5 12 0 17M12 3.500c-5 5-5 12 0 17"/>`,
  key: html`<circle cx="8" cy="15.500" r="4"/><path d="M10.800 12.700l8.700-8.700M15.500 8l3 3"/>`,
  keyboard: html`<rect x="2.500" y="6" width="19" height="12" rx="2.500"/><path d="M6.500 10h.01M10 10h.01M14 10h.01M17.500 10h.01M8 14h8"/>`,
  letters: html`<path d="M3 18.500L8 5.500l5 13M4.700 14h6.600M21 18.500v-7.200M21 15a3 3.300 0 1 1-6 0 3 3.300 0 0 1 6 0z"/>`,
  more: html`<path d="M6 12h.01M12 12h.01M18 12h.01" stroke-width="2.600"/>`,
  next: html`<path d="M17.500 5.500v13M6 6.200v11.600l8.500-5.800z"/>`,
  pause: html`<path d="M8.500 5.500v13M15.500 5.500v13" stroke-width="3"/>`,
  play: html`<path d="M8 5.200v13.600L19 12z" fill="currentColor"/>`,
  plus: html`<path d="M12 5v14M5 12h14"/>`,
  previous: html`<path d="M6.500 5.500v13M18 6.200v11.600L9.500 12z"/>`,
  retry: html`<path d="M19.500 12a7.500 7.500 0 1 1-2.300-5.400L19.500 9M19.500 4.500V9H15"/>`,
  search: html`<circle cx="10.800" cy="10.800" r="6"/><path d="M15.300 15.300L20 20"/>`,
  trash: html`<path d="M4.500 7h15M9.500 7V4.500h5V7M6.500 7l.8 12.500h9.400L17.500 7M10.300 11v5M13.700 11v5"/>`,
  upload: html`<path d="M12 15.500V4.500M7.500 8.500L12 4l4.500 4.500M4.500 15v3.500A1.500 1.500 0 0 0 6 20h12a1.500 1.500 0 0 0 1.500-1.500V15"/>`,
  voice: html`<path d="M4 10v4M8 7v10M12 4v16M16 8v8M20 10.500v3"/>`,
  warning: html`<path d="M12 4.500L21 19.500H3zM12 10v4.500M12 17h.01"/>`,
};

/** @param {keyof typeof PATHS} name @returns {Html} */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${PATHS[name]}</svg>`;
}
