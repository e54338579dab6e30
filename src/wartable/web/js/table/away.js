// What happened to the visitor's money while the connection was lost.

import { signed, money } from "../money.js";
import { t } from "../texts.js";
import { atStake } from "./boxes.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../types.js").Event} TableEvent */

/**
 * What a player has at the table, on the felt and off it.
 * @param {Table} state
 * @param {string} you
 */
function held(state, you) {
  // A bank that was taken for the next round still lies in the stack.
  const playing = state.round !== null && !state.round.closed;
  return (state.guests[you]?.stack ?? 0) + (playing ? atStake(state, you) : 0);
}

/**
 * How many rounds are over.
 * @param {Table} state
 */
function over(state) {
  return state.rounds - (state.round !== null && !state.round.closed ? 1 : 0);
}

/**
 * What somebody is told who was away: how many rounds ended, and what they brought.
 * @param {Table} before
 * @param {Table} now
 * @param {readonly TableEvent[]} events what happened meanwhile, as far as the server still told it
 * @param {string} you
 * @returns {string} empty for somebody who was not at the table
 */
export function awayWords(before, now, events, you) {
  if (before.guests[you] === undefined) return "";
  let moved = 0;
  for (const event of events) {
    if (!("player" in event) || event.player !== you) continue;
    if (event.type === "departed") return t("away.left", { amount: money(event.amount) });
    if (event.type === "bought_in") moved += event.amount;
    if (event.type === "cashed_out") moved -= event.amount;
  }
  const count = over(now) - over(before);
  if (count === 0) return t("away.nothing");
  return t("away.rounds", { count, net: signed(held(now, you) - held(before, you) - moved) });
}
