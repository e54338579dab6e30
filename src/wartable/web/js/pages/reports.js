// Reports on any period: returns, money owed, large wins, meters, banked rounds, significant events.

import { get } from "../api.js";
import { make, replace } from "../dom.js";
import { money, percent } from "../money.js";
import { results } from "./bars.js";
import { sentence } from "../words.js";
import { open } from "./console.js";
import { period, query } from "./period.js";
import { choose, facts, field, filled, net, plain, table, when } from "./pieces.js";

/** @typedef {import("../types.js").HouseReport} HouseReport */
/** @typedef {import("../types.js").ReportLine} ReportLine */
/** @typedef {import("../types.js").Significant} Significant */

const GROUPS = /** @type {[ReportLine["by"], string][]} */ ([["game", "Game"], ["table", "Table"], ["paytable", "Book and decks"], ["wager", "Wager"], ["player", "Player"], ["bank", "Bank"]]);
const DAYS_DRAWN = 31;
const EVENTS = ["Event", "When", "Where", "By", "About", "Details"];

/** @param {number | null} share */
function share(share) {
  return share === null ? "" : percent(share);
}

/**
 * The fields of a value that have one, each with its name.
 * @param {unknown} found
 * @param {string} name
 * @returns {string[]}
 */
function parts(found, name) {
  if (found === null || found === "") return [];
  if (typeof found !== "object" || Array.isArray(found)) return [`${plain(name)} ${found}`];
  return Object.entries(found).filter(([key]) => key !== "type").flatMap(([key, each]) => parts(each, `${name} ${key}`.trim()));
}

/**
 * What a value was or became: an event of a table as its sentence, other fields one after the other.
 * @param {string} text
 */
function valueWords(text) {
  if (!text.startsWith("{")) return text;
  const found = JSON.parse(text);
  const said = typeof found.type === "string" ? sentence(found) : "";
  return make("span", { class: "small" }, said === "" ? parts(found, "").join(", ") : said);
}

/**
 * Why something was done, and what changed by it.
 * @param {{reason: string, before: string, after: string}} event
 */
function details({ reason, before, after }) {
  return make("div", { class: "details" }, reason !== "" && make("p", {}, reason), (before !== "" || after !== "") && make("p", {}, valueWords(before), before !== "" && after !== "" && " → ", valueWords(after)));
}

/** @param {readonly Significant[]} events */
function eventRows(events) {
  return [...events].reverse().map((each) => [plain(each.kind), when(each.at_ms), each.table, each.actor, each.subject, details(each)]);
}

/**
 * A part of the report with the way to its CSV.
 * @param {string} part
 * @param {string} title
 * @param {URLSearchParams} asked
 * @param {...import("../dom.js").Child} children
 */
function section(part, title, asked, ...children) {
  const csv = new URLSearchParams([["part", part], ...asked]);
  return make("section", { class: "panel", "data-part": part }, make("div", { class: "row spread" }, make("h2", {}, title), make("a", { class: "button small", href: `/records/report.csv?${csv}`, download: `wartable-${part}.csv` }, "CSV")), ...children);
}

/**
 * The returns, grouped as one chooses.
 * @param {HouseReport} found
 */
function returns(found) {
  const by = choose(GROUPS);
  const place = make("div", { class: "stack" });
  const show = () => {
    const lines = found.lines.filter((line) => line.by === by.value);
    const rows = lines.map((line) => [line.name, plain(line.wager), String(line.wagers), money(line.staked), net(-line.net), share(line.actual), share(line.theoretical)]);
    const totals = new Map();
    for (const line of lines) totals.set(line.name, (totals.get(line.name) ?? 0) - line.net);
    replace(place, lines.length === 0 ? make("p", { class: "soft" }, "No wager was decided in this period.") : table("Wagers", ["Group", "Wager", "Wagers", "Staked", "House", "Returned", "Theory"], rows, [2, 3, 4, 5, 6]), totals.size > 0 && totals.size <= 20 && results("What the house and the bankers won or lost, meters counted as the house's", [...totals]));
  };
  by.addEventListener("change", show);
  show();
  return [field("report-by", "By", by), place];
}

/** @param {HouseReport} found */
function days(found) {
  const rows = found.days.map((each) => [each.day, String(each.rounds), money(each.staked), net(-each.net)]);
  const last = found.days.slice(-DAYS_DRAWN).map((each) => /** @type {const} */ ([each.day, -each.net]));
  return make("div", { class: "stack" }, table("Days, in UTC", ["Day", "Rounds", "Staked", "House"], rows, [1, 2, 3]), results(found.days.length > DAYS_DRAWN ? `The last ${DAYS_DRAWN} days` : "What the house and the bankers won or lost each day", last));
}

/**
 * @param {HouseReport} found
 * @param {URLSearchParams} asked
 */
function shown(found, asked) {
  const events = Object.values(found.events).reduce((sum, count) => sum + count, 0);
  const owed = Object.entries(found.liability).map(([account, amount]) => [account, money(amount)]);
  const meters = found.meters.map((each) => [each.table, plain(each.meter), money(each.seeded), money(each.fed), money(each.paid), money(each.shown), each.missing === 0 ? "balanced" : `${money(each.missing)} missing`]);
  const banked = found.banked.map((each) => [each.banker, each.table, String(each.round), when(each.at_ms), money(each.posted), money(each.covered), money(each.matched), money(each.uncovered), net(each.net), String(each.consecutive)]);
  return [
    make(
      "section",
      { class: "panel", "data-report": found.rounds },
      make("h2", {}, "In short"),
      facts([
        ["Rounds", `${found.rounds} played, ${found.void} void, ${found.unfinished} not over`],
        ["Paid in", money(found.deposited)],
        ["Paid out", money(found.withdrawn)],
        ["Paid after disputes", money(found.corrected)],
        ["The house", net(found.house)],
        ["Put on meters", money(found.put_on_meters)],
      ]),
    ),
    section("returns", "Wagers and returns", asked, ...returns(found)),
    found.days.length > 0 && section("days", "Day by day", asked, days(found)),
    section("liability", "Money owed", asked, table("What belongs to players and winners, and what bots hold", ["Where", "Amount"], owed, [1])),
    meters.length > 0 && section("meters", "Jackpots", asked, table("Meters: seeded and fed, less paid, is what they show", ["Table", "Meter", "Seeded", "Fed", "Paid", "Shown", "Reconciled"], meters, [2, 3, 4, 5])),
    banked.length > 0 && section("banked", "Banked rounds", asked, table("Who banked which round", ["Banker", "Table", "Round", "When", "Posted", "Covered", "Matched", "Returned", "Net", "In a row"], banked, [2, 4, 5, 6, 7, 8, 9])),
    section("large_wins", "Large wins", asked, found.large_wins.length === 0 ? make("p", { class: "soft" }, "None.") : table("Large wins", EVENTS, eventRows(found.large_wins))),
    section("significant", "Significant events", asked, table(found.significant.length < events ? `The last ${found.significant.length} of ${events} significant events; the CSV has all` : "Significant events, the last first", EVENTS, eventRows(found.significant))),
  ];
}

void open((view, main) => {
  const place = make("div", { class: "stack" });
  const show = async (/** @type {string} */ since, /** @type {string} */ until) => {
    const asked = query(since, until);
    await filled(place, "Reading the records...", get(`/records/report?${asked}`), (found) => shown(found, asked));
  };
  const print = make("button", { class: "button", type: "button" }, "Print");
  print.addEventListener("click", () => window.print());
  replace(main, make("section", { class: "panel" }, period(view.at_ms, show), print), place);
  return show("", "");
});
