// Labels in their places, in a font whose letters are all as wide.

import assert from "node:assert/strict";
import { test } from "node:test";

import { READABLE_PX, fitted } from "../../../src/wartable/web/js/fit.js";

const WIDTH = 0.6;
const measure = (/** @type {string} */ line) => WIDTH * line.length;
const seen = (/** @type {import("../../../src/wartable/web/js/fit.js").Print} */ { lines, size }) => ({
  lines: lines.map((line) => (line.hyphen ? `${line.text}-` : line.text)),
  size,
});
const inRectangle = (/** @type {string} */ text, /** @type {number} */ width, height = 40) =>
  seen(fitted(text, { width, height, round: false }, 12, measure));

test("a label that has room is printed as it is", () => {
  assert.deepEqual(inRectangle("Tie", 40), { lines: ["Tie"], size: 12 });
  assert.deepEqual(inRectangle("Bonus Spin", 90), { lines: ["Bonus Spin"], size: 12 });
});

test("a label breaks between its words before it gets smaller", () => {
  assert.deepEqual(inRectangle("Bonus Spin", 40), { lines: ["Bonus", "Spin"], size: 12 });
});

test("a long word gets smaller as long as it can be read, then it breaks between syllables", () => {
  const smaller = inRectangle("Progressive", 66);
  assert.deepEqual(smaller.lines, ["Progressive"]);
  assert.ok(Math.abs(smaller.size - 10) < 1e-9);
  assert.deepEqual(inRectangle("Progressive", 58), { lines: ["Pro-", "gressive"], size: 12 });
  assert.deepEqual(inRectangle("Progressive", 36), { lines: ["Pro-", "gres-", "sive"], size: 12 });
});

test("a hyphen of the word's own is enough", () => {
  assert.deepEqual(inRectangle("Two-handed", 36).lines, ["Two-", "handed"]);
});

test("every line lies within its place", () => {
  for (const text of ["Progressive", "Bonus Spin", "Casino War", "Initial", "Player/dealer", "Opening Bonus"]) {
    for (let width = 34; width < 100; width += 1) {
      for (const round of [false, true]) {
        const place = { width, height: width, round };
        const { lines, size } = seen(fitted(text, place, 12, measure));
        if (size === READABLE_PX) continue;
        const [wide, high] = [Math.max(...lines.map(measure)) * size, 1.1 * size * lines.length];
        assert.ok(round ? Math.hypot(wide, high) < width + 0.001 : wide < width + 0.001 && high < width + 0.001, `${text} ${width}`);
        assert.equal(lines.join(" ").replaceAll("- ", ""), text);
      }
    }
  }
});

test("no print is too small to be read", () => {
  assert.equal(inRectangle("Incomprehensibilities", 20, 10).size, READABLE_PX);
});
