// The visitor's own seeds: made in this browser, kept on this device until the shoe is checked.

import { hex } from "./sha256.js";

/** @typedef {{seed: string, committed: boolean}} Kept `committed` once the shuffle has its seal */

const WHERE = "wartable-seeds";
const KEPT_MAX = 200;
const SEED_BYTES = 32;
const FORM = /^([0-9a-f]{2}){16,64}$/;

/** For a browser without storage: it lasts as long as the page. */
/** @type {Record<string, Kept>} */
let here = {};

/** @returns {Record<string, Kept>} */
function all() {
  try {
    return { ...JSON.parse(localStorage.getItem(WHERE) ?? "{}"), ...here };
  } catch {
    return here;
  }
}

/**
 * @param {string} table
 * @param {number} number
 * @param {string} player
 */
function keyOf(table, number, player) {
  return JSON.stringify([table, number, player]);
}

/**
 * The player's seed for a shoe, or null if this device has none.
 * @param {string} table
 * @param {number} number
 * @param {string} player
 * @returns {Kept | null}
 */
export function keptSeed(table, number, player) {
  return all()[keyOf(table, number, player)] ?? null;
}

/**
 * Keep a seed for a shoe; the oldest ones are forgotten.
 * @param {string} table
 * @param {number} number
 * @param {string} player
 * @param {Kept} kept
 */
export function keepSeed(table, number, player, kept) {
  const key = keyOf(table, number, player);
  const others = Object.entries(all()).filter(([each]) => each !== key);
  here = Object.fromEntries([...others, /** @type {[string, Kept]} */ ([key, kept])].slice(-KEPT_MAX));
  try {
    localStorage.setItem(WHERE, JSON.stringify(here));
  } catch {
    // The page still has it.
  }
}

/** A seed that nobody can guess. */
export function randomSeed() {
  return hex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
}

/**
 * A seed as it was typed, or null if it is not a seed.
 * @param {string} text
 * @returns {string | null}
 */
export function typedSeed(text) {
  const digits = text.replaceAll(/\s/g, "").toLowerCase();
  return FORM.test(digits) ? digits : null;
}
