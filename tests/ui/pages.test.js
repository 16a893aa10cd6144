import assert from "node:assert/strict";
import test from "node:test";

import { PageLayout } from "../../app_server/ui/model/page-layout.js";
import { boxesOf, linesOf } from "../../app_server/ui/model/page-lines.js";
import { tilesOf } from "../../app_server/ui/model/page-tiles.js";
import { keepPageSettings, readPageSettings } from "../../app_server/ui/model/page-settings.js";

const VIEW = { width: 632, height: 832 };
const A4 = { width: 600, height: 800 };

/** @param {import("../../app_server/ui/api/types.js").PageLine[]} lines @param {string} text */
function block(text, ...lines) {
  return { id: "0-0", role: "", headingLevel: 0, text, language: "", sentences: [], locator: { page: { lines } } };
}

/** @param {object} [wanted] @param {{width: number, height: number}[]} [sizes] */
function arranged(wanted = {}, sizes = Array.from({ length: 20_000 }, () => A4)) {
  const layout = new PageLayout(sizes);
  layout.arrange({ view: VIEW, flow: "scroll", zoom: "width", margin: 16, ...wanted });
  return layout;
}

test("pages fit the width, one below the other, and any of them is found by its height", () => {
  const layout = arranged();
  assert.deepEqual(layout.box(0), { left: 16, top: 16, width: 600, height: 800, scale: 1 });
  assert.equal(layout.box(19_999).top, 16 + 19_999 * 816);
  assert.equal(layout.height, 16 + 20_000 * 816);
  assert.equal(layout.pageAt(layout.box(7_000).top + 5), 7_000);
  assert.deepEqual(layout.between(layout.box(3).top + 1, layout.box(5).top + 1), [3, 4, 5]);
  assert.deepEqual(layout.between(-500, -1), [0]);
});

test("a zoom of 1 is the printed size, wider than the window where it must be", () => {
  const layout = arranged({ zoom: 1 });
  assert.equal(layout.box(0).width, 800);
  assert.equal(layout.width, 832);
  assert.equal(arranged({ zoom: "page", view: { width: 2000, height: 432 } }).box(0).height, 400);
});

test("pages larger than the usual one are made to fit, smaller ones keep their scale", () => {
  const layout = arranged({}, [A4, { width: 1200, height: 800 }, { width: 300, height: 400 }, A4, A4]);
  assert.equal(layout.box(1).width, 600);
  assert.equal(layout.box(2).width, 300);
  assert.equal(layout.box(2).left, 166);
});

test("in twos the first page stands alone, and rows are turned", () => {
  const layout = arranged({ flow: "double", zoom: "page" }, [A4, A4, A4, A4]);
  assert.deepEqual([0, 1, 2, 3].map((page) => layout.rowWith(page)), [[0], [1, 2], [1, 2], [3]]);
  assert.equal(layout.turned(0, 1), 1);
  assert.equal(layout.turned(2, 1), 3);
  assert.equal(layout.turned(3, 1), 3);
  assert.equal(layout.box(2).left, layout.box(1).left + layout.box(1).width);
  assert.ok(layout.box(1).width * 2 <= 600.01);
  assert.ok(layout.heightAround(3, 16) <= 832.01);
});

test("a range has a box on each line that it touches, as wide as its words", () => {
  const text = "one two three four";
  const lines = [
    { page: 2, left: 10, top: 5, right: 50, bottom: 15, wordStarts: [0, 4], wordEdges: [10, 28, 32, 50] },
    { page: 2, left: 10, top: 20, right: 90, bottom: 30, start: 8, wordStarts: [0, 6], wordEdges: [10, 40, 44, 90] },
  ];
  const one = block(text, ...lines);
  assert.deepEqual(boxesOf(one, 4, 13), [
    { page: 2, left: 32, top: 5, right: 50, bottom: 15 },
    { page: 2, left: 10, top: 20, right: 40, bottom: 30 },
  ]);
  assert.deepEqual(boxesOf(one, 3, 4), []);
  assert.deepEqual(linesOf(one).map(({ words }) => words.map(({ start, end }) => text.slice(start, end))), [["one", "two"], ["three", "four"]]);
});

