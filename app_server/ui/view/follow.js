/** Keeps the spoken sentence in view, and steps aside as soon as the reader scrolls. */

const SCROLL_KEYS = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]);
/** The part of the window in which a sentence may stay without the page being moved. */
const COMFORT = { top: 0.12, bottom: 0.72 };
/** Where a sentence is brought to. */
const RESTING_LINE = 0.28;

export class Follow extends EventTarget {
  #isFollowing = true;
  /** @type {{getBoundingClientRect: () => DOMRect} | null} */
  #target = null;

  /** @param {{signal: AbortSignal}} parts */
  constructor({ signal }) {
    super();
    const options = { signal, passive: true };
    const byHand = () => this.#setFollowing(false);
    addEventListener("wheel", byHand, options);
    addEventListener("touchmove", (event) => !isInControl(event.target) && byHand(), options);
    addEventListener("keydown", (event) => SCROLL_KEYS.has(event.key) && !isInControl(event.target) && byHand(), options);
    // A press outside of the content is one on the scroll bar.
    addEventListener("pointerdown", (event) => event.clientX >= document.documentElement.clientWidth && byHand(), options);
    addEventListener("scroll", () => this.#onScroll(), options);
  }

  get isFollowing() {
    return this.#isFollowing;
  }

  /** Is the reader elsewhere? */
  get isAway() {
    return !this.#isFollowing && !this.#isInView();
  }

  /** What is being spoken. @param {{getBoundingClientRect: () => DOMRect} | null} target */
  point(target) {
    this.#target = target;
    if (this.#isFollowing) this.#bringIntoView();
    else this.#onScroll();
  }

  /** Somebody looks elsewhere, such as at a note. */
  leave() {
    this.#setFollowing(false);
  }

  /** Go to the voice and stay with it. @param {{smoothly?: boolean}} [options] */
  resume({ smoothly = true } = {}) {
    this.#setFollowing(true);
    this.#bringIntoView({ smoothly, always: true });
  }

  /** @param {{smoothly?: boolean, always?: boolean}} [options] */
  #bringIntoView({ smoothly = true, always = false } = {}) {
    const box = this.#target?.getBoundingClientRect();
    if (!box || (box.width === 0 && box.height === 0)) return;
    const fits = box.top >= innerHeight * COMFORT.top && Math.min(box.bottom, box.top + 60) <= innerHeight * COMFORT.bottom;
    // Only where the page is wider than the window.
    const isAside = box.left < 0 || box.left > innerWidth * 0.85;
    if (fits && !isAside && !always) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const isFar = Math.abs(box.top) > innerHeight * 2;
    const left = isAside ? scrollX + box.left - innerWidth * 0.1 : scrollX;
    scrollTo({ top: scrollY + box.top - innerHeight * RESTING_LINE, left, behavior: smoothly && !isCalm && !isFar ? "smooth" : "instant" });
  }

  #onScroll() {
    this.dispatchEvent(new Event("change"));
  }

  #isInView() {
    const box = this.#target?.getBoundingClientRect();
    return box !== undefined && box.bottom > 56 && box.top < innerHeight - 120;
  }

  /** @param {boolean} isFollowing */
  #setFollowing(isFollowing) {
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {EventTarget | null} target */
function isInControl(target) {
  return target instanceof Element && target.closest("input, select, textarea, dialog, [popover], lectern-player") !== null;
}
