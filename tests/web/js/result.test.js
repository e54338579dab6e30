import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { documentElement: { dataset: {} } };
globalThis.window = { addEventListener() {} };
const { resultSize, resultWords } = await import("../../../src/wartable/web/js/table/result.js");

/** A closed round with one hand per list of wagers: [kind, staked, returned, outcome]. */
function over(hands, more = {}) {
  const made = hands.map((wagers, place) => ({
    player: "ann",
    box: place + 1,
    envy: 0,
    wagers: wagers.map(([kind, staked, returned, outcome]) => ({ kind, staked, returned, outcome })),
  }));
  return { hands: made, bets_closed: true, closed: true, banker: null, ...more };
}

const CASES = [
  [over([[["primary", 2500, 5000, "won"]]]), "You win $25.", "won"],
  [over([[["primary", 2500, 0, "lost"]]]), "You lose $25.", "lost"],
  [over([[["primary", 1000, 2000, "war_tied"], ["war", 1000, 2000, "war_tied"]]]), "War tied: you win $20.", "won"],
  [over([[["primary", 1000, 0, "war_lost"], ["war", 1000, 0, "war_lost"]]]), "War lost: you lose $20.", "lost"],
  [over([[["primary", 1000, 500, "surrendered"]]]), "Surrendered: you lose $5.", "lost"],
  [over([[["primary", 1000, 500, "surrendered"], ["tie", 100, 1100, "won"]]]), "You win $5.", "won"],
  [over([[["primary", 1000, 2000, "war_won"], ["tie", 2000, 0, "lost"]]]), "You lose $10.", "lost"],
  [over([[["primary", 1000, 500, "surrendered"], ["tie", 50, 550, "won"]]]), "You break even.", "even"],
  [over([[["primary", 1000, 1000, "returned"]]]), "Push.", "even"],
  [over([[["primary", 1000, 1000, "void"]]]), "The round is void: your money is returned.", "even"],
  [over([[["primary", 1000, 2000, "won"]], [["primary", 1000, 0, "lost"]]]), "You break even.", "even"],
  [over([[["primary", 1000, 2000, "war_tied"]], [["primary", 1000, 2000, "won"]]]), "You win $20.", "won"],
  [over([[["primary", 500, 0, "lost"], ["progressive", 100, 5000, "won"]]]), "You win $44.", "large"],
  [over([[["primary", 500, 0, "lost"], ["progressive", 100, 20000, "won"]]]), "You win $194.", "jackpot"],
  [over([[["primary", 500, 0, "lost"], ["bonus_spin", 500, 1500, "jackpot_primary"]]]), "You win $5.", "jackpot"],
];

for (const [round, words, size] of CASES) {
  test(words, () => {
    assert.equal(resultWords(round, "ann"), words);
    assert.equal(resultSize(round, "ann"), size);
  });
}

test("a bystander and an open wager have no result", () => {
  const round = over([[["primary", 2500, 0, ""]]]);
  assert.deepEqual([resultWords(round, "ann"), resultSize(round, "ann")], ["", null]);
  assert.deepEqual([resultWords(CASES[0][0], "bob"), resultSize(CASES[0][0], "bob")], ["", null]);
});

test("a banker's result is the bank's", () => {
  const lost = over([[["primary", 2500, 5000, "won"]]], { banker: "bob" });
  assert.equal(resultWords(lost, "bob"), "Your bank loses $25.");
  assert.equal(resultWords(over([[["primary", 2500, 2500, "void"]]], { banker: "bob" }), "bob"), "Your bank breaks even.");
  // It is as large as it is beside what the bank posted.
  const won = [[["primary", 2500, 0, "lost"]]];
  assert.equal(resultSize(over(won, { banker: "bob", bank: 10_000 }), "bob"), "won");
  assert.equal(resultSize(over(won, { banker: "bob", bank: 500 }), "bob"), "large");
});
