// What the table page works out by itself: layouts of wagers, boxes, costs, the order of showing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { foldAll, start } from "../../../src/wartable/web/js/fold.js";
import { hasPot, limitsSign, mostOf, printed, spotsOf } from "../../../src/wartable/web/js/table/book.js";
import { atStake, boxViews, resultOf, shownRound } from "../../../src/wartable/web/js/table/boxes.js";
import { doubled, steps } from "../../../src/wartable/web/js/table/layouts.js";
import { Room } from "../../../src/wartable/web/js/table/room.js";
import { ordered } from "../../../src/wartable/web/js/table/spread.js";
import { statusWords } from "../../../src/wartable/web/js/table/status.js";

const LIMIT = { min: 1, max: null };
const SIDE_BETS = [
  { kind: "progressive", label_words: 1, before_deal: true, side_bet: true, by_wheel: false },
  { kind: "bonus_spin", label_words: 2, before_deal: true, side_bet: true, by_wheel: true },
];

/** A book with what the page reads, changed as a test needs it. */
function book(changes = {}, wagers = []) {
  return {
    operator: "Wartable",
    decks: 6,
    community: 0,
    clauses: {},
    wagers: [
      { kind: "primary", label_words: 2, before_deal: true, side_bet: false, by_wheel: false },
      { kind: "tie", label_words: 2, before_deal: true, side_bet: false, by_wheel: false },
      { kind: "war", label_words: 2, before_deal: false, side_bet: false, by_wheel: false },
      ...wagers,
    ],
    rules: {
      banker: "house",
      labels: { primary: "Casino War Wager", tie: "Tie Wager", bonus_spin: "Bonus Spin Xtreme Progressive Wager", progressive: "Progressive Payout Wager" },
      deal: { house_match: false },
      options: { war_pays: "both_units", odd_half: "down" },
      table: { boxes: 3, seats: 3 },
      limits: { primary: LIMIT, tie: LIMIT, box_max: null, player_box_max: null, ceiling: null },
      ...changes,
    },
  };
}

test("the most that a wager can be, by the book, the floor and the player", () => {
  const state = opened();
  assert.equal(mostOf(book(), null, null), Infinity);
  const limited = book({ limits: { primary: { min: 100, max: 30_000 }, tie: { min: 100, max: 10_000 }, box_max: null, player_box_max: null, ceiling: null } });
  assert.equal(mostOf(limited, state, "ann"), 30_000);
  assert.equal(mostOf(limited, { ...state, restrictions: { primary_max: 5_000 } }, "ann"), 10_000);
  assert.equal(mostOf(limited, { ...state, restrictions: { wager_max: 2_500 } }, "ann"), 2_500);
  assert.equal(mostOf(limited, { ...state, restrictions: { box_max: 7_000 } }, "ann"), 7_000);
  const one = { ...state, player_box_maximums: { ann: 500 } };
  assert.deepEqual([mostOf(limited, one, "ann"), mostOf(limited, one, "bob")], [500, 30_000]);
});

const bet = (player, box, wager, amount) => ({ type: "placed", player, box, wager, amount });
const settled = (player, box, wager, outcome, returned) => ({ type: "settled", player, box, wager, outcome, returned });

/** A table where ann sits at box 2 and a round is open. */
function opened(...events) {
  return foldAll(
    [
      { type: "joined", player: "ann", amount: 10_000, seat: 2 },
      { type: "joined", player: "bob", amount: 10_000, seat: null },
      { type: "round_started", number: 1, at_ms: 0 },
      { type: "opened", seats: { 2: "ann" }, banker: null, bank: null, bank_stack: null },
      ...events,
    ],
    start(),
  );
}

test("wagers that only grow are added to", () => {
  const from = new Map([["2.primary", 500]]);
  const to = new Map([["2.primary", 1500], ["2.tie", 100]]);
  assert.deepEqual(steps(from, to, 2), [
    { type: "bet", box: 2, wager: "primary", amount: 1000 },
    { type: "bet", box: 2, wager: "tie", amount: 100 },
  ]);
});

test("a primary that shrinks is taken back with what needs it, and bet anew", () => {
  const from = new Map([["2.primary", 1500], ["2.tie", 100]]);
  const to = new Map([["2.primary", 500], ["2.tie", 100]]);
  assert.deepEqual(steps(from, to, 2), [
    { type: "withdraw", box: 2, wager: "tie" },
    { type: "withdraw", box: 2, wager: "primary" },
    { type: "bet", box: 2, wager: "primary", amount: 500 },
    { type: "bet", box: 2, wager: "tie", amount: 100 },
  ]);
});

test("a tie wager alone shrinks without its primary", () => {
  const from = new Map([["2.primary", 500], ["2.tie", 300]]);
  const to = new Map([["2.primary", 500], ["2.tie", 100]]);
  assert.deepEqual(steps(from, to, 2), [
    { type: "withdraw", box: 2, wager: "tie" },
    { type: "bet", box: 2, wager: "tie", amount: 100 },
  ]);
});

