// The exact odds of a book: each wager's edge and distribution, PAR figures, and what changes them.

import { make } from "../dom.js";
import { money, number, percent } from "../money.js";
import { distribution } from "./chart.js";
import { facts, optionName, optionValue, plain, table } from "./pieces.js";
import { said, t } from "../page-texts.js";
import { outcomeName } from "../words.js";

/** @typedef {{exact: string, value: number}} Figure */

/**
 * The odds of one wager for one way to play.
 * @typedef {object} WagerOdds
 * @property {Figure} edge
 * @property {Figure} return
 * @property {Figure} ev
 * @property {number} sd
 * @property {Figure} hit_frequency
 * @property {Figure} element_of_risk
 * @property {Readonly<Record<string, Figure>>} pmf
 */

/** @type {Record<string, string>} */
const WAYS = { war: t("odds.war"), surrender: t("odds.surrender"), best: t("odds.best"), "": "" };

/**
 * Each wager, with each way to play it that has its own odds.
 * @param {any} odds
 * @returns {[string, string, WagerOdds][]}
 */
function ways(odds) {
  /** @type {[string, string, WagerOdds][]} */
  const found = [];
  for (const [wager, shown] of Object.entries(odds.wagers)) {
    const inner = /** @type {any} */ (shown);
    if (inner.edge !== undefined) found.push([wager, "", inner]);
    for (const way of ["war", "surrender"]) {
      if (inner[way]?.edge !== undefined) found.push([wager, way, inner[way]]);
    }
  }
  return found;
}

/**
 * A figure in percent; its title has the exact fraction.
 * @param {Figure} figure
 * @param {number} [digits]
 */
function exactly(figure, digits = 4) {
  return make("span", { title: figure.exact }, percent(figure.value, digits));
}

/**
 * Whose the edge is: where players bank, the house takes nothing.
 * @param {import("../types.js").BookPage} page
 */
function edgeName(page) {
  return t(page.rules.banker === "player" ? "odds.bank_edge" : "odds.house_edge");
}

/**
 * The section of the odds.
 * @param {any} odds
 * @param {import("../types.js").BookPage} page
 * @returns {import("../dom.js").Child[]}
 */
export function oddsShown(odds, page) {
  const label = (/** @type {string} */ wager) => page.rules.labels[wager] ?? plain(wager);
  const found = ways(odds);
  const rows = found.map(([wager, way, each]) => [
    `${label(wager)}${way ? `, ${WAYS[way]}` : ""}`,
    exactly(each.edge),
    exactly(each.return, 2),
    exactly(each.hit_frequency, 2),
    number(each.sd, 4),
    exactly(each.element_of_risk, 2),
  ]);
  const edge = edgeName(page);
  const heads = [t("receipt.wager"), edge, t("odds.return"), t("odds.hits"), t("odds.deviation"), t("odds.risk")];
  const charts = found.map(([wager, way, each]) =>
    make(
      "article",
      { class: "panel", "data-wager": wager, "data-way": way },
      make("h3", {}, label(wager)),
      way !== "" && make("p", { class: "small soft" }, WAYS[way]),
      facts([
        [edge, make("strong", { class: "number", "data-edge": each.edge.exact }, percent(each.edge.value, 4))],
        [t("odds.exact"), make("span", { class: "mono small" }, each.edge.exact)],
      ]),
      distribution(t("odds.result"), each.pmf),
    ),
  );
  return [
    make("p", {}, t("odds.words", { count: odds.decks })),
    printed(odds, page),
    table(t("odds.figures"), heads, rows, [1, 2, 3, 4, 5]),
    make("div", { class: "cards wide-cards" }, ...charts),
    ...sides(odds, page),
    decks(odds, edge),
    readings(odds),
  ];
}

/**
 * The house edges that the document prints, beside the exact ones.
 * @param {any} odds
 * @param {import("../types.js").BookPage} page
 */
function printed(odds, page) {
  const edges = Object.entries(page.printed_edges);
  if (edges.length === 0) return null;
  const ours = { primary: odds.wagers.primary?.war?.edge, tie: odds.wagers.tie?.edge };
  const rows = edges.map(([wager, text]) => {
    const own = /** @type {Record<string, Figure | undefined>} */ (ours)[wager];
    return [page.rules.labels[wager] ?? wager, text, own ? percent(own.value, 2) : ""];
  });
  return table(t("odds.printed"), [t("receipt.wager"), t("odds.as_printed"), t("odds.exact")], rows, [1, 2]);
}

/**
 * The chances of the hands that a side bet pays for.
 * @param {any} odds
 * @param {any} page
 */
function sides(odds, page) {
  return Object.entries(odds.wagers).filter(([, each]) => each.lines).map(([wager, each]) => {
    const rows = Object.entries(each.lines).map(([line, { probability: chance }]) =>
      [outcomeName(wager, line), percent(chance.value, 6), t("rules.one_in", { count: number(Math.round(1 / chance.value)) })]);
    return table(t("odds.hands", { wager: page.rules.labels[wager] ?? plain(wager) }), [t("replay.hand"), t("odds.chance"), t("odds.about")], rows, [1, 2]);
  });
}

/**
 * @param {any} odds
 * @param {string} edge
 */
function decks(odds, edge) {
  const rows = Object.entries(odds.by_decks ?? {});
  const names = Object.keys(/** @type {any} */ (rows[0]?.[1]) ?? {});
  if (rows.length < 2) return null;
  const lines = rows.map(([count, edges]) => [count, ...names.map((name) => percent(/** @type {any} */ (edges)[name].value, 3))]);
  return make("details", {}, make("summary", {}, t("odds.by_number", { edge })), table(t("odds.by_decks", { edge }), [t("odds.decks"), ...names.map((name) => said("way", name, plain(name)))], lines, names.map((_, i) => i + 1)));
}

/** @param {any} odds */
function readings(odds) {
  const rows = [];
  for (const each of odds.readings ?? []) {
    for (const [value, edge] of Object.entries(each.alternatives)) {
      const words = optionValue(value) + (value === each.value ? ` ${t("odds.in_force")}` : "");
      const figure = /** @type {Figure | null} */ (edge);
      rows.push([optionName(each.option), words, said("measure", each.option, each.measure), figure === null ? "" : percent(figure.value, 3), each.readings.join(", ")]);
    }
  }
  if (rows.length === 0) return null;
  return make("details", {}, make("summary", {}, t("odds.other_readings")), table(t("odds.options"), [t("odds.option"), t("odds.value"), t("odds.measure"), t("odds.edge"), t("rules.readings")], rows, [3]));
}

/**
 * A meter's amounts in words.
 * @param {any} meter
 * @returns {string}
 */
export function meterWords(meter) {
  return t("odds.meter", { initial: money(meter.initial), share: meter.contribution.replace(" to ", "/"), reset: money(meter.reset) });
}
