// Cards in words: "9s" is the nine of spades, "??" is a hidden card.

import { t } from "./texts.js";

export const HIDDEN = "??";

/** @type {Record<string, string>} */
const SUITS = { c: t("suit.c"), d: t("suit.d"), h: t("suit.h"), s: t("suit.s") };
const RANKS = "23456789TJQKA";

/** @type {Record<string, string>} */
const SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };

/**
 * The rank as it is printed on the card: "9", "10", "A"; nothing on the back.
 * @param {string} card
 * @returns {string}
 */
export function rank(card) {
  const letter = card === HIDDEN ? "" : card.slice(0, 1);
  return letter === "T" ? "10" : letter;
}

/**
 * The suit's name, "spades"; nothing on the back.
 * @param {string} card
 * @returns {string}
 */
export function suit(card) {
  return SUITS[card.slice(1)] ?? "";
}

/**
 * The suit's sign, "♠"; nothing on the back.
 * @param {string} card
 * @returns {string}
 */
export function sign(card) {
  return SIGNS[card.slice(1)] ?? "";
}

/**
 * Whether the card is printed in red.
 * @param {string} card
 * @returns {boolean}
 */
export function red(card) {
  return card.endsWith("d") || card.endsWith("h");
}

/**
 * The card in words, for screen readers: "nine of spades".
 * @param {string} card
 * @returns {string}
 */
export function name(card) {
  const letter = card.slice(0, 1);
  if (!RANKS.includes(letter) || suit(card) === "") return t("card.hidden");
  return t("card.name", { rank: t(/** @type {import("./texts.js").TextKey} */ (`rank.${letter}`)), suit: suit(card) });
}
