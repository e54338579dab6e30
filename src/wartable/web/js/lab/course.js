// The exact course of a bankroll with the same bets every round: ruin, and how money spreads.

/** The limit on states times rounds times results; a longer course takes too long. */
export const WORK_MAX = 1_500_000_000;
export const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95];
const BREATH_MS = 24;

/**
 * Results of a round in cents, each with its chance.
 * @typedef {readonly (readonly [number, number])[]} Results
 */

/**
 * A seat in cents: `needs` before the deal, `needsWar` at most; `poor` if a war cannot be paid.
 * @typedef {object} SeatResults
 * @property {Results} rich
 * @property {Results} poor
 * @property {number} needs
 * @property {number} needsWar
 */

/**
 * @typedef {object} Course
 * @property {number} ruined
 * @property {number} mean
 * @property {number} ahead
 * @property {number[][]} lines a line of money for each quantile, from the start on
 * @property {number} top no line is above it: money that cannot be lost any more is not followed
 */

/** @param {number} a @param {number} b @returns {number} */
function divisor(a, b) {
  return b === 0 ? Math.abs(a) : divisor(b, a % b);
}

/** @param {Results} results */
function mean(results) {
  return results.reduce((sum, [net, chance]) => sum + net * chance, 0);
}

/**
 * The size of a course: its step of money, and its states.
 * @param {SeatResults} seat
 * @param {number} bankroll
 * @param {number} rounds
 */
export function sizeOf(seat, bankroll, rounds) {
  const nets = [...seat.rich, ...seat.poor].map(([net]) => net);
  const step = nets.reduce(divisor, 0);
  const loss = -Math.min(...nets);
  // From the top on, neither ruin nor a war that cannot be paid is within reach.
  const top = Math.max(seat.needsWar + rounds * loss, 2 * bankroll);
  const low = bankroll - Math.ceil((bankroll - (seat.needs - loss)) / step) * step;
  const states = Math.floor((top - low) / step) + 1;
  return { step, low, top, states, work: states * rounds * nets.length };
}

/**
 * Follow the money round by round; `progress` hears the share that is done.
 * @param {SeatResults} seat
 * @param {number} bankroll
 * @param {number} rounds
 * @param {(share: number) => boolean} progress false ends it
 * @returns {Promise<Course | null>}
 */
export async function follow(seat, bankroll, rounds, progress) {
  const { step, low, states } = sizeOf(seat, bankroll, rounds);
  const last = states - 1;
  const money = (/** @type {number} */ state) => low + state * step;
  const stateOf = (/** @type {number} */ cents) => Math.max(0, Math.ceil((cents - low) / step));
  const alive = stateOf(seat.needs);
  const rich = Math.min(stateOf(Math.max(seat.needsWar, seat.needs)), last);
  const parts = [
    { from: alive, to: rich, results: seat.poor },
    { from: rich, to: last, results: seat.rich },
  ];
  let chance = new Float64Array(states);
  let after = new Float64Array(states);
  chance[(bankroll - low) / step] = 1;
  let expected = bankroll;
  const lines = QUANTILES.map(() => [bankroll]);
  let rested = performance.now();
  for (let round = 1; round <= rounds; round++) {
    after.fill(0);
    for (let state = 0; state < alive; state++) after[state] = chance[state] ?? 0;
    after[last] = (after[last] ?? 0) + (chance[last] ?? 0);
    expected += (chance[last] ?? 0) * mean(seat.rich);
    for (const { from, to, results } of parts) {
      let here = 0;
      for (let state = from; state < to; state++) here += chance[state] ?? 0;
      expected += here * mean(results);
      for (const [net, share] of results) {
        const shift = net / step;
        for (let state = from; state < to; state++) {
          const there = Math.min(state + shift, last);
          after[there] = /** @type {number} */ (after[there]) + share * /** @type {number} */ (chance[state]);
        }
      }
    }
    [chance, after] = [after, chance];
    spread(chance, money, lines);
    if (performance.now() - rested > BREATH_MS) {
      if (!progress(round / rounds)) return null;
      await new Promise((resume) => setTimeout(resume));
      rested = performance.now();
    }
  }
  const sum = (/** @type {number} */ from, /** @type {number} */ to) => chance.subarray(Math.max(0, from), Math.max(0, to)).reduce((all, each) => all + each, 0);
  return { ruined: sum(0, alive), mean: expected, ahead: sum(stateOf(bankroll + 1), states), lines, top: money(last) };
}

/**
 * Add where each quantile of the money is now.
 * @param {Float64Array} chance
 * @param {(state: number) => number} money
 * @param {number[][]} lines
 */
function spread(chance, money, lines) {
  let below = 0;
  let next = 0;
  for (let state = 0; state < chance.length && next < QUANTILES.length; state++) {
    below += chance[state] ?? 0;
    while (next < QUANTILES.length && below >= /** @type {number} */ (QUANTILES[next])) {
      lines[next]?.push(money(state));
      next++;
    }
  }
  for (; next < QUANTILES.length; next++) lines[next]?.push(money(chance.length - 1));
}
