// What the lab shows of its figures: the seat, its hold, and every wager's outcomes.

import { make } from "../dom.js";
import { money, percent } from "../money.js";
import { distribution } from "../pages/chart.js";
import { plain, table } from "../pages/pieces.js";

/** @typedef {import("../types.js").LabForm} LabForm */
/** @typedef {{exact: string, value: number}} Exact */

const CHOICES = /** @type {Record<string, string>} */ ({ war: "always war", surrender: "always surrender" });

/**
 * A figure with its exact fraction as a title and for tests.
 * @param {Exact} figure
 * @param {number} digits
 */
function share(figure, digits) {
  return make("span", { title: figure.exact, "data-exact": figure.exact }, percent(figure.value, digits));
}

/**
 * @param {string} key
 * @param {string} label
 * @param {import("../dom.js").Child} value
 */
function tile(key, label, value) {
  return make("div", { class: "figure panel", "data-figure": key }, make("span", { class: "small soft" }, label), make("strong", { class: "number" }, value));
}

/** @param {LabForm} form */
export function edgeName(form) {
  return form.edge_holder === "bank" ? "The bank's edge" : "House edge";
}

/**
 * The seat as a whole.
 * @param {any} seat
 * @param {LabForm} form
 */
export function seatShown(seat, form) {
  const rounds = Object.keys(seat.hold);
  const levels = Object.keys(seat.hold[rounds[0] ?? ""] ?? {});
  const rows = rounds.map((count) => [
    Number(count).toLocaleString("en"),
    ...levels.map((level) => {
      const [low, high] = seat.hold[count][level];
      return `${percent(low)} to ${percent(high)}`;
    }),
  ]);
  return [
    make(
      "div",
      { class: "figures", "data-seat": true },
      tile("edge", `${edgeName(form)}, of ${money(seat.unit)}`, share(seat.edge, 4)),
      tile("element_of_risk", "Element of risk, of all money bet", share(seat.element_of_risk, 4)),
      tile("return", "Return, of all money bet", share(seat.return, 4)),
      tile("sd", "Standard deviation of a round", make("span", { "data-value": seat.sd }, money(Math.round(seat.sd * seat.unit)))),
      tile("hit_frequency", "Rounds that win", share(seat.hit_frequency, 2)),
      tile("ev", "Cost of a round", make("span", { title: seat.ev.exact, "data-exact": seat.ev.exact }, money(Math.round(-seat.ev.value * seat.unit)))),
    ),
    distribution("Result of a round", seat.pmf),
    make("details", {}, make("summary", {}, "Expected hold over many rounds"), table(`What the ${form.edge_holder} keeps, per ${money(seat.unit)}`, ["Rounds", ...levels.map((level) => `${level} of results`)], rows, levels.map((_, i) => i + 1))),
  ];
}

/**
 * One table for each wager: outcome, combinations, chance, return.
 * @param {any} odds
 * @param {LabForm} form
 */
export function wagersShown(odds, form) {
  return Object.entries(odds.wagers).flatMap(([wager, found]) => {
    const label = form.wagers.find((each) => each.shown.kind === wager)?.shown.label ?? plain(wager);
    const each = /** @type {any} */ (found);
    if (each.impossible) return [make("section", { class: "panel" }, make("h3", {}, label), make("p", {}, each.impossible))];
    if (each.edge) return [wagerShown(wager, "", label, each, form)];
    return ["war", "surrender"].map((choice) => wagerShown(wager, choice, label, each[choice], form));
  });
}

/**
 * @param {string} wager
 * @param {string} choice
 * @param {string} label
 * @param {any} found
 * @param {LabForm} form
 */
function wagerShown(wager, choice, label, found, form) {
  const title = `${label}${choice ? `, ${CHOICES[choice]}` : ""}`;
  const rows = Object.entries(found.outcomes).map(([outcome, chance]) => {
    const figure = /** @type {Exact} */ (chance);
    const part = found.contributions[outcome];
    const count = found.combinations[outcome];
    return [
      plain(outcome), // the book's words say what it pays, which an option may change
      units(part.value / figure.value),
      count === null ? "by the wheel" : count.toLocaleString("en"),
      share(figure, 6),
      share(part, 4),
    ];
  });
  rows.push(["All", "", "", "100.000000 %", share(found.ev, 4)]);
  return make(
    "section",
    { class: "panel", "data-wager": wager, "data-way": choice },
    make("h3", {}, title),
    make(
      "p",
      {},
      `${edgeName(form)} `,
      make("strong", { "data-figure": "edge" }, share(found.edge, 4)),
      ", deviation ",
      make("strong", { "data-figure": "sd", "data-value": found.sd }, found.sd.toFixed(4)),
      ", element of risk ",
      make("strong", { "data-figure": "element_of_risk" }, share(found.element_of_risk, 4)),
      ".",
    ),
    table(`${title}: every outcome, per unit of the wager`, ["Outcome", "Net", "Combinations", "Chance", "Return"], rows, [1, 2, 3, 4]),
  );
}

/**
 * A net result in units: "+1", "−0.5".
 * @param {number} net
 */
function units(net) {
  const text = String(Math.round(Math.abs(net) * 10_000) / 10_000);
  return net < 0 ? `−${text}` : net > 0 ? `+${text}` : "0";
}
