// Cards in words: "9s" is the nine of spades, "??" is a hidden card.

export const HIDDEN = "??";

/** @type {Record<string, string>} */
const RANKS = {
  2: "two",
  3: "three",
  4: "four",
  5: "five",
  6: "six",
  7: "seven",
  8: "eight",
  9: "nine",
  T: "ten",
  J: "jack",
  Q: "queen",
  K: "king",
  A: "ace",
};

/** @type {Record<string, string>} */
const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };

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
  const word = RANKS[card.slice(0, 1)];
  return word === undefined || suit(card) === "" ? "a hidden card" : `${word} of ${suit(card)}`;
}
