// Money, cards and sentences.

import assert from "node:assert/strict";
import { test } from "node:test";

import { name, rank, red, sign, suit } from "../../../src/wartable/web/js/cards.js";
import { money, parse, signed } from "../../../src/wartable/web/js/money.js";
import { plural, sentence } from "../../../src/wartable/web/js/words.js";

test("amounts in words", () => {
  assert.equal(money(2500), "$25");
  assert.equal(money(250), "$2.50");
  assert.equal(money(5), "$0.05");
  assert.equal(money(100_000), "$1,000");
  assert.equal(money(123_456_789_00), "$123,456,789");
  assert.equal(money(0), "$0");
  assert.equal(signed(2500), "+$25");
  assert.equal(signed(-1250), "−$12.50");
  assert.equal(signed(0), "$0");
});

test("amounts from words", () => {
  for (const [text, cents] of [
    ["25", 2500],
    ["$2.50", 250],
    [" 1,000 ", 100_000],
    ["2.5", 250],
    ["0.07", 7],
  ]) {
    assert.equal(parse(text), cents, text);
  }
  for (const text of ["", "a", "-5", "1.234", "1,00", "1e3", "$", "99999999999999999"]) {
    assert.equal(parse(text), null, text);
  }
});

test("counts agree with their nouns", () => {
  assert.deepEqual([0, 1, 2].map((count) => plural(count, "card")), ["0 cards", "1 card", "2 cards"]);
});

test("cards in words", () => {
  assert.equal(name("9s"), "nine of spades");
  assert.equal(name("Td"), "ten of diamonds");
  assert.equal(name("??"), "a hidden card");
  assert.deepEqual([rank("Td"), suit("Td"), sign("Td"), red("Td")], ["10", "diamonds", "♦", true]);
  assert.deepEqual([rank("As"), suit("As"), sign("As"), red("As")], ["A", "spades", "♠", false]);
  assert.deepEqual([rank("??"), suit("??"), sign("??"), red("??")], ["", "", "", false]);
});

test("a limit is told with its name, whom it is for, and when it is lifted", () => {
  const limit = { type: "restricted", by: "flo", limit: "player_box_max", value: 500, whom: "ann" };
  assert.equal(sentence(limit), "New limit: box maximum per player for ann $5.");
  assert.equal(sentence({ ...limit, limit: "players_per_box", value: 0, whom: "" }), "Limit lifted: players per box.");
});

test("an award needs approval, by whoever approves awards at the table", () => {
  const pending = { type: "award_pending", meter: "progressive" };
  assert.equal(sentence(pending), "The progressive meter award needs approval.");
});

test("sentences use the book's own words, and say you to the reader", () => {
  const book = {
    rules: { labels: { primary: "Main Bet" }, outcomes: { primary: { won: "higher card" } } },
  };
  const placed = { type: "placed", player: "ann", box: 2, wager: "primary", amount: 2500 };
  assert.equal(sentence(placed, book, "ann"), "You bet $25 on box 2, Main Bet.");
  assert.equal(sentence(placed), "ann bets $25 on box 2, primary.");
  const settled = { ...placed, type: "settled", outcome: "won", returned: 5000 };
  assert.equal(sentence(settled, book, "ann"), "Box 2: your Main Bet returned $50 (higher card).");
  const lost = { ...settled, outcome: "lost", returned: 0 };
  assert.equal(sentence(lost, book, "bob"), "Box 2: ann's Main Bet lost (lost).");
  const dealt = { type: "dealt", deal: "original", box: 0, card: "Qh" };
  assert.equal(sentence(dealt, book), "The dealer: queen of hearts.");
  const matched = { type: "matched", player: "ann", box: 2, wager: "war", amount: 2500 };
  assert.equal(sentence(matched, book), "The house matches box 2 with $25.");
  const banked = { rules: { ...book.rules, banker: "player" } };
  assert.equal(sentence(matched, banked), "The bank matches box 2 with $25.");
  assert.equal(sentence({ type: "meter_fed", meter: "primary", amount: 1, carry: 0 }, book), "");
});
