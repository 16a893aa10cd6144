/** Where a block stands in its document, by its id. */

/** Blocks are named "<section>-<block>". @param {string} blockId */
export function blockOrder(blockId) {
  const [section = 0, block = 0] = blockId.split("-").map(Number);
  return { section, block };
}

/** @param {string} blockId */
export function sectionOf(blockId) {
  return blockOrder(blockId).section;
}
