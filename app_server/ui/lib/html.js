/** The one place where text becomes markup. Every value put into `html` is escaped unless it is itself Html. */

/** Markup that is safe to insert. */
export class Html {
  /** @param {string} markup */
  constructor(markup) {
    this.markup = markup;
  }
}

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** @param {string} text */
export function escapeText(text) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** @param {unknown} value @returns {string} */
function markupOf(value) {
  if (value instanceof Html) return value.markup;
  if (Array.isArray(value)) return value.map(markupOf).join("");
  if (value === null || value === undefined || value === false) return "";
  return escapeText(String(value));
}

/**
 * Escaping template tag. Attribute values must be quoted in the template.
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
 */
export function html(strings, ...values) {
  return new Html(strings.reduce((markup, part, index) => markup + markupOf(values[index - 1]) + part));
}

/** @param {Html} content @returns {DocumentFragment} */
export function fragment(content) {
  const template = document.createElement("template");
  template.innerHTML = content.markup;
  return template.content;
}

/** Replace everything in an element. @param {Element} element @param {Html} content */
export function render(element, content) {
  element.replaceChildren(fragment(content));
}

/**
 * A section of a book, sanitized by the server, as an inert document: nothing in it loads or runs until its nodes are
 * moved into the page, and the page's Content-Security-Policy forbids scripts even then.
 * @param {string} markup
 */
export function parseBookMarkup(markup) {
  return new DOMParser().parseFromString(markup, "text/html");
}

/**
 * The element a view cannot work without.
 * @template {Element} T
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new (...args: any[]) => T} type
 * @returns {T}
 */
export function find(parent, selector, type) {
  const element = parent.querySelector(selector);
  if (!(element instanceof type)) throw new TypeError(`no ${type.name} at ${selector}`);
  return element;
}
