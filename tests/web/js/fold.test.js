// The fold where a whole table seldom goes: shares below a cent, and a round void after envy.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fold, foldAll, start } from "../../../src/wartable/web/js/fold.js";

const METER = { shown: 1000, carry: 0, fed: 0, seeded: 1000, paid: 0 };

test("what a meter has left below a cent is kept, and given back", () => {
  const table = start("shoe", { progressive: METER });
  const fed = fold(table, { type: "meter_fed", meter: "progressive", amount: 7, carry: 3 });
  assert.deepEqual(fed.meters.progressive, { ...METER, shown: 1007, fed: 7, carry: 3 });
  const unfed = fold(fed, { type: "meter_unfed", meter: "progressive", amount: 7, carry: 0 });
  assert.deepEqual(unfed.meters.progressive, METER);
});

test("a void round takes back every payment, envy too", () => {
  const wager = { player: "ann", box: 1 };
  const table = foldAll([
    { type: "joined", player: "ann", amount: 10_000, seat: 1 },
    { type: "round_started", number: 1, at_ms: 0 },
    { type: "opened", seats: { 1: "ann" }, banker: null, bank: null, bank_stack: null },
    { ...wager, type: "placed", wager: "primary", amount: 500 },
    { ...wager, type: "settled", wager: "primary", outcome: "won", returned: 1_000 },
    { ...wager, type: "envy_paid", holder: "bob", holder_box: 2, amount: 2_000 },
  ]);
  assert.equal(table.guests.ann.stack, 12_500);
  const void_ = fold(table, { type: "round_voided", reason: "jam" });
  assert.equal(void_.guests.ann.stack, 10_000);
  assert.equal(void_.round.hands[0].envy, 0);
});

test("an event about somebody who is not there is an error, not a wrong table", () => {
  assert.throws(() => fold(start(), { type: "bought_in", player: "ann", amount: 1 }), /not here/);
});
