// The return monitor: what each wager returned against theory, and whether chance explains it.

import { get } from "../api.js";
import { make, replace } from "../dom.js";
import { money, number, percent } from "../money.js";
import { bands } from "./bars.js";
import { open } from "./console.js";
import { period, query } from "./period.js";
import { filled, plain, table } from "./pieces.js";

/** @typedef {import("../types.js").ReturnLine} ReturnLine */

const KINDS = { fine: "", watch: "warn", investigate: "bad" };

/** @param {ReturnLine} line */
function stateOf(line) {
  return make("span", { class: `badge ${KINDS[line.state]}`, "data-state": line.state }, line.judged ? line.state : "too few rounds");
}

/** @param {readonly ReturnLine[]} lines */
function shown(lines) {
  if (lines.length === 0) return [make("p", { class: "soft" }, "No wager was decided in this period.")];
  const rows = lines.map((line) => [
    make("span", { "data-return": `${line.by} ${line.name} ${line.wager}` }, `${line.by} ${line.name}`),
    plain(line.wager),
    stateOf(line),
    number(line.rounds),
    money(line.staked),
    percent(line.theory),
    percent(line.actual),
    `${percent(line.low)} to ${percent(line.high)}`,
    number(line.off, 2).replace("-", "\u2212"),
  ]);
  return [
    make("section", { class: "panel" }, bands("Each return within three standard errors of theory", lines.filter((line) => line.by === "book"))),
    make("section", { class: "panel" }, table("Returns of books and tables", ["Where", "Wager", "State", "Rounds", "Staked", "Theory", "Actual", "Band", "Standard errors off"], rows, [3, 4, 5, 6, 7, 8])),
    make("p", { class: "small soft" }, "Chance alone puts one return of 22 beyond two standard errors (watch), and one of 370 beyond three (investigate)."),
  ];
}

void open((view, main) => {
  const place = make("div", { class: "stack", "data-returns": true });
  const show = async (/** @type {string} */ since, /** @type {string} */ until) => {
    await filled(place, "Reading the records...", get(`/records/returns?${query(since, until)}`), shown);
  };
  replace(main, make("section", { class: "panel" }, period(view.at_ms, show)), place);
  return show("", "");
});
