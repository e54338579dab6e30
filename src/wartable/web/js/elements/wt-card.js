// A playing card: a face with pips and large corner ranks, or a back in the batch's colour.

import { HIDDEN, name, rank, red } from "../cards.js";
import { draw, make, replace, set } from "../dom.js";

/** Suits as paths on a square of 20. */
/** @type {Record<string, string>} */
export const SUITS = {
  s: "M10 1c3.2 4 8 6.4 8 10.8 0 2.6-1.9 4.2-4 4.2-1.3 0-2.4-.6-3-1.5.1 1.8.7 3.3 2 4.5H7c1.3-1.2 1.9-2.7 2-4.5-.6.9-1.7 1.5-3 1.5-2.1 0-4-1.6-4-4.2C2 7.4 6.8 5 10 1z",
  h: "M10 18.6C5.2 14.8 1.4 11.6 1.4 7.2 1.4 4.3 3.5 2.2 6 2.2c1.7 0 3.2 1 4 2.7.8-1.7 2.3-2.7 4-2.7 2.5 0 4.6 2.1 4.6 5 0 4.4-3.8 7.6-8.6 11.4z",
  d: "M10 1c2.1 3.3 4.4 6.2 7 9-2.6 2.8-4.9 5.7-7 9-2.1-3.3-4.4-6.2-7-9 2.6-2.8 4.9-5.7 7-9z",
  c: "M10 1.2a4.1 4.1 0 0 1 3.3 6.5 4.2 4.2 0 1 1-.6 8.3c-.700-.2-1.3-.6-1.7-1.2.2 1.6.8 3 2 4.2H7c1.2-1.2 1.8-2.6 2-4.2a4.2 4.2 0 1 1-2.3-7.1A4.1 4.1 0 0 1 10 1.2z",
};

const LEFT = 21.5;
const MIDDLE = 35;
const RIGHT = 48.5;

/** Where the pips of each rank stand on a card of 70 by 98. */
/** @type {Record<string, readonly (readonly [number, number])[]>} */
const PIPS = {
  2: [[MIDDLE, 22], [MIDDLE, 76]],
  3: [[MIDDLE, 22], [MIDDLE, 49], [MIDDLE, 76]],
  4: [[LEFT, 22], [RIGHT, 22], [LEFT, 76], [RIGHT, 76]],
  5: [[LEFT, 22], [RIGHT, 22], [MIDDLE, 49], [LEFT, 76], [RIGHT, 76]],
  6: [[LEFT, 22], [RIGHT, 22], [LEFT, 49], [RIGHT, 49], [LEFT, 76], [RIGHT, 76]],
  7: [[LEFT, 22], [RIGHT, 22], [MIDDLE, 35], [LEFT, 49], [RIGHT, 49], [LEFT, 76], [RIGHT, 76]],
  8: [[LEFT, 22], [RIGHT, 22], [MIDDLE, 35], [LEFT, 49], [RIGHT, 49], [MIDDLE, 63], [LEFT, 76], [RIGHT, 76]],
  9: [[LEFT, 20], [RIGHT, 20], [LEFT, 39], [RIGHT, 39], [MIDDLE, 49], [LEFT, 59], [RIGHT, 59], [LEFT, 78], [RIGHT, 78]],
  T: [[LEFT, 20], [RIGHT, 20], [MIDDLE, 29.5], [LEFT, 39], [RIGHT, 39], [LEFT, 59], [RIGHT, 59], [MIDDLE, 68.5], [LEFT, 78], [RIGHT, 78]],
};

/**
 * One suit sign.
 * @param {string} suit
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {boolean} [turned]
 */
function pip(suit, x, y, size, turned = false) {
  const turn = turned ? ` rotate(180 ${x} ${y})` : "";
  const place = `translate(${x - size / 2} ${y - size / 2}) scale(${size / 20})`;
  return draw("g", { transform: turn.trim() || null }, draw("path", { d: SUITS[suit] ?? "", transform: place }));
}

/**
 * Rank and suit of a corner.
 * @param {string} card
 * @param {boolean} turned
 */
function corner(card, turned) {
  const text = rank(card);
  return draw(
    "g",
    { transform: turned ? "rotate(180 35 49)" : null },
    draw("text", { x: 10.5, y: 20, class: text.length > 1 ? "rank ten" : "rank" }, text),
    pip(card.slice(1), 10.5, 28.5, 11),
  );
}

/**
 * A court card's or an ace's middle.
 * @param {string} letter
 * @param {string} suit
 */
function court(letter, suit) {
  if (letter === "A") return [pip(suit, 35, 49, 34)];
  return [
    draw("rect", { x: 19, y: 13, width: 32, height: 72, rx: 3, class: "frame" }),
    draw("path", { d: "M19 49 51 49", class: "frame" }),
    draw("text", { x: 35, y: 45, class: "court" }, letter),
    draw("g", { transform: "rotate(180 35 49)" }, draw("text", { x: 35, y: 45, class: "court" }, letter)),
    pip(suit, 26, 20.5, 9),
    pip(suit, 44, 77.5, 9, true),
  ];
}

/**
 * The face of a card.
 * @param {string} card
 * @returns {SVGSVGElement}
 */
function face(card) {
  const [letter = "", suit = ""] = card;
  const pips = PIPS[letter];
  const middle =
    pips === undefined ? court(letter, suit) : pips.map(([x, y]) => pip(suit, x, y, 15, y > 49));
  return draw(
    "svg",
    { viewBox: "0 0 70 98", class: "face", "aria-hidden": "true" },
    ...middle,
    corner(card, false),
    corner(card, true),
  );
}

/** @type {Map<string, SVGSVGElement>} */
const faces = new Map();

/**
 * A copy of a card's face; each is drawn once.
 * @param {string} card
 */
function faceOf(card) {
  let made = faces.get(card);
  if (made === undefined) {
    made = face(card);
    faces.set(card, made);
  }
  return /** @type {SVGSVGElement} */ (made.cloneNode(true));
}

/** `<wt-card>`: `data-card` is the card, `data-back` the colour of its back. */
export class PlayingCard extends HTMLElement {
  /**
   * Show a card.
   * @param {string} card
   * @param {string} [back]
   */
  show(card, back = "") {
    if (this.dataset.card === card && this.dataset.back === (back || "red")) return;
    set(this, { "data-card": card, "data-back": back || "red", role: "img", "aria-label": label(card, back) });
    this.classList.toggle("red", red(card));
    this.classList.toggle("down", card === HIDDEN);
    const down = make("span", { class: "back" });
    replace(this, make("span", { class: "sides" }, card === HIDDEN ? null : faceOf(card), down));
  }
}

/**
 * @param {string} card
 * @param {string} back
 */
function label(card, back) {
  return card === HIDDEN ? `a card face down${back ? `, ${back} back` : ""}` : name(card);
}

customElements.define("wt-card", PlayingCard);

/**
 * A new card.
 * @param {string} card
 * @param {string} [back]
 * @returns {PlayingCard}
 */
export function newCard(card, back = "") {
  const made = /** @type {PlayingCard} */ (document.createElement("wt-card"));
  made.show(card, back);
  return made;
}
