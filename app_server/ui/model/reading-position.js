/** Keeps the reader's place on the server: seldom while it moves, at once when it matters. */

/** @typedef {import("../api/types.js").Position} Position */

/** Between two saves while playing. */
const SAVE_EVERY_MS = 4_000;

export class PositionKeeper {
  #save;
  #now;
  /** @type {Position | null} */
  #unsaved = null;
  #saved = "";
  #savedAt = Number.NEGATIVE_INFINITY;

  /** @param {{save: (position: Position, isLast: boolean) => Promise<void>, now?: () => number}} parts */
  constructor({ save, now = () => performance.now() }) {
    this.#save = save;
    this.#now = now;
  }

  /** @param {Position} position */
  note(position) {
    this.#unsaved = position;
    if (this.#now() - this.#savedAt >= SAVE_EVERY_MS) this.flush();
  }

  /** @param {{isLast?: boolean}} [options] isLast: the page is going away */
  flush({ isLast = false } = {}) {
    const position = this.#unsaved;
    if (!position) return;
    const key = `${position.blockId}/${position.offset}/${position.fraction}`;
    this.#unsaved = null;
    if (key === this.#saved) return;
    this.#saved = key;
    this.#savedAt = this.#now();
    this.#save(position, isLast).catch(() => {
      this.#saved = "";
      this.#unsaved ??= position;
    });
  }
}
