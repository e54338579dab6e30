// A playing card: a face with pips and large corner ranks, or a back in the batch's colour.

import { HIDDEN, name, rank, red } from "../cards.js";
import { draw, make, replace, set } from "../dom.js";
import { t } from "../texts.js";

/** Suits as paths on a square of 20. */
/** @type {Record<string, string>} */
export const SUITS = {
  s: "M10 1c3.2 4 8 6.4 8 10.8 0 2.6-1.9 4.2-4 4.2-1.3 0-2.4-.6-3-1.5.1 1.8.7 3.3 2 4.5H7c1.3-1.2 1.9-2.7 2-4.5-.6.9-1.7 1.5-3 1.5-2.1 0-4-1.6-4-4.2C2 7.4 6.8 5 10 1z",
  h: "M10 18.6C5.2 14.8 1.4 11.6 1.4 7.2 1.4 4.3 3.5 2.2 6 2.2c1.7 0 3.2 1 4 2.7.8-1.7 2.3-2.7 4-2.7 2.5 0 4.6 2.1 4.6 5 0 4.4-3.8 7.6-8.6 11.4z",
  d: "M10 1c2.1 3.3 4.4 6.2 7 9-2.6 2.8-4.9 5.7-7 9-2.1-3.3-4.4-6.2-7-9 2.6-2.8 4.9-5.7 7-9z",
  c: "M10 1.2a4.1 4.1 0 0 1 3.3 6.5 4.2 4.2 0 1 1-.6 8.3c-.7-.2-1.3-.6-1.7-1.2.2 1.6.8 3 2 4.2H7c1.2-1.2 1.8-2.6 2-4.2a4.2 4.2 0 1 1-2.3-7.1A4.1 4.1 0 0 1 10 1.2z",
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
 * One half of a court card, on the upper half of a frame from 19 to 51 and from 13 to 49: what each
 * figure wears on the head, its hair, and what it holds.
 * @type {Record<string, readonly (readonly [string, string])[]>}
 */
const FIGURES = {
  K: [
    ["gold", "M27 23.5 26 15.5l4.2 3.2L35 14l4.8 4.7 4.2-3.2-1 8z"],
    ["hair", "M27.4 24h15.2c1.6 5 1.2 10-1.4 13.4L35 41l-6.2-3.6c-2.6-3.4-3-8.4-1.4-13.4z"],
    ["skin", "M30 24.5h10v6.5c0 3-2.2 5-5 5s-5-2-5-5z"],
    ["hair", "M30.2 31.2h9.6c.2 4.6-1.6 7.8-4.8 7.8s-5-3.2-4.8-7.8z"],
    ["skin", "M33 32.2h4v1.2h-4z"],
    ["gold", "M46.3 18h1.9v27h-1.9zM43.7 22.5h7v1.8h-7z"],
  ],
  Q: [
    ["hair", "M26.5 27c0-6.5 3.8-9 8.5-9s8.5 2.5 8.5 9v9.5c0 2-3 3-4.5 1.5h-8c-1.5 1.5-4.5.5-4.5-1.5z"],
    ["gold", "M27.6 22 27 16.8l3.8 2.4 4.2-4 4.2 4 3.8-2.4-.6 5.2c-4.6-1.6-10.2-1.6-14.8 0z"],
    ["skin", "M30 25.5c1.5-1.4 8.5-1.4 10 0v5c0 3.2-2.2 5.7-5 5.7s-5-2.5-5-5.7z"],
    ["lips", "M33.5 33.2h3c-.5 1.3-2.5 1.3-3 0z"],
    ["rose", "M47.5 27.5a2.7 2.7 0 1 1 .1 0z"],
    ["gold", "M46.9 27.4h1.3v17h-1.3z"],
  ],
  J: [
    ["cap", "M26 22.5c.5-5 4.5-7.5 9-7.5s8.5 2.5 9 7.5l-9 1.7z"],
    ["gold", "M43.5 22.2c3.5-1.7 4.5-4.7 4.2-8-2.7 1.5-4.5 4.5-4.2 8z"],
    ["hair", "M27.5 23.5h15v10.5c0 2.5-2.5 3-3.5 1.5h-8c-1 1.5-3.5 1-3.5-1.5z"],
    ["skin", "M30 24h10v6.8c0 3.2-2.2 5.4-5 5.4s-5-2.2-5-5.4z"],
  ],
};

/** Eyes and nose, and the robe below the face. */
const EYES = "M32 28.6h1.7v1.3H32zM36.3 28.6H38v1.3h-1.7zM34.7 29.5h.7v2.2h-.7z";
const ROBE = "M20 49c1-7 5-11.5 10.5-12.8L35 40.5l4.5-4.3C45 37.5 49 42 50 49z";
const COLLAR = "M30.5 36.2 35 40.5l4.5-4.3 2 2.3-6.5 7.5-6.5-7.5z";

/**
 * Half of a court card's picture.
 * @param {string} letter
 * @param {string} suit
 */
function figure(letter, suit) {
  const worn = (FIGURES[letter] ?? []).map(([paint, d]) => draw("path", { d, class: paint }));
  return [draw("path", { d: ROBE, class: "robe" }), ...worn, draw("path", { d: COLLAR, class: "gold" }), draw("path", { d: EYES, class: "eyes" }), pip(suit, 23.3, 18.3, 6.6)];
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
    draw("g", { class: "figure" }, ...figure(letter, suit)),
    draw("g", { class: "figure", transform: "rotate(180 35 49)" }, ...figure(letter, suit)),
    draw("path", { d: "M19 49 51 49", class: "frame" }),
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
  return card === HIDDEN ? t(back ? "card.down_back" : "card.down", { back }) : name(card);
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
