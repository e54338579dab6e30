// What the betting commands do when the server refuses some of it.

import assert from "node:assert/strict";
import { test } from "node:test";

Object.assign(globalThis, {
  HTMLElement: class {},
  customElements: { define() {} },
  document: { documentElement: { lang: "en", dataset: {} } },
  window: { addEventListener() {} },
});
const { Bets } = await import("../../../src/wartable/web/js/table/bets.js");
const { Refusal } = await import("../../../src/wartable/web/js/link.js");

const ROUND = 21;

/** Betting without its buttons at seat 2, where the server refuses what the code is given for, by its key or type. */
function betting(codes, last = {}) {
  const [wagers, told, complaints, refused, sent] = [new Map(), [], [], [], []];
  const send = async (type, { box, wager, amount }) => {
    const key = box === undefined ? type : `${box}.${wager}`;
    sent.push(key);
    if (codes[key] !== undefined) throw new Refusal(codes[key], "No.");
    if (type === "bet") wagers.set(key, amount);
    return { number: 1 };
  };
  const labels = { primary: "Main Bet", tie: "Tie Bet" };
  const room = { wagers, guest: { seat: 2 }, stack: 100_000, banking: false, own: false, book: { rules: { labels } }, send, link: { send } };
  const bets = Object.assign(Object.create(Bets.prototype), {
    room,
    past: [],
    last: new Map(Object.entries(last)),
    tell: (text) => told.push(text),
    complain: (error) => complaints.push(error.code),
    refuse: (box, wager, error) => refused.push([box, wager, error.code]),
    show() {},
  });
  return { bets, wagers, told, complaints, refused, sent };
}

const LAST = { "1.primary": 500, "1.tie": 100, "2.primary": 500, "2.tie": 100, "3.primary": 500 };

test("what can be repeated is repeated, and one sentence says what is left out", async () => {
  const { bets, wagers, told, refused, sent } = betting({ "1.primary": "box_full" }, LAST);
  await bets.do("repeat", ROUND);
  assert.deepEqual([...wagers.keys()], ["2.primary", "2.tie", "3.primary"]);
  assert.deepEqual(told, ["2 wagers were left out: Main Bet on box 1 and Tie Bet on box 1."]);
  assert.deepEqual(refused, []);
  assert.ok(!sent.includes("1.tie"), "a box without its primary gets nothing else");
  assert.equal(bets.past.length, 1);
});

test("a refused tie leaves out only itself", async () => {
  const { bets, wagers, told } = betting({ "2.tie": "tie_spot_taken" }, LAST);
  await bets.do("repeat", ROUND);
  assert.deepEqual([...wagers.keys()], ["2.primary", "1.primary", "1.tie", "3.primary"]);
  assert.deepEqual(told, ["One wager was left out: Tie Bet on box 2."]);
});

test("if nothing can be repeated, the first spot says why", async () => {
  const { bets, wagers, told, refused } = betting({ "2.primary": "box_full" }, { "2.primary": 500, "2.tie": 100 });
  await bets.do("repeat", ROUND);
  assert.deepEqual([wagers.size, told, refused], [0, [], [[2, "primary", "box_full"]]]);
  assert.equal(bets.past.length, 0);
});

test("nobody is ready who was left out of something and has not seen it", async () => {
  const { bets, told, sent } = betting({ "1.primary": "box_full" }, LAST);
  await bets.do("ready", ROUND);
  assert.deepEqual([told.length, sent.includes("ready")], [1, false]);
  await bets.do("ready", ROUND);
  assert.equal(sent.at(-1), "ready");
});

test("to be ready too late is no fault, because betting has ended", async () => {
  const late = betting({ ready: "other_round" });
  await late.bets.do("ready", ROUND);
  assert.deepEqual(late.complaints, []);
  const away = betting({ ready: "not_here" });
  await away.bets.do("ready", ROUND);
  assert.deepEqual(away.complaints, ["not_here"]);
  // The deal that was too late did not happen.
  const deal = betting({ close_bets: "other_round" });
  Object.assign(deal.bets.room, { you: null });
  deal.bets.room.link.state = { shoe: null };
  await deal.bets.do("deal", ROUND);
  assert.deepEqual(deal.complaints, ["other_round"]);
});
