// What a stay at a table brought, in whatever tabs it is watched.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const stored = new Map();
const element = () => new Proxy({}, { get: (_, name) => (name === "hasAttribute" || name === "getAttribute" ? () => null : () => undefined), set: () => true });
Object.assign(globalThis, {
  document: { documentElement: { lang: "en", dataset: {} }, createElement: element },
  localStorage: { getItem: (/** @type {string} */ key) => stored.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ text) => stored.set(key, text) },
  window: { addEventListener() {} },
});

/** A tab has modules of its own. */
let tabs = 0;
const tab = async () => new (await import(`../../../src/wartable/web/js/table/stay.js?tab=${(tabs += 1)}`)).Stay(room());

const room = () => ({ you: "ann", name: "washington 1", book: {}, state: null, get round() { return this.state.rounds; } });

/** The table after so many rounds; the last one cost Ann $5. */
function table(rounds, arrival = 1) {
  const wager = { kind: "primary", staked: 500, uncovered: 0, matched: 0, returned: 0, outcome: "lost" };
  const hands = [{ player: "ann", box: 1, envy: 0, wagers: [wager] }];
  const round = rounds === 0 ? null : { bets_closed: true, closed: true, banker: null, bank: null, hands };
  return { rounds, round, guests: { ann: { player: "ann", arrival } } };
}

const tell = (stay, state, event) => ((stay.room.state = state), stay.follow(event));
const closed = { type: "closed" };
const joined = { type: "joined", player: "ann" };
const seen = ({ sum }) => [sum.rounds, sum.staked, sum.net];

beforeEach(() => stored.clear());

test("a tab that is opened later tells the whole stay, and no round counts twice", async () => {
  const first = await tab();
  tell(first, table(0), joined);
  tell(first, table(1), closed);
  const second = await tab();
  await second.catchUp(table(1));
  assert.deepEqual(seen(second), [1, 500, -500]);
  for (const stay of [first, second]) tell(stay, table(2), closed);
  for (const stay of [second, first]) tell(stay, table(3), closed);
  assert.deepEqual([seen(first), seen(second)], [[3, 1_500, -1_500], [3, 1_500, -1_500]]);
});

test("who sits down again begins again, also in a tab that hears of it later", async () => {
  const [first, second] = [await tab(), await tab()];
  tell(first, table(0), joined);
  tell(first, table(1), closed);
  tell(first, table(1, 2), joined);
  assert.deepEqual(seen(first), [0, 0, 0]);
  tell(first, table(2, 2), closed);
  tell(second, table(1, 2), joined);
  assert.deepEqual(seen(second), [1, 500, -500]);
});

test("what a bank posted is not staked, as in the history", async () => {
  const stay = await tab();
  tell(stay, table(0), joined);
  const { round, ...rest } = table(1);
  const hands = round.hands.map((hand) => ({ ...hand, player: "bob" }));
  tell(stay, { ...rest, round: { ...round, hands, banker: "ann", bank: 10_000 } }, closed);
  assert.deepEqual(seen(stay), [1, 0, 500]);
});

test("a tab does not undo what another one keeps", async () => {
  const { Kept } = await import("../../../src/wartable/web/js/kept.js");
  const [mine, theirs] = [new Kept("kept", 5), new Kept("kept", 5)];
  theirs.keep(1, "a");
  mine.keep(1, "b");
  mine.keep(2, "a");
  theirs.keep(2, "c");
  assert.deepEqual([mine.get("a"), theirs.get("a"), theirs.get("b")], [2, 2, 1]);
});
