// What somebody is told who was offline: rounds and money, whatever happened meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";

import { start } from "../../../src/wartable/web/js/fold.js";
import { awayWords } from "../../../src/wartable/web/js/table/away.js";

/** A table with Ann at it: her stack, how many rounds began, and what lies on the felt in the open one. */
function table(stack, rounds, staked = null, bank = {}) {
  const wager = { kind: "primary", staked, uncovered: 0, matched: 0, returned: 0, outcome: "" };
  const hands = [{ player: "ann", box: 1, wagers: [wager] }];
  const round = staked === null ? null : { closed: false, banker: null, bank: null, hands };
  const guests = { ann: { player: "ann", seat: 1, stack, arrival: 1, leaving: false } };
  return { ...start(), guests, rounds, round, bank: { ...start().bank, ...bank } };
}

const words = (before, now, events = []) => awayWords(before, now, events, "ann");

test("a wager that lay on the felt and was lost counts as lost", () => {
  assert.equal(words(table(7_500, 1, 2_500), table(7_500, 1)), "You were offline for one round: −$25");
});

test("a round that is open again is not over, and its stake is still the player's", () => {
  assert.equal(words(table(7_500, 1, 2_500), table(9_000, 4, 1_000)), "You were offline for 3 rounds: $0");
});

test("money brought from another device is no win", () => {
  const events = [{ type: "bought_in", player: "ann", amount: 10_000 }, { type: "cashed_out", player: "ann", amount: 1_000 }, { type: "bought_in", player: "bob", amount: 70 }];
  assert.equal(words(table(7_500, 1, 2_500), table(21_500, 1), events), "You were offline for one round: +$25");
});

test("a bank that was taken for the next round is counted once", () => {
  const taken = { taken: "ann", posted: 4_000 };
  assert.equal(words(table(8_000, 1, null, taken), table(8_000, 2)), "You were offline for one round: $0");
});

test("without a round's end nothing is claimed; who left meanwhile reads with how much", () => {
  assert.equal(words(table(7_500, 1, 2_500), table(7_500, 1, 2_500)), "You are back. No round ended while you were offline.");
  assert.equal(words(table(7_500, 1, 2_500), start(), [{ type: "departed", player: "ann", amount: 7_500 }]), "You left the table while you were offline, with $75.");
});

test("a spectator is told nothing", () => {
  assert.equal(words(start(), { ...start(), rounds: 5 }), "");
});