test("boxes are bet from the seat outwards and cleared from the outside in", () => {
  const wagers = new Map([["1.primary", 5], ["3.primary", 5], ["2.primary", 5]]);
  assert.deepEqual(steps(new Map(), wagers, 3).map((step) => step.box), [3, 2, 1]);
  assert.deepEqual(steps(wagers, new Map(), 3).map((step) => step.box), [1, 2, 3]);
});

test("doubling leaves side bets as they are", () => {
  const layout = new Map([["2.primary", 500], ["2.tie", 100], ["2.progressive", 500], ["2.bonus_spin", 100]]);
  assert.deepEqual([...doubled(layout).values()], [1000, 200, 500, 100]);
});

test("spots that are offered, and what is printed on them", () => {
  assert.deepEqual(spotsOf(book()), ["primary", "tie"]);
  const shown = book({}, SIDE_BETS);
  assert.deepEqual(spotsOf(shown), ["primary", "tie", "progressive", "bonus_spin"]);
  assert.equal(printed(shown, "primary"), "Casino War");
  assert.equal(printed(shown, "tie"), "Tie");
  assert.equal(printed(shown, "progressive"), "Progressive");
  assert.equal(printed(shown, "bonus_spin"), "Bonus Spin");
});

test("the spot of a side bet has a lamp, which a wager lights", () => {
  const state = opened(bet("ann", 2, "primary", 500), bet("ann", 2, "progressive", 100));
  const [, view] = boxViews(book({}, SIDE_BETS), state, null, "ann");
  assert.deepEqual(view?.spots.map((spot) => spot.lamp), [null, null, "on", "off"]);
});

test("the limits' sign has what the floor restricts", () => {
  const state = { ...start(), restrictions: { box_max: 20_000, boxes_per_player: 2 }, player_box_maximums: { ann: 5000 } };
  const limits = { ...book().rules.limits, primary: { min: 500, max: 10_000 }, tie: { min: 100, max: 2500 }, player_box_max: 9000, ceiling: 30_000 };
  assert.deepEqual(limitsSign(book({ limits }), state).map(({ text }) => text), [
    "Casino War Wager $5 to $100",
    "Tie Wager $1 to $25",
    "Box maximum $200",
    "Box maximum per player $90",
    "Box maximum for ann $50",
    "Single wager maximum $300",
    "Boxes per player 2",
  ]);
});

test("a box shows its wagers, the seated player's first", () => {
  const state = opened(bet("bob", 2, "primary", 300), bet("ann", 2, "primary", 500));
  const [, view] = boxViews(book(), state, null, "ann");
  assert.equal(view?.mine, true);
  assert.deepEqual(view?.spots[0]?.stacks.map(({ player, staked, mine }) => [player, staked, mine]), [["ann", 500, true], ["bob", 300, false]]);
  assert.equal(atStake(state, "ann"), 500);
  assert.equal(atStake(state, "bob"), 300);
});

test("who sits down while bets are open is shown nearest the dealer", () => {
  const state = opened(
    bet("bob", 3, "primary", 300),
    { type: "joined", player: "eve", amount: 10_000, seat: 3 },
    bet("eve", 3, "primary", 500),
  );
  const [, , view] = boxViews(book(), state, null, "ann");
  assert.equal(view?.seated, "eve");
  assert.deepEqual(view?.spots[0]?.stacks.map(({ player }) => player), ["eve", "bob"]);
});

test("cards are out of sight in the rack before a war, but the last ones stay until the next bets", () => {
  const dealt = (box, card) => ({ type: "dealt", deal: "original", box, card });
  const round = opened(bet("ann", 2, "primary", 500), bet("bob", 3, "primary", 300), { type: "bets_closed" }).round;
  const cards = [dealt(2, "9s"), dealt(3, "2s"), dealt(0, "9d")];
  const drawn = cards.map(({ box, card }) => ({ card, round_number: 1, use: "original", box }));
  const shown = (...discards) => {
    const state = { ...opened(), round: { ...round, cards: { 2: "9s", 3: "2s", 0: "9d" } }, shoe: { drawn, discards } };
    return boxViews(book(), state, null, "ann").map(({ card }) => card);
  };
  assert.deepEqual(shown(), [null, "9s", "2s"]);
  assert.deepEqual(shown(1), [null, "9s", null]);
  assert.deepEqual(shown(1, 0, 2), [null, "9s", "2s"]);
});

