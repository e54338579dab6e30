// History: the visitor's rounds with filters, their totals, and a file to download.

import { get } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { money } from "../money.js";
import { current } from "../session.js";
import { Complaints } from "./complaint.js";
import { bookChoices, bookName, choose, duration, facts, field, filled, net, notice, plain, sentenceOf, table, tableName, when, wonOrLost } from "./pieces.js";

/** @typedef {import("../types.js").BookShown} BookShown */
/** @typedef {import("../types.js").OwnRound} Result */
/** @typedef {import("../types.js").Rounds} Rounds */
/** @typedef {import("../types.js").Total} Total */

const BANKED = " banked ";
const DAY_MS = 24 * 60 * 60_000;
const OUTCOMES = /** @type {[string, string][]} */ ([
  ["", "Any outcome"],
  ["won", "Won with the first card"],
  ["lost", "Lost with the first card"],
  ["war", "Went to war"],
  ["surrendered", "Surrendered"],
  ["tie", "Tie wager won"],
  ["banked", "Banked"],
  ["void", "Void"],
]);

/** @type {Map<string, Readonly<Record<string, string>>>} */
const labels = new Map();
const main = find("#main");
const complaints = new Complaints();
const totals = make("section", { "data-totals": true });
const list = make("section", { "aria-label": "Rounds" });

/** @param {readonly Total[]} found */
function showTotals(found) {
  if (found.length === 0) return [];
  const sum = (/** @type {(each: Total) => number} */ part) => found.reduce((all, each) => all + part(each), 0);
  const rows = found.map((each) => [
    bookName(each.book),
    each.rounds,
    duration(each.played_ms),
    money(each.staked),
    money(each.returned),
    net(each.banked),
    net(each.net),
    net(each.best),
    net(each.worst),
  ]);
  return [
    make(
      "div",
      { class: "figures" },
      figure("Rounds", String(sum((each) => each.rounds))),
      figure("Playing time", duration(sum((each) => each.played_ms))),
      figure("Staked", money(sum((each) => each.staked))),
      figure("Returned", money(sum((each) => each.returned))),
      found.some((each) => each.banked !== 0) && figure("As banker", net(sum((each) => each.banked))),
      figure("Net", net(sum((each) => each.net))),
    ),
    make(
      "details",
      {},
      make("summary", {}, "By rule book"),
      table("Totals by rule book", ["Book", "Rounds", "Time", "Staked", "Returned", "As banker", "Net", "Best", "Worst"], rows, [1, 2, 3, 4, 5, 6, 7, 8]),
    ),
  ];
}

/**
 * @param {string} label
 * @param {string | Node} value
 */
function figure(label, value) {
  return make("div", { class: "panel figure" }, make("span", { class: "small soft" }, label), make("strong", { class: "number" }, value));
}

/**
 * How a round ended, with the book's names of its wagers.
 * @param {Result} round
 */
function ended(round) {
  const names = labels.get(round.book) ?? {};
  return round.outcomes
    .trim()
    .split(" ")
    .map((each) => {
      const [wager = "", outcome] = each.split(":");
      return outcome === undefined ? `Your bank ${wonOrLost(round.net)}` : `${names[wager] ?? plain(wager)}: ${plain(outcome)}`;
    })
    .join(" · ");
}

/** @param {Result} round */
function line(round) {
  const address = `/replay?table=${encodeURIComponent(round.table_name)}&round=${round.round}`;
  return make(
    "li",
    { class: "round panel", "data-round": `${round.table_name} ${round.round}` },
    make("div", {}, make("strong", {}, `${tableName(round.table_name)}, round ${round.round}`), make("div", { class: "small soft" }, when(round.at_ms), ` · ${bookName(round.book)}${round.edition && `, ${round.edition}`}`), make("div", { class: "small" }, ended(round))),
    facts(round.outcomes === BANKED ? [[round.net < 0 ? "Lost" : round.net > 0 ? "Won" : "Even", net(round.net)]] : [["Staked", money(round.staked)], ["Returned", money(round.returned)], ["Net", net(round.net)]]),
    make("a", { class: "button small", href: address, "aria-label": `Replay round ${round.round}, ${tableName(round.table_name)}` }, "Replay"),
    complaints.below(round),
  );
}

