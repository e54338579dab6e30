// Players: disputes, who is here, exclusions, limits, any round by player, table, time or number.

import { get } from "../api.js";
import { make, replace } from "../dom.js";
import { money } from "../money.js";
import { plural } from "../words.js";
import { open, value } from "./console.js";
import { disputes } from "./disputes.js";
import { bookName, field, filled, form, net, table, Unclear, when } from "./pieces.js";

/** @typedef {import("../types.js").FloorView} FloorView */
/** @typedef {import("../types.js").Rounds} Rounds */

/** @param {FloorView} view */
function here(view) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const each of view.tables) for (const player of each.players) found.set(player, [...(found.get(player) ?? []), each.name]);
  const rows = [...found].sort(([a], [b]) => a.localeCompare(b)).map(([player, tables]) => [make("span", { "data-here": player }, player), tables.join(", ")]);
  return make("section", { class: "panel" }, make("h2", {}, "Who is here"), rows.length === 0 ? make("p", { class: "soft" }, "Nobody is at a table.") : table("Players at tables", ["Player", "Table"], rows));
}

/**
 * A limit's amount: money, or minutes of playing time.
 * @param {import("../types.js").LimitInForce} limit
 */
function amountOf({ kind, amount }) {
  return kind === "minutes_day" ? plural(amount, "minute") : money(amount);
}

/** Who is excluded, and the limits in force: the players' own and the operator's. */
function protection() {
  const place = make("div", { class: "stack", "data-protected": true });
  /** @type {Promise<import("../types.js").Protected>} */
  const reading = get("/protected");
  void filled(place, "Reading the limits...", reading, ({ excluded, limits }) => [
    excluded.length === 0 ? make("p", { class: "soft" }, "Nobody is excluded.") : table("Excluded by their own wish", ["Player", "Until"], excluded.map((each) => [make("span", { "data-excluded": each.account }, each.account), when(each.until_ms)])),
    limits.length === 0 ? make("p", { class: "soft" }, "No limit is set.") : table("Limits in force", ["Player", "Limit", "Amount", "Set by"], limits.map((each) => [make("span", { "data-limited": `${each.account} ${each.kind} ${each.setter}` }, each.account === "*" ? "everybody" : each.account), each.kind.replace("_", " per "), amountOf(each), each.setter]), [2]),
  ]);
  return make("section", { class: "panel" }, make("h2", {}, "Exclusions and limits"), place);
}

/** @param {string} where @param {number} number */
function again(where, number) {
  return make("a", { href: `/replay?table=${encodeURIComponent(where)}&round=${number}` }, `Round ${number}`);
}

function byPlayer() {
  const place = make("div", { "data-rounds": true });
  const asked = form(
    { class: "filters", "data-find-rounds": "" },
    [field("round-player", "Player", make("input", { type: "text", maxlength: 64, placeholder: "anybody" })), field("round-table", "Table", make("input", { type: "text", maxlength: 80, placeholder: "any" })), field("round-since", "From", make("input", { type: "date" })), field("round-until", "Until before", make("input", { type: "date" }))],
    "Find",
    async (sent) => {
      const query = new URLSearchParams({ player: value(sent, "round-player"), table: value(sent, "round-table"), since: value(sent, "round-since"), until: value(sent, "round-until") });
      /** @type {Rounds} */
      const found = await get(`/records/rounds?${query}`);
      const rows = found.rounds.map((each) => [again(each.table_name, each.round), each.table_name, each.player, when(each.at_ms), bookName(each.book), money(each.staked), money(each.returned), net(each.net)]);
      replace(place, rows.length === 0 ? make("p", { class: "soft" }, "No such round.") : table("Rounds, the last first", ["Round", "Table", "Player", "Ended", "Book", "Staked", "Returned", "Net"], rows, [5, 6, 7]), query.get("player") !== "" && make("p", {}, make("a", { class: "button", href: `/records/statement.csv?${query}`, download: true, "data-statement": true }, "The player's statement as CSV")));
    },
  );
  return make("section", { class: "panel" }, make("h2", {}, "Rounds by player, table and time"), asked, place);
}

/** @param {FloorView} view */
function byNumber(view) {
  const go = form(
    { class: "filters", "data-find-number": "" },
    [field("number-table", "Table", make("input", { type: "text", required: true, maxlength: 80, list: "tables" })), field("number-round", "Round", make("input", { type: "number", required: true, min: 1 }))],
    "Replay",
    async (sent) => {
      const number = Number(value(sent, "number-round"));
      if (!Number.isInteger(number) || number < 1) throw new Unclear("Enter the number of a round.");
      location.assign(`/replay?table=${encodeURIComponent(value(sent, "number-table"))}&round=${number}`);
    },
    "",
  );
  const names = make("datalist", { id: "tables" }, ...view.tables.map((each) => make("option", { value: each.name })));
  return make("section", { class: "panel" }, make("h2", {}, "A round by its number"), go, names);
}

void open((view, main) => replace(main, disputes(view), here(view), protection(), byPlayer(), byNumber(view)));
