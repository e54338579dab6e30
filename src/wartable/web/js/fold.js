// How each event changes the table as it is shown: the same states as the engine's view of it.
// What only the seed of a finished shoe says (its burned and undealt cards) is not derived here.

import { foldRound, isSideBet, netOf, newRound } from "./fold-round.js";
import { foldShoe, NO_CUT, noted } from "./fold-shoe.js";

/** @typedef {import("./types.js").Event} Event */
/** @typedef {import("./types.js").Table} Table */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./types.js").MeterState} MeterState */

/**
 * The event of one type.
 * @template {Event["type"]} T
 * @typedef {import("./fold-round.js").Of<T>} Of
 */

const NO_TURN = { button: null, seat: null, rounds: 0 };

const NO_BANK = {
  ...NO_TURN,
  before: NO_TURN,
  offered: null,
  passed: [],
  taken: null,
  posted: 0,
  untaken: false,
};

/**
 * A table that nobody has come to, with these meters.
 * @param {Table["method"]} [method]
 * @param {Table["meters"]} [meters]
 * @returns {Table}
 */
export function start(method = "shoe", meters = {}) {
  return {
    guests: {},
    arrivals: 0,
    method,
    decks: null,
    idle: false,
    spread_up: false,
    shoes: 0,
    seals: [],
    chains: {},
    undecided: false,
    numbers: [],
    numbered: false,
    numbers_closed: false,
    shoe: null,
    stored: null,
    shoe_rounds: 0,
    last_batch: "",
    finished: null,
    cut: NO_CUT,
    cover_box: null,
    cover_player: null,
    reshuffle: null,
    reshuffled_by_floor: false,
    dealer: null,
    dealer_burn_due: false,
    device_failed: null,
    device_mark: null,
    restrictions: {},
    player_box_maximums: {},
    bank: NO_BANK,
    meters,
    meters_before: {},
    award: null,
    counted: false,
    miscounted: false,
    rounds: 0,
    round: null,
  };
}

/**
 * The round that the event is about; an event of a round never comes without one.
 * @param {Table} state
 * @returns {Round}
 */
function roundOf(state) {
  if (state.round === null) throw new Error("The event is about a round, and there is none.");
  return state.round;
}

/**
 * The table with an amount more, or less, in a player's stack.
 * @param {Table} state
 * @param {string} player
 * @param {number} amount
 * @returns {Table}
 */
function pay(state, player, amount) {
  const guest = state.guests[player];
  if (guest === undefined) throw new Error(`The event names somebody who is not here: ${player}.`);
  const paid = { ...guest, stack: guest.stack + amount };
  return { ...state, guests: { ...state.guests, [player]: paid } };
}

/**
 * Who sits where.
 * @param {Table} state
 * @returns {Round["seats"]}
 */
function seatsOf(state) {
  return Object.fromEntries(Object.values(state.guests).flatMap(({ seat, player }) => (seat === null ? [] : [[seat, player]])));
}

/**
 * The table whose round knows who sits where until bets close; one of community cards has no seats.
 * @param {Table} before
 * @param {Table} after
 * @returns {Table}
 */
function reseated(before, after) {
  const { round } = before;
  if (round === null || round.closed || round.bets_closed) return after;
  const known = JSON.stringify(round.seats) === JSON.stringify(seatsOf(before));
  return known ? { ...after, round: { ...round, seats: seatsOf(after) } } : after;
}

/**
 * @param {Table} state
 * @param {Of<"joined">} event
 * @returns {Table}
 */
function joined(state, event) {
  const { player, amount, seat } = event;
  const arrival = state.arrivals + 1;
  const guests = { ...state.guests, [player]: { player, stack: amount, seat, arrival, leaving: false } };
  return reseated(state, { ...state, guests, arrivals: arrival, bank: { ...state.bank, untaken: false } });
}

/**
 * @param {Table} state
 * @param {Of<"departed">} event
 * @returns {Table}
 */
function departed(state, event) {
  const { [event.player]: gone, ...guests } = state.guests;
  let { bank, cut } = state;
  if (bank.offered === event.player) bank = { ...bank, offered: null };
  if (bank.taken === event.player) bank = { ...bank, taken: null, posted: 0 };
  if (cut.offered === event.player) cut = { ...cut, offered: null };
  return reseated(state, { ...state, guests, bank, cut });
}

/**
 * @param {Table} state
 * @param {string} name
 * @param {(meter: MeterState) => MeterState} change
 * @returns {Table}
 */
