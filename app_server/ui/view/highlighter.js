/** Lights the spoken sentence and word by the CSS Custom Highlight API: no change to the page's elements, no layout. */

/** @typedef {import("../model/book.js").Spot} Spot */

const WORD = "spoken-word";
const SENTENCE = "spoken-sentence";

export class Highlighter {
  #text;
  #word = typeof Highlight === "undefined" ? null : new Highlight();
  #sentence = typeof Highlight === "undefined" ? null : new Highlight();
  /** Ranges of the block being read, by "start-end". @type {Map<string, Range | null>} */
  #ranges = new Map();
  #blockId = "";

  /** @param {{text: import("./reader-text.js").ReaderText, signal: AbortSignal}} parts */
  constructor({ text, signal }) {
    this.#text = text;
    if (!this.#word || !this.#sentence) return;
    this.#word.priority = 1;
    CSS.highlights.set(WORD, this.#word);
    CSS.highlights.set(SENTENCE, this.#sentence);
    signal.addEventListener("abort", () => [WORD, SENTENCE].forEach((name) => CSS.highlights.delete(name)), { once: true });
  }

  /**
   * @param {string} blockId
   * @param {readonly [number, number] | null} sentence code points in the block
   * @param {readonly [number, number] | null} word
   * @returns {Range | null} the sentence's range, to scroll to
   */
  show(blockId, sentence, word) {
    if (blockId !== this.#blockId) this.forget();
    this.#blockId = blockId;
    const range = sentence && this.#range(sentence);
    replace(this.#sentence, range);
    replace(this.#word, word && this.#range(word));
    return range;
  }

  /** The section was replaced. */
  forget() {
    this.#ranges.clear();
    replace(this.#word, null);
    replace(this.#sentence, null);
  }

  /** @param {readonly [number, number]} characters */
  #range([start, end]) {
    const key = `${start}-${end}`;
    const known = this.#ranges.get(key);
    if (known !== undefined) return known;
    const range = this.#text.range(this.#blockId, start, end);
    this.#ranges.set(key, range);
    return range;
  }
}

/** @param {Highlight | null} highlight @param {Range | null} range */
function replace(highlight, range) {
  if (!highlight || (range ? highlight.size === 1 && highlight.has(range) : highlight.size === 0)) return;
  highlight.clear();
  if (range) highlight.add(range);
}
