// The seeds that the visitor sealed for shoes of the older kind, as this device kept them.

import { Kept } from "./kept.js";

/** @typedef {{seed: string, committed: boolean}} StoredSeed `committed` once the shuffle has its seal */

/** @type {Kept<StoredSeed>} */
const seeds = new Kept("wartable-seeds", 200);

/**
 * The player's seed for a shoe, or null if this device has none.
 * @param {string} table
 * @param {number} number
 * @param {string} player
 * @returns {StoredSeed | null}
 */
export function keptSeed(table, number, player) {
  return seeds.get(table, number, player);
}
