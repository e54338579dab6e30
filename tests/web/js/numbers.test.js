// When a page warns of a list of numbers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { typeNext, warning } from "../../../src/wartable/web/js/numbers.js";

const MILLION = 1_000_000;
const MS = 0.001; // so that the calculation takes a second

test("a list with the number, closed within a tenth of the calculation, is no reason to warn", () => {
  assert.equal(warning("aa", "aa", 0, MILLION, MS), "");
  assert.equal(warning("aa", "aa", 100, MILLION, MS), "");
});

test("a list that was closed later could have been tried", () => {
  assert.match(warning("aa", "aa", 101, MILLION, MS), /closed so late/);
});

test("a number that is missing, another one, and none that was sent", () => {
  assert.match(warning("aa", null, 0, MILLION, MS), /missing/);
  assert.match(warning("aa", "bb", 0, MILLION, MS), /missing/);
  assert.match(warning(null, "bb", 0, MILLION, MS), /no number from this device/);
});

test("only hexadecimal digits of 16 to 64 bytes can be typed", () => {
  for (const [text, taken] of [["00".repeat(16), true], ["AB ".repeat(64), true], ["00".repeat(15), false], ["00".repeat(65), false], ["0".repeat(33), false], ["birthday", false]]) {
    assert.equal(typeNext(text), taken, text);
  }
});
