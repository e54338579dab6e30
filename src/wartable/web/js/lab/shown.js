// What the lab shows of its figures: the seat, its hold, and every wager's outcomes.

import { make } from "../dom.js";
import { figure, money, number, percent } from "../money.js";
import { t } from "../page-texts.js";
import { distribution } from "../pages/chart.js";
import { plain, table } from "../pages/pieces.js";
import { outcomeName } from "../words.js";

/** @typedef {import("../types.js").LabForm} LabForm */
/** @typedef {{exact: string, value: number}} Exact */

const CHOICES = /** @type {Record<string, string>} */ ({ war: t("odds.war"), surrender: t("odds.surrender") });

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
  return t(form.edge_holder === "bank" ? "odds.bank_edge" : "odds.house_edge");
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
    number(Number(count)),
    ...levels.map((level) => {
      const [low, high] = seat.hold[count][level];
      return t("word.range", { min: percent(low), max: percent(high) });
    }),
  ]);
  return [
    make(
      "div",
      { class: "figures", "data-seat": true },
      tile("edge", t("lab.edge_of", { edge: edgeName(form), amount: money(seat.unit) }), share(seat.edge, 4)),
      tile("element_of_risk", t("lab.risk_of"), share(seat.element_of_risk, 4)),
      tile("return", t("lab.return_of"), share(seat.return, 4)),
      tile("sd", t("lab.deviation"), make("span", { "data-value": seat.sd }, money(Math.round(seat.sd * seat.unit)))),
      tile("hit_frequency", t("lab.hits"), share(seat.hit_frequency, 2)),
      tile("ev", t("lab.cost"), make("span", { title: seat.ev.exact, "data-exact": seat.ev.exact }, money(Math.round(-seat.ev.value * seat.unit)))),
    ),
    distribution(t("lab.result"), seat.pmf),
    make("details", {}, make("summary", {}, t("lab.hold")), table(t(form.edge_holder === "bank" ? "lab.bank_keeps" : "lab.house_keeps", { amount: money(seat.unit) }), [t("leave.rounds"), ...levels.map((level) => t("lab.of_results", { share: level }))], rows, levels.map((_, i) => i + 1))),
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
    if (each.impossible) return [make("section", { class: "panel" }, make("h3", {}, label), make("p", { lang: "en" }, each.impossible))];
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
      outcomeName(wager, outcome), // the book's words say what it pays, which an option may change
      units(part.value / figure.value),
      count === null ? t("lab.by_wheel") : number(count),
      share(figure, 6),
      share(part, 4),
    ];
  });
  rows.push([t("lab.all"), "", "", percent(1, 6), share(found.ev, 4)]);
  return make(
    "section",
    { class: "panel", "data-wager": wager, "data-way": choice },
    make("h3", {}, title),
    make(
      "p",
      {},
      `${edgeName(form)} `,
      make("strong", { "data-figure": "edge" }, share(found.edge, 4)),
      `, ${t("lab.deviation_word")} `,
      make("strong", { "data-figure": "sd", "data-value": found.sd }, number(found.sd, 4)),
      `, ${t("lab.risk_word")} `,
      make("strong", { "data-figure": "element_of_risk" }, share(found.element_of_risk, 4)),
      ".",
    ),
    table(t("lab.outcomes", { title }), [t("history.outcome"), t("receipt.net"), t("lab.combinations"), t("odds.chance"), t("odds.return")], rows, [1, 2, 3, 4]),
  );
}

/**
 * A net result in units: "+1", "−0.5".
 * @param {number} net
 */
function units(net) {
  const text = figure(Math.abs(net), 4);
  return net < 0 ? `−${text}` : net > 0 ? `+${text}` : "0";
}