function withMeter(state, name, change) {
  const meter = state.meters[name];
  if (meter === undefined) throw new Error(`The event names a meter that is not here: ${name}.`);
  return { ...state, meters: { ...state.meters, [name]: change(meter) } };
}

/**
 * @param {Table} state
 * @param {Of<"meter_fed"> | Of<"meter_unfed">} event
 * @returns {Table}
 */
function meterFed(state, event) {
  const amount = event.type === "meter_fed" ? event.amount : -event.amount;
  return withMeter(state, event.meter, (meter) => ({
    ...meter,
    shown: meter.shown + amount,
    fed: meter.fed + amount,
    carry: event.carry,
  }));
}

/**
 * @param {Table} state
 * @param {Of<"meter_reset">} event
 * @returns {Table}
 */
function meterReset(state, event) {
  return withMeter(state, event.meter, (meter) => ({
    ...meter,
    shown: meter.shown + event.amount,
    seeded: meter.seeded + event.amount,
  }));
}

/**
 * @param {Table} state
 * @param {Of<"meter_read">} event
 * @returns {Table}
 */
function meterRead(state, event) {
  return withMeter({ ...state, award: null }, event.meter, (meter) => ({
    ...meter,
    shown: meter.shown - event.amount,
    paid: meter.paid + event.amount,
  }));
}

/**
 * @param {Table} state
 * @param {Of<"round_started">} event
 * @returns {Table}
 */
function roundStarted(state, event) {
  const told = state.shoe?.proof?.incidents ?? [];
  const known = told.some((each) => each.what === "dealer_changed" && each.round_number === state.rounds);
  // The dealer changed before this shoe was in play, and burns a card of it all the same.
  const carried = state.dealer_burn_due && !known;
  return {
    ...(carried ? noted(state, "dealer_changed", state.dealer ?? "", "before this shoe") : state),
    rounds: event.number,
    shoe_rounds: state.shoe_rounds + 1,
    round: newRound(),
    counted: false,
    miscounted: false,
    dealer_burn_due: false,
    undecided: false,
    numbers: [],
    numbered: false,
    numbers_closed: false,
    meters_before: state.meters,
  };
}

/**
 * @param {Table} state
 * @param {Of<"opened">} event
 * @returns {Table}
 */
function opened(state, event) {
  const { banker, bank: posted } = event;
  if (banker === null || posted === null) return state;
  const { button, seat, rounds } = state.bank;
  const turn = { button: banker, seat: state.guests[banker]?.seat ?? null, rounds: button === banker ? rounds + 1 : 1 };
  return { ...pay(state, banker, -posted), bank: { ...NO_BANK, ...turn, before: { button, seat, rounds }, posted } };
}

/**
 * @param {Table} state
 * @param {Of<"box_voided">} event
 * @returns {Table}
 */
function boxVoided(state, event) {
  for (const hand of roundOf(state).hands.filter((each) => each.box === event.box)) {
    const open = hand.wagers.filter((wager) => wager.outcome === "");
    const back = open.reduce((sum, wager) => sum + wager.staked - wager.returned, 0);
    state = pay(state, hand.player, back);
  }
  return state;
}

/**
 * Every stake back, every payment undone, meters and the banker's turn as before the round.
 * @param {Table} state
 * @returns {Table}
 */
function roundVoided(state) {
  for (const hand of roundOf(state).hands) {
    const put = hand.wagers.reduce((sum, wager) => sum + wager.staked - wager.returned, 0);
    state = pay(state, hand.player, put - hand.envy);
  }
  if (roundOf(state).banker !== null) state = turnRestored(state);
  return { ...state, meters: state.meters_before, award: null };
}

/**
 * The banker's turn as it was before a round that did not count.
 * @param {Table} state
 * @returns {Table}
 */
function turnRestored(state) {
  return { ...state, bank: { ...state.bank, ...state.bank.before } };
}

/**
 * @param {Table} state
 * @returns {Table}
 */
function closed(state) {
  const { banker, bank, cards, hands } = roundOf(state);
  if (banker === null || bank === null) return state;
  if (Object.keys(cards).length === 0) state = turnRestored(state);
  const matched = hands.flatMap((hand) => hand.wagers).reduce((sum, each) => sum + each.matched, 0);
  const lost = hands.reduce((sum, hand) => sum + netOf(hand), 0);
  return pay(state, banker, bank + matched - lost);
}

/**
 * @param {Table} state
 * @param {Of<"matched">} event
 * @returns {Table}
 */
function matched(state, event) {
  const { banker } = roundOf(state);
  return banker === null ? state : pay(state, banker, -event.amount);
}

