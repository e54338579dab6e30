// The receipt of a round: every wager with its outcome, what came back, and the clauses behind it.

import { name } from "../cards.js";
import { make } from "../dom.js";
import { netOf } from "../fold-round.js";
import { money, signed } from "../money.js";
import { nameOf } from "../names.js";
import { t } from "../texts.js";
import { dealerWord, label, outcomeWords } from "../words.js";
import { clausesOf } from "./book.js";
import { ask } from "./dialogs.js";

/** @typedef {import("./book.js").TableBook} TableBook */
/** @typedef {import("../types.js").Round} Round */
/** @typedef {import("../types.js").Hand} Hand */

/**
 * Show the receipt of the hands on one box, or of all the visitor's; a banker's are all that were played against the bank.
 * @param {TableBook} book
 * @param {Round} round
 * @param {string | null} you
 * @param {number | null} box
 */
export function showReceipt(book, round, you, box) {
  const banked = you !== null && round.banker === you;
  const hands = round.hands.filter((hand) => (box === null ? banked || hand.player === you : hand.box === box));
  const title = box === null ? t(banked ? "receipt.bank" : "receipt.yours") : t("box.name", { box });
  const content = hands.length === 0 ? [make("p", {}, t("receipt.none"))] : hands.map((hand) => handPart(book, round, hand, you));
  const { title: book_title, document } = book.rules;
  const edition = document.version ? make("p", { class: "small soft", "data-edition": document.version }, t(document.date ? "receipt.edition_dated" : "receipt.edition", { title: book_title, version: document.version, date: document.date ?? "" })) : null;
  return ask(title, [...content, edition].filter((each) => each !== null), [], { wide: true, name: "receipt" });
}

/**
 * @param {TableBook} book
 * @param {Round} round
 * @param {Hand} hand
 * @param {string | null} you
 */
function handPart(book, round, hand, you) {
  const rows = hand.wagers.map((wager) => {
    const clauses = clausesOf(book, wager.kind, wager.outcome);
    const how = endWords(book, wager.kind, wager.outcome);
    const uncovered = wager.uncovered > 0 ? `; ${t("receipt.uncovered", { amount: money(wager.uncovered) })}` : "";
    return make(
      "tr",
      { "data-wager": wager.kind, "data-outcome": wager.outcome || null, "data-returned": wager.returned },
      make("th", { scope: "row" }, label(book, wager.kind)),
      make("td", { class: "number", "data-name": t("receipt.staked") }, money(wager.staked)),
      make("td", {}, `${how}${uncovered} `, clauseLinks(book, clauses)),
      make("td", { class: "number", "data-name": t("receipt.returned") }, wager.outcome === "" ? "–" : money(wager.returned)),
      make("td", { class: "number", "data-name": t("receipt.net") }, wager.outcome === "" ? "–" : signed(wager.returned - wager.staked)),
    );
  });
  if (hand.envy > 0) rows.push(envyRow(book, hand));
  const head = [t("receipt.wager"), t("receipt.staked"), t("receipt.outcome"), t("receipt.returned"), t("receipt.net")].map((text, place) =>
    make("th", { scope: "col", class: place === 1 || place > 2 ? "number" : null }, text),
  );
  const whose = hand.player === you ? t("word.you") : nameOf(hand.player);
  const cards = cardWords(round, hand.box);
  return make(
    "div",
    { class: "scroll receipt", "data-receipt": hand.box },
    make("table", {}, make("caption", {}, t("receipt.caption", { box: hand.box, whose, cards, net: signed(netOf(hand)) })), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)),
  );
}

/**
 * How a wager ended; a first card that lost says to what.
 * @param {TableBook} book
 * @param {import("./book.js").WagerKind} kind
 * @param {string} outcome
 */
function endWords(book, kind, outcome) {
  if (outcome === "") return t("receipt.open");
  if (kind === "primary" && outcome === "lost") return t("receipt.lost", { dealer: dealerWord(book) });
  return outcomeWords(book, kind, outcome);
}

/**
 * @param {TableBook} book
 * @param {Hand} hand
 */
function envyRow(book, hand) {
  return make(
    "tr",
    { "data-wager": "envy" },
    make("th", { scope: "row" }, label(book, "envy")),
    make("td", { class: "number" }, "–"),
    make("td", {}, `${outcomeWords(book, "envy", "won")} `, clauseLinks(book, clausesOf(book, "envy", "won"))),
    make("td", { class: "number" }, money(hand.envy)),
    make("td", { class: "number" }, signed(hand.envy)),
  );
}

/**
 * The clauses behind a payment, each leading to its words in the book, beside the table.
 * @param {TableBook} book
 * @param {readonly string[]} clauses
 */
function clauseLinks(book, clauses) {
  const links = clauses.flatMap((id, place) => {
    const link = make("a", { href: `/rules?book=${encodeURIComponent(book.rules.name)}#${encodeURIComponent(id)}`, target: "_blank", rel: "noopener" }, id);
    return place === 0 ? [link] : [", ", link];
  });
  return make("span", { class: "clauses" }, ...links);
}

/**
 * @param {Round} round
 * @param {number} box
 */
function cardWords(round, box) {
  const [own, dealer] = [round.cards[box], round.cards[0]];
  if (own === undefined || dealer === undefined) return "";
  const [war, against] = [round.war_cards[box], round.war_cards[0]];
  const second = war === undefined || against === undefined ? "" : `, ${t("receipt.at_war", { own: name(war), dealer: name(against) })}`;
  return `, ${t("receipt.against", { own: name(own), dealer: name(dealer) })}${second}`;
}
