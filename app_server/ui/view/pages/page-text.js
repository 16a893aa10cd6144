/** The words of a page as text that can be selected and read out, invisible and exactly over their image. */

import { toCodePoints } from "../../model/offsets.js";
import { isFromRight, linesOf } from "../../model/page-lines.js";
import { caretAt, wordStart } from "../caret.js";

/** @typedef {import("../../api/types.js").Block} Block */
/** @typedef {import("../../model/page-lines.js").PlacedLine} PlacedLine */
/** @typedef {import("../../model/book.js").Spot} Spot */

const FONT = "sans-serif";

/** @type {WeakMap<Element, {block: Block, start: number}>} */
const places = new WeakMap();
const measuring = document.createElement("canvas").getContext("2d");

/** @param {Element} holder @param {number} page @param {Block[]} blocks in their order @param {string} language */
export function writePageText(holder, page, blocks, language) {
  holder.replaceChildren(...blocks.flatMap((block) => {
    const lines = linesOf(block).filter((line) => line.page === page);
    return lines.length ? [paragraphOf(block, lines, language)] : [];
  }));
}

/** The word under a point of the text. @param {MouseEvent} event @param {string} language @returns {Spot | null} */
export function spotAt(event, language) {
  const element = event.target instanceof Element ? event.target.closest(".page-word") : null;
  const place = element && places.get(element);
  if (!element || !place) return null;
  const caret = caretAt(event.clientX, event.clientY);
  const inside = caret && element.contains(caret.node) ? toCodePoints(element.textContent ?? "", caret.offset) : 0;
  return { blockId: place.block.id, offset: wordStart(place.block.text, place.start + inside, language) };
}

/** @param {Block} block @param {PlacedLine[]} lines @param {string} language */
function paragraphOf(block, lines, language) {
  const level = block.headingLevel ? `h${Math.min(6, Math.max(2, block.headingLevel + 1))}` : "p";
  const element = document.createElement(level);
  element.dataset.block = block.id;
  element.lang = block.language || language;
  const letters = [...block.text];
  for (const line of lines) {
    const fromRight = isFromRight(line);
    line.words.forEach((word, index) => {
      const next = line.words[index + 1];
      element.append(wordOf(block, line, word, { text: letters.slice(word.start, word.end).join(""), fromRight }));
      if (word.end < (next?.start ?? line.end)) element.append(" ");
    });
    element.append(document.createElement("br"));
  }
  return element;
}

/**
 * @param {Block} block @param {PlacedLine} line @param {import("../../model/page-lines.js").PlacedWord} word
 * @param {{text: string, fromRight: boolean}} parts
 */
function wordOf(block, line, word, { text, fromRight }) {
  const element = document.createElement("span");
  element.className = "page-word";
  element.textContent = text;
  places.set(element, { block, start: word.start });
  const { near, far } = word;
  const thick = line.isVertical ? line.right - line.left : line.bottom - line.top;
  const [x, y] = line.isVertical ? [line.left, near] : [near, line.top];
  const { style } = element;
  style.setProperty("--x", String(x));
  style.setProperty("--y", String(y));
  style.setProperty("--thick", String(thick));
  style.setProperty("--stretch", String(stretchOf(text, thick, far - near)));
  if (line.isVertical) element.classList.add("is-vertical");
  if (fromRight) element.dir = "rtl";
  return element;
}

/** By how much a text must be stretched to be that wide. @param {string} text @param {number} thick @param {number} width */
function stretchOf(text, thick, width) {
  if (!measuring) return 1;
  // At 100 pixels widths are exact enough; styles/pages.css sets the text at 0.8 of the line.
  measuring.font = `100px ${FONT}`;
  const natural = (measuring.measureText(text).width / 100) * thick * 0.8;
  return natural > 0 && width > 0 ? Math.round((width / natural) * 1000) / 1000 : 1;
}