test("letters of a word without spaces share its width, from the right where the line does", () => {
  const left = block("甲乙丙丁", { left: 0, top: 0, right: 40, bottom: 10, wordStarts: [0], wordEdges: [0, 40] });
  assert.deepEqual(boxesOf(left, 1, 3).map((box) => [box.left, box.right]), [[10, 30]]);
  const right = block("abcd efgh", { left: 0, top: 0, right: 90, bottom: 10, wordStarts: [0, 5], wordEdges: [50, 90, 0, 40] });
  assert.deepEqual(boxesOf(right, 0, 2).map((box) => [box.left, box.right]), [[70, 90]]);
});

test("a line that runs down the page is lit from its top, and one without words as a whole", () => {
  const down = block("ab cd", { left: 5, top: 0, right: 15, bottom: 50, isVertical: true, wordStarts: [0, 3], wordEdges: [0, 20, 25, 50] });
  assert.deepEqual(boxesOf(down, 3, 5), [{ page: 0, left: 5, top: 25, right: 15, bottom: 50 }]);
  const plain = block("ab cd", { left: 5, top: 1, right: 15, bottom: 50 });
  assert.deepEqual(boxesOf(plain, 3, 5), [{ page: 0, left: 5, top: 1, right: 15, bottom: 50 }]);
});

test("each document is found as it was left, and a new one begins like the last", () => {
  const kept = new Map();
  const storage = { getItem: (/** @type {string} */ key) => kept.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value) };
  assert.deepEqual(readPageSettings(storage, "a"), { view: "pages", zoom: "width", flow: "scroll" });
  keepPageSettings(storage, "a", { view: "text", zoom: 1.5, flow: "single" });
  assert.deepEqual(readPageSettings(storage, "a"), { view: "text", zoom: 1.5, flow: "single" });
  assert.deepEqual(readPageSettings(storage, "b"), { view: "pages", zoom: 1.5, flow: "single" });
  for (let number = 0; number < 300; number += 1) keepPageSettings(storage, `d${number}`, { view: "pages", zoom: "page", flow: "double" });
  assert.deepEqual(readPageSettings(storage, "a").view, "pages");
  kept.set("lectern.pages", "{spoilt");
  assert.equal(readPageSettings(storage, "a").view, "pages");
  assert.equal(readPageSettings(null, "a").flow, "scroll");
});

test("the squares of a page cover the part that is looked at, no more than that, its middle first", () => {
  const part = { left: 0.4, right: 0.7, top: 0.5, bottom: 0.6 };
  const { width, tiles } = tilesOf({ size: A4, pixels: 9600, part });
  assert.equal(width, 11_200);
  const [left, right] = [Math.min(...tiles.map((tile) => tile.left)), Math.max(...tiles.map((tile) => tile.left + tile.width))];
  const [top, bottom] = [Math.min(...tiles.map((tile) => tile.top)), Math.max(...tiles.map((tile) => tile.top + tile.height))];
  assert.ok(left <= part.left && right >= part.right && top <= part.top && bottom >= part.bottom);
  assert.ok(part.left - left < 1024 / 11_200 && right - part.right < 1024 / 11_200);
  assert.ok(part.top - top < 1024 / 14_933 && bottom - part.bottom < 1024 / 14_933);
  assert.equal(new Set(tiles.map(({ column, row }) => `${column}-${row}`)).size, tiles.length);
  assert.deepEqual([tiles[0]?.column, tiles[0]?.row], [5, 7]);
});

test("squares at the edges are as small as what is left of the page", () => {
  const { width, tiles } = tilesOf({ size: A4, pixels: 4100, part: { left: 0, right: 1, top: 0, bottom: 1 } });
  assert.equal(width, 5600);
  assert.equal(tiles.length, 6 * 8);
  const last = tiles.find(({ column, row }) => column === 5 && row === 7);
  assert.ok(last && Math.abs(last.left + last.width - 1) < 1e-9 && Math.abs(last.top + last.height - 1) < 1e-9);
  assert.equal(tilesOf({ size: A4, pixels: 90_000, part: { left: 0, right: 0.01, top: 0, bottom: 0.01 } }).width, 32_000);
});