test("a war's pot has three units until it is settled", () => {
  const at_war = [bet("ann", 2, "primary", 500), { type: "bets_closed" }, { type: "chosen", player: "ann", box: 2, choice: "war", by: "player" }, bet("ann", 2, "war", 500)];
  const matched = book({ deal: { house_match: true } });
  const pot = (...more) => boxViews(matched, opened(...at_war, ...more), null, "ann")[1]?.pot;
  assert.equal(pot(), 1500);
  assert.equal(pot(settled("ann", 2, "primary", "war_won", 500), settled("ann", 2, "war", "war_won", 1000)), null);
  assert.equal(hasPot(book({ deal: { house_match: true }, options: { war_pays: "each_wager" } })), false);
  assert.equal(hasPot(book({ banker: "player" })), true);
  // Finding 16: a document in which nobody puts a third unit beside the two has no pot.
  assert.equal(boxViews(book(), opened(...at_war), null, "ann")[1]?.pot, null);
});

test("a result is there only when nothing of the hand is open", () => {
  const first = [bet("ann", 2, "primary", 500), bet("ann", 2, "tie", 100), { type: "bets_closed" }, settled("ann", 2, "primary", "won", 1000)];
  const hand = (...more) => opened(...first, ...more).round.hands[0];
  assert.equal(resultOf(hand()), null);
  assert.equal(resultOf(hand(settled("ann", 2, "tie", "lost", 0))), 400);
});

test("the visitor's own box shows no other player's result, seated or not", () => {
  const over = [bet("bob", 2, "primary", 300), { type: "bets_closed" }, settled("bob", 2, "primary", "won", 600)];
  const shown = (state, previous, you) => {
    const { mine, counted, net } = boxViews(book(), state, previous, you)[1];
    return { mine, counted, net };
  };
  // Ann was away and bet nothing in the round that bob played on her box.
  const state = opened(...over);
  assert.deepEqual(shown(state, null, "ann"), { mine: true, counted: null, net: null });
  assert.deepEqual(shown(state, null, "bob"), { mine: true, counted: "bob", net: 300 });
  assert.deepEqual(shown(state, null, "eve"), { mine: false, counted: "bob", net: 300 });
  // Ann bets again, while the cards of that round still lie there.
  const next = opened(bet("ann", 2, "primary", 500));
  assert.deepEqual(shown(next, { ...state.round, closed: true }, "ann"), { mine: true, counted: "ann", net: null });
});

test("the last round is shown until the bets of the next are closed", () => {
  const state = opened(bet("ann", 2, "primary", 500));
  const previous = { ...state.round, closed: true };
  assert.deepEqual(shownRound(state, previous), { round: previous, old: true });
  const closed = foldAll([{ type: "bets_closed" }], state);
  assert.deepEqual(shownRound(closed, previous), { round: closed.round, old: false });
});

test("the spread has every card once for each deck, by suit and rank", () => {
  const rows = ordered(6);
  assert.equal(rows.length, 24);
  assert.deepEqual(rows[0]?.slice(0, 3), ["2c", "3c", "4c"]);
  assert.equal(rows[1]?.at(-1), "Ad");
  assert.equal(new Set(rows.flat()).size, 52);
  assert.equal(rows.flat().length, 312);
});

test("rows are shown event by event, and at once when somebody acts", async () => {
  const still = { value: false };
  Object.assign(globalThis, {
    document: { documentElement: { dataset: {} }, hidden: false },
    matchMedia: () => ({ matches: still.value }),
  });
  const { Pace } = await import("../../../src/wartable/web/js/table/pace.js");
  const state = opened(bet("ann", 2, "primary", 500));
  const after = foldAll([{ type: "bets_closed" }], state);
  const show = (events) => {
    const seen = [];
    const pace = new Pace((_, event) => seen.push(event?.type ?? "row"));
    pace.row({ state, events: [] });
    pace.row({ state: after, events });
    pace.then(() => seen.push("then"));
    return { pace, seen };
  };
  const closing = [{ type: "bets_closed" }, { type: "left", player: "ann" }];
  const slow = show(closing);
  assert.deepEqual(slow.seen, ["row", "bets_closed"]);
  assert.equal(slow.pace.busy, true);
  slow.pace.rush();
  assert.deepEqual(slow.seen, ["row", "bets_closed", "left", "row", "then"]);
  assert.equal(slow.pace.shown, after);
  still.value = true;
  assert.deepEqual(show(closing).seen, ["row", "bets_closed", "left", "row", "then"]);
});

test("a choice that was made is not asked for any more", () => {
  const room = new Room("t", /** @type {any} */ ({ state: null }), /** @type {any} */ ({ rules: { labels: {}, banker: "house" } }), "ann");
  room.due = /** @type {any} */ ([{ what: "choice", player: "ann", box: 2 }, { what: "choice", player: "ann", box: 3 }]);
  assert.deepEqual(room.asked("choice").map((due) => due.box), [2, 3]);
  room.chosen.add(2);
  assert.deepEqual(room.asked("choice").map((due) => due.box), [3]);
  room.chosen.add(3);
  assert.equal(statusWords(room), "Your choice is made.");
});
