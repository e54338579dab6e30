// The visitor's numbers: made in this browser for each draw, or typed, and kept on this device to be
// found in the table's records; and whether a list of numbers was closed in time.

import { Kept } from "./kept.js";
import { hex } from "./sha256.js";
import { t } from "./texts.js";

const NUMBER_BYTES = 32;
const FORM = /^([0-9a-f]{2}){16,64}$/;
const SAMPLE = 20_000;
/** A calculation that is shorter protects nothing; only tests have one. */
const SHORT = 1_000;
/** Whoever closes a list within this part of the calculation's time cannot have tried another. */
const SHARE = 10;

/** @type {Kept<string>} */
const numbers = new Kept("wartable-numbers", 1000);
let typed = "";

/**
 * Use a number that was typed for the next draw; false if it is none.
 * @param {string} text
 * @returns {boolean}
 */
export function typeNext(text) {
  const digits = text.replaceAll(/\s/g, "").toLowerCase();
  if (!FORM.test(digits)) return false;
  typed = digits;
  return true;
}

/**
 * The number that this device sent for a draw, or null if it sent none.
 * @param {string} table
 * @param {number} shoe
 * @param {number} draw
 * @param {number} cuts
 * @returns {string | null}
 */
export function keptNumber(table, shoe, draw, cuts) {
  return numbers.get(table, shoe, draw, cuts);
}

/**
 * What became of the numbers that this device sent: for each shoe how many there are, and the first
 * draw whose record does not have its own.
 * @param {readonly import("./types.js").Shoe[]} shoes
 * @returns {{sent: number, lost: {draw: number, number: string} | null}[]}
 */
export function numbersIn(shoes) {
  const all = numbers.all();
  return shoes.map(({ terms, proof }) => {
    const found = (proof?.draws ?? []).flatMap(({ cuts, numbers: listed }, draw) => {
      const number = all[JSON.stringify([terms.table, terms.number, draw, cuts])];
      return number === undefined ? [] : [{ draw, number, there: listed.some((each) => each.number === number) }];
    });
    return { sent: found.length, lost: found.find((each) => !each.there) ?? null };
  });
}

/**
 * The number for a draw: always the same for one draw, so that the house has only one to choose. A
 * recut makes another list, which needs another number.
 * @param {string} table
 * @param {number} shoe
 * @param {number} draw
 * @param {number} cuts
 * @returns {string}
 */
export function numberFor(table, shoe, draw, cuts) {
  const kept = keptNumber(table, shoe, draw, cuts);
  if (kept !== null) return kept;
  const number = typed === "" ? hex(crypto.getRandomValues(new Uint8Array(NUMBER_BYTES))) : typed;
  typed = "";
  numbers.keep(number, table, shoe, draw, cuts);
  return number;
}

/**
 * How long one iteration of the calculation takes this browser, in milliseconds; null if it has no
 * fast way to do it.
 * @returns {Promise<number | null>}
 */
export async function iterationMs() {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) return null;
  const key = await subtle.importKey("raw", new Uint8Array(NUMBER_BYTES), "PBKDF2", false, ["deriveBits"]);
  const start = performance.now();
  await subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(NUMBER_BYTES), iterations: SAMPLE }, key, 256);
  return (performance.now() - start) / SAMPLE;
}

/**
 * Why a closed list is no protection, in words; empty if it is one.
 * @param {string | null} sent the number that this device sent
 * @param {string | null} listed the number that the list has for the visitor
 * @param {number} tookMs from sending the number until the list was closed
 * @param {number} iterations
 * @param {number} eachMs how long one iteration takes
 * @returns {string}
 */
export function warning(sent, listed, tookMs, iterations, eachMs) {
  if (sent === null) return t("number.none_shuffle");
  if (listed !== sent) return t("number.missing_shuffle");
  if (iterations < SHORT) return "";
  const late = tookMs > (iterations * eachMs) / SHARE;
  return late ? t("number.late") : "";
}