/** @param {HTMLFormElement} form */
function query(form) {
  const data = new FormData(form);
  const wanted = new URLSearchParams();
  for (const name of ["book", "table", "outcome"]) {
    const value = String(data.get(name) ?? "").trim();
    if (value !== "") wanted.set(name, value);
  }
  const from = Date.parse(`${data.get("from")}T00:00`);
  const to = Date.parse(`${data.get("to")}T00:00`);
  if (!Number.isNaN(from)) wanted.set("from_ms", String(from));
  if (!Number.isNaN(to)) wanted.set("until_ms", String(to + DAY_MS));
  return wanted;
}

/** @param {URLSearchParams} wanted */
async function showRounds(wanted) {
  const items = make("ol", { class: "rounds", "data-rounds": true });
  const more = make("div", { class: "row" });
  /** @param {string} after */
  async function next(after) {
    const asking = new URLSearchParams(wanted);
    if (after !== "") asking.set("after", after);
    /** @type {Rounds} */
    const found = await get(`/me/rounds?${asking}`);
    items.append(...found.rounds.map(line));
    const goOn = found.after;
    const button = make("button", { class: "button", type: "button", "data-more": true }, "Older rounds");
    button.addEventListener("click", () => void next(goOn ?? "").catch((error) => replace(more, notice(sentenceOf(error), "bad"))));
    replace(more, goOn !== null && button);
    return items.childElementCount;
  }
  await filled(list, "Loading your rounds...", next(""), (count) => {
    if (count > 0) return [items, more];
    return [make("div", { class: "empty", "data-empty": true }, make("p", {}, wanted.size > 0 ? "No rounds match these filters." : "You have not played a round yet."), make("a", { class: "button primary", href: "/" }, "Go to the tables"))];
  });
}

function filters() {
  const form = make(
    "form",
    { class: "filters panel", "aria-label": "Filters" },
    field("book", "Rule book", choose([["", "All books"], ...bookChoices([...labels.keys()])])),
    field("outcome", "Outcome", choose(OUTCOMES)),
    field("table", "Table", make("input", { type: "text", maxlength: 80, placeholder: "any" })),
    field("from", "From", make("input", { type: "date" })),
    field("to", "To", make("input", { type: "date" })),
    make("div", { class: "buttons" }, make("button", { class: "button primary", type: "submit" }, "Show")),
  );
  const file = make("a", { class: "button", href: "/me/rounds.csv", download: "wartable-rounds.csv", "data-csv": true }, "Download as CSV");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = query(form);
    file.href = `/me/rounds.csv?${wanted}`;
    void showRounds(wanted);
  });
  return [form, make("p", {}, file)];
}

async function start() {
  const title = make("h1", {}, "Your rounds");
  try {
    if ((await current()) === null) {
      replace(main, title, make("div", { class: "empty", "data-empty": true }, make("p", {}, "You are not signed in, so there are no rounds to show."), make("div", { class: "row centred" }, make("a", { class: "button primary", href: "/" }, "Play"), make("a", { class: "button", href: "/account" }, "Sign in"))));
      return;
    }
    /** @type {BookShown[]} */
    const books = await get("/books");
    for (const book of books) labels.set(book.name, book.labels);
    await complaints.load();
    replace(main, title, complaints.answers, totals, ...filters(), list);
    await Promise.all([
      filled(totals, "Loading your totals...", get("/me/totals"), showTotals),
      showRounds(new URLSearchParams()),
    ]);
  } catch (error) {
    replace(main, title, notice(sentenceOf(error), "bad"));
  }
}

void start();
