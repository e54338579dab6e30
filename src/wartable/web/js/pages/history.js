// History: the visitor's rounds with filters, their totals, and a file to download.

import { get } from "../api.js";
import { find, make, replace } from "../dom.js";
import "../elements/wt-header.js";
import { money } from "../money.js";
import { current } from "../session.js";
import { t } from "../page-texts.js";
import { outcomeName, serverWords } from "../words.js";
import { Complaints } from "./complaint.js";
import { bookChoices, bookName, choose, duration, facts, field, filled, mini, net, notice, plain, sentenceOf, table, tableName, when, wonOrLost } from "./pieces.js";

/** @typedef {import("../types.js").BookShown} BookShown */
/** @typedef {import("../types.js").OwnRound} Result */
/** @typedef {import("../types.js").Rounds} Rounds */
/** @typedef {import("../types.js").Total} Total */

const BANKED = " banked ";
const DAY_MS = 24 * 60 * 60_000;
const OUTCOMES = /** @type {[string, string][]} */ ([
  ["", t("history.any")],
  ["won", t("history.won")],
  ["lost", t("history.lost")],
  ["war", t("history.war")],
  ["surrendered", t("history.surrendered")],
  ["tie", t("history.tie")],
  ["banked", t("history.banked")],
  ["void", t("history.void")],
]);

/** @type {Map<string, Readonly<Record<string, string>>>} */
const labels = new Map();
const main = find("#main");
const complaints = new Complaints();
const totals = make("section", { "data-totals": true });
const list = make("section", { "aria-label": t("leave.rounds") });

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
      figure(t("leave.rounds"), String(sum((each) => each.rounds))),
      figure(t("history.time"), duration(sum((each) => each.played_ms))),
      figure(t("leave.staked"), money(sum((each) => each.staked))),
      figure(t("receipt.returned"), money(sum((each) => each.returned))),
      found.some((each) => each.banked !== 0) && figure(t("history.as_banker"), net(sum((each) => each.banked))),
      figure(t("leave.net"), net(sum((each) => each.net))),
    ),
    make(
      "details",
      {},
      make("summary", {}, t("history.by_book")),
      table(t("history.totals"), [t("history.book"), t("leave.rounds"), t("leave.time"), t("leave.staked"), t("receipt.returned"), t("history.as_banker"), t("leave.net"), t("history.best"), t("history.worst")], rows, [1, 2, 3, 4, 5, 6, 7, 8]),
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
      return outcome === undefined ? `${t("history.your_bank")} ${wonOrLost(round.net)}` : `${names[wager] ?? plain(wager)}: ${outcomeName(wager, outcome)}`;
    })
    .join(" · ");
}

/**
 * The cards of the player's boxes, and the dealer's that they were compared with.
 * @param {Result} round
 */
function cardsOf(round) {
  const dealt = Object.entries(round.cards);
  if (dealt.length === 0) return null;
  const parts = [...dealt.filter(([box]) => box !== "0"), ...dealt.filter(([box]) => box === "0")].map(([box, cards]) =>
    make("span", { class: "row small-row", "data-cards": box }, make("span", { class: "small soft" }, box === "0" ? t("replay.dealer") : t("box.name", { box })), ...cards.map(mini)),
  );
  return make("div", { class: "row dealt" }, ...parts);
}

/** @param {Result} round */
function line(round) {
  const address = `/replay?table=${encodeURIComponent(round.table_name)}&round=${round.round}`;
  return make(
    "li",
    { class: "round panel", "data-round": `${round.table_name} ${round.round}` },
    make("div", {}, make("strong", {}, t("history.round", { table: tableName(round.table_name), number: round.round })), make("div", { class: "small soft" }, when(round.at_ms), ` · ${bookName(round.book)}${round.edition && `, ${serverWords(round.edition)}`}`), cardsOf(round), make("div", { class: "small" }, ended(round))),
    facts(round.outcomes === BANKED ? [[t(round.net < 0 ? "history.lost_word" : round.net > 0 ? "history.won_word" : "history.even_word"), net(round.net)]] : [[t("leave.staked"), money(round.staked)], [t("receipt.returned"), money(round.returned)], [t("leave.net"), net(round.net)]]),
    make("a", { class: "button small", href: address, "aria-label": t("history.replay_of", { number: round.round, table: tableName(round.table_name) }) }, t("history.replay")),
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
    const button = make("button", { class: "button", type: "button", "data-more": true }, t("history.older"));
    button.addEventListener("click", () => void next(goOn ?? "").catch((error) => replace(more, notice(sentenceOf(error), "bad"))));
    replace(more, goOn !== null && button);
    return items.childElementCount;
  }
  await filled(list, t("history.loading"), next(""), (count) => {
    if (count > 0) return [items, more];
    return [make("div", { class: "empty", "data-empty": true }, make("p", {}, t(wanted.size > 0 ? "history.no_match" : "history.none")), make("a", { class: "button primary", href: "/" }, t("history.go")))];
  });
}

function filters() {
  const form = make(
    "form",
    { class: "filters panel", "aria-label": t("history.filters") },
    field("book", t("history.rule_book"), choose([["", t("history.all_books")], ...bookChoices([...labels.keys()])])),
    field("outcome", t("history.outcome"), choose(OUTCOMES)),
    field("table", t("history.table"), make("input", { type: "text", maxlength: 80, placeholder: t("history.any_table") })),
    field("from", t("history.from"), make("input", { type: "date" })),
    field("to", t("history.to"), make("input", { type: "date" })),
    make("div", { class: "buttons" }, make("button", { class: "button primary", type: "submit" }, t("history.show"))),
  );
  const file = make("a", { class: "button", href: "/me/rounds.csv", download: "wartable-rounds.csv", "data-csv": true }, t("history.csv"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = query(form);
    file.href = `/me/rounds.csv?${wanted}`;
    void showRounds(wanted);
  });
  return [form, make("p", {}, file)];
}

async function start() {
  const title = make("h1", {}, t("history.title"));
  try {
    if ((await current()) === null) {
      replace(main, title, make("div", { class: "empty", "data-empty": true }, make("p", {}, t("history.signed_out")), make("div", { class: "row centred" }, make("a", { class: "button primary", href: "/" }, t("history.play")), make("a", { class: "button", href: "/account" }, t("account.sign_in")))));
      return;
    }
    /** @type {BookShown[]} */
    const books = await get("/books");
    for (const book of books) labels.set(book.name, book.labels);
    await complaints.load();
    replace(main, title, complaints.answers, totals, ...filters(), list);
    await Promise.all([
      filled(totals, t("history.loading_totals"), get("/me/totals"), showTotals),
      showRounds(new URLSearchParams()),
    ]);
  } catch (error) {
    replace(main, title, notice(sentenceOf(error), "bad"));
  }
}

void start();
