// Chips: one chip to take, and a stack that stands for an amount.

import { draw, make, replace, set } from "../dom.js";
import { money } from "../money.js";

/** @typedef {{cents: number, color: string, edge: string, ink: string, text: string}} Chip */

/** @type {readonly Chip[]} */
export const CHIPS = [
  { cents: 100_000, color: "#e8b92f", edge: "#fff6d6", ink: "#2b2104", text: "1K" },
  { cents: 50_000, color: "#6d3a9c", edge: "#f3e7ff", ink: "#ffffff", text: "500" },
  { cents: 10_000, color: "#23252b", edge: "#f1f1f1", ink: "#ffffff", text: "100" },
  { cents: 2_500, color: "#1d7a46", edge: "#f2f7ef", ink: "#ffffff", text: "25" },
  { cents: 500, color: "#b8232f", edge: "#fbeeee", ink: "#ffffff", text: "5" },
  { cents: 100, color: "#f2efe6", edge: "#3a69a8", ink: "#1d2a3d", text: "1" },
];

/** A chip for amounts below a dollar. */
/** @type {Chip} */
const SMALL = { cents: 1, color: "#9aa3ab", edge: "#f0f2f4", ink: "#14181c", text: "¢" };

const SHOWN_MAX = 4;
const EDGES = 8;

/**
 * A chip seen from above.
 * @param {Chip} chip
 * @param {boolean} [printed]
 */
function disc(chip, printed = true) {
  const spots = [];
  for (let place = 0; place < EDGES; place += 1) {
    spots.push(draw("rect", { x: 17.2, y: 0.6, width: 5.6, height: 6.2, rx: 0.8, fill: chip.edge, transform: `rotate(${(360 / EDGES) * place} 20 20)` }));
  }
  return draw(
    "g",
    {},
    draw("circle", { cx: 20, cy: 20, r: 19.5, fill: chip.color, stroke: "rgb(0 0 0 / 45%)", "stroke-width": 0.8 }),
    ...spots,
    draw("circle", { cx: 20, cy: 20, r: 12.8, fill: chip.color, stroke: chip.edge, "stroke-width": 1.1, "stroke-dasharray": "2.2 1.6" }),
    printed ? draw("text", { x: 20, y: chip.text.length > 2 ? 24 : 25, fill: chip.ink, class: chip.text.length > 2 ? "value long" : "value" }, chip.text) : null,
  );
}

/**
 * A single chip.
 * @param {Chip} chip
 * @returns {SVGSVGElement}
 */
export function chipPicture(chip) {
  return draw("svg", { viewBox: "0 0 40 40", class: "chip-picture", "aria-hidden": "true" }, disc(chip));
}

/**
 * The chips of an amount, the largest first.
 * @param {number} cents
 * @returns {Chip[]}
 */
export function chipsOf(cents) {
  const chips = [];
  let left = cents;
  for (const chip of CHIPS) {
    while (left >= chip.cents && chips.length < SHOWN_MAX) {
      chips.push(chip);
      left -= chip.cents;
    }
  }
  if (left > 0 && chips.length < SHOWN_MAX) chips.push(SMALL);
  return chips;
}

/**
 * The chips of an amount on top of each other.
 * @param {number} cents
 */
function pile(cents) {
  const chips = chipsOf(cents);
  const rise = 3.2;
  const height = 40 + rise * (chips.length - 1);
  const discs = chips.map((chip, place) => {
    const y = height - 40 - rise * place;
    return draw("g", { transform: `translate(0 ${y})` }, draw("circle", { cx: 20, cy: 22.5, r: 19.5, fill: "rgb(0 0 0 / 35%)" }), disc(chip, false));
  });
  return draw("svg", { viewBox: `0 0 40 ${height + 3}`, class: "pile", "aria-hidden": "true" }, ...discs);
}

/** `<wt-stack>`: chips with their amount in figures. */
export class Stack extends HTMLElement {
  /**
   * Show an amount.
   * @param {number} cents
   */
  show(cents) {
    if (this.dataset.amount === String(cents)) return;
    set(this, { "data-amount": cents });
    const top = chipsOf(cents).at(-1);
    const value = make("span", { class: "value", "data-text": top?.text ?? null });
    if (top !== undefined) value.style.setProperty("--ink", top.ink);
    // The figures are drawn from attributes: the spot's label has them for screen readers.
    replace(this, pile(cents), value, make("span", { class: "figure", "data-text": money(cents) }));
  }
}

customElements.define("wt-stack", Stack);

/**
 * A new stack.
 * @param {number} cents
 * @returns {Stack}
 */
export function newStack(cents) {
  const made = /** @type {Stack} */ (document.createElement("wt-stack"));
  made.show(cents);
  return made;
}