/**
 * @param {Table} state
 * @param {Of<"left">} event
 * @returns {Table}
 */
function left(state, event) {
  const guest = state.guests[event.player];
  if (guest === undefined) return state;
  return { ...state, guests: { ...state.guests, [event.player]: { ...guest, leaving: true } } };
}

/**
 * The table with what the event does to people's money and meters, before the round changes.
 * @param {Table} state
 * @param {Event} event
 * @returns {Table}
 */
function moneyMoves(state, event) {
  switch (event.type) {
    case "bought_in":
    case "withdrawn":
    case "returned":
    case "envy_paid":
      return pay(state, event.player, event.amount);
    case "cashed_out":
    case "placed":
      return pay(state, event.player, -event.amount);
    case "settled": {
      // Older records have awards that were abandoned.
      const gone = isSideBet(event.wager) && event.outcome === "abandoned";
      const after = gone ? { ...state, award: null } : state;
      return pay(after, event.player, event.returned);
    }
    case "meter_fed":
    case "meter_unfed":
      return meterFed(state, event);
    case "meter_reset":
      return meterReset(state, event);
    case "meters_shown":
      return { ...state, meters: event.meters, meters_before: event.before };
    case "meter_read":
      return meterRead(state, event);
    case "opened":
      return opened(state, event);
    case "matched":
      return matched(state, event);
    case "box_voided":
      return boxVoided(state, event);
    case "round_voided":
      return roundVoided(state);
    case "closed":
      return closed(state);
    default:
      return state;
  }
}

/**
 * @param {Table} state
 * @param {Of<"restricted">} event
 * @returns {Table}
 */
function restricted(state, event) {
  const name = event.whom || event.limit;
  const before = event.whom ? state.player_box_maximums : state.restrictions;
  const others = Object.entries(before).filter(([each]) => each !== name);
  const held = Object.fromEntries(event.value ? [...others, [name, event.value]] : others);
  return event.whom ? { ...state, player_box_maximums: held } : { ...state, restrictions: held };
}

/**
 * Whoever opens the table takes over from nobody; every other dealer burns a card.
 * @param {Table} state
 * @param {Of<"dealer_changed">} event
 * @returns {Table}
 */
function dealerChanged(state, event) {
  const opens = state.dealer === null && (state.shoe === null || state.shoe.drawn.length === 0);
  const told = opens ? state : noted(state, "dealer_changed", event.dealer);
  return { ...told, dealer: event.dealer, dealer_burn_due: !opens };
}

/**
 * The table with what the event does to people, bank and devices.
 * @param {Table} state
 * @param {Event} event
 * @returns {Table}
 */
function peopleMove(state, event) {
  const { bank } = state;
  switch (event.type) {
    case "joined":
      return joined(state, event);
    case "departed":
      return departed(state, event);
    case "left":
      return left(state, event);
    case "bank_offered":
      return { ...state, bank: { ...bank, offered: event.player, untaken: false } };
    case "bank_taken": {
      const { player: taken, amount: posted } = event;
      return { ...state, bank: { ...bank, offered: null, passed: [], taken, posted } };
    }
    case "bank_passed":
      return { ...state, bank: { ...bank, offered: null, passed: [...bank.passed, event.player] } };
    case "bank_untaken":
      return { ...state, bank: { ...bank, offered: null, passed: [], untaken: true } };
    case "round_started":
      return roundStarted(state, event);
    case "side_bets_counted":
      return { ...state, counted: true, miscounted: false };
    case "count_differed":
      return { ...state, miscounted: true };
    case "award_pending":
      return { ...state, award: event.meter };
    case "dealer_changed":
      return dealerChanged(state, event);
    case "reshuffle_ordered":
      return { ...state, reshuffle: event.reason };
    case "device_failed":
      return { ...state, device_failed: event.reason, device_mark: null };
    case "device_marked":
      return { ...state, device_mark: event.mark };
    case "device_repaired":
      return { ...state, device_failed: null, device_mark: null };
    case "restricted":
      return restricted(state, event);
    default:
      return state;
  }
}

/**
 * The table after the event.
 * @param {Table} state
 * @param {Event} event
 * @returns {Table}
 */
export function fold(state, event) {
  const after = foldShoe(peopleMove(moneyMoves(state, event), event), event);
  return after.round === null ? after : { ...after, round: foldRound(after.round, event) };
}

/**
 * The table after all the events, from a new one unless another is given.
 * @param {Iterable<Event>} events
 * @param {Table} [state]
 * @returns {Table}
 */
export function foldAll(events, state = start()) {
  for (const event of events) state = fold(state, event);
  return state;
}
