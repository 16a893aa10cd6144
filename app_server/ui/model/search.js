/**
 * Binary search in a list ordered by `keyOf`.
 * @template T
 * @param {ArrayLike<T>} list
 * @param {number} key
 * @param {(item: T) => number} keyOf
 * @returns {number} index of the last item whose key is at most `key`, -1 when there is none
 */
export function lastAtMost(list, key, keyOf) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyOf(/** @type {T} */ (list[middle])) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
