// What each box shows: the table's state, seen by one person.

import { netOf } from "../fold-round.js";
import { boxesOf, hasPot, spotsOf, wagerOf } from "./book.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../types.js").Round} Round */
/** @typedef {import("../types.js").Hand} Hand */
/** @typedef {import("../types.js").Wager} Wager */
/** @typedef {import("./book.js").TableBook} TableBook */
/** @typedef {import("./book.js").SpotKind} SpotKind */
/** @typedef {import("./book.js").WagerKind} WagerKind */

/**
 * @typedef {object} StackView
 * @property {string} player
 * @property {WagerKind} wager
 * @property {number} staked
 * @property {number} uncovered
 * @property {number} matched
 * @property {number} returned
 * @property {string} outcome
 * @property {boolean} mine
 */

/** @typedef {{kind: SpotKind, stacks: StackView[], lamp: "on" | "off" | null}} SpotView */

/**
 * @typedef {object} BoxView
 * @property {number} box
 * @property {boolean} mine
 * @property {boolean} bank
 * @property {boolean} void
 * @property {boolean} old
 * @property {string | null} seated
 * @property {string[]} players
 * @property {number | null} stack
 * @property {boolean} leaving
 * @property {string | null} card
 * @property {string | null} war
 * @property {SpotView[]} spots
 * @property {string | null} counted
 * @property {number | null} net
 * @property {number | null} pot
 * @property {string | null} choice
 */

/** The wagers that lie on each spot: the war wagers beside what they follow. */
/** @type {Partial<Record<SpotKind, readonly WagerKind[]>>} */
const ON_SPOT = { primary: ["primary", "war"], tie: ["tie", "war_tie"] };

/**
 * Who sits where.
 * @param {Table} state
 * @returns {Map<number, string>}
 */
export function seatsOf(state) {
  const seats = new Map();
  for (const guest of Object.values(state.guests)) {
    if (guest.seat !== null) seats.set(guest.seat, guest.player);
  }
  return seats;
}

/**
 * The round whose cards lie on the felt, and whether it is the one before.
 * @param {Table} state
 * @param {Round | null} previous
 * @returns {{round: Round | null, old: boolean}}
 */
export function shownRound(state, previous) {
  const current = state.idle ? null : state.round;
  if (previous !== null && !state.idle && (current === null || !current.bets_closed)) return { round: previous, old: true };
  return { round: current, old: false };
}

/**
 * What a hand won or lost once all of it is decided, null before.
 * @param {Hand} hand
 * @returns {number | null}
 */
export function resultOf(hand) {
  const open = hand.wagers.length === 0 || hand.wagers.some((wager) => wager.outcome === "");
  return open ? null : netOf(hand);
}

/**
 * What a player has on the felt: staked, and neither settled nor returned.
 * @param {Table} state
 * @param {string} player
 * @returns {number}
 */
export function atStake(state, player) {
  const round = state.round;
  if (round === null || round.closed) return state.bank.taken === player ? state.bank.posted : 0;
  let sum = round.banker === player ? bankAtStake(round) : 0;
  for (const hand of round.hands) {
    if (hand.player !== player) continue;
    for (const wager of hand.wagers) {
      if (wager.outcome === "") sum += wager.staked - wager.returned;
    }
  }
  return sum;
}

/**
 * What a player/dealer has at stake: the posted wager and what was matched at war.
 * @param {Round} round
 * @returns {number}
 */
function bankAtStake(round) {
  let sum = round.bank ?? 0;
  for (const hand of round.hands) {
    for (const wager of hand.wagers) sum += wager.outcome === "" ? wager.matched : 0;
  }
  return sum;
}

/**
 * A spot with its stacks, the seated player's first and the others as they came.
 * @param {TableBook} book
 * @param {SpotKind} kind
 * @param {readonly Hand[]} hands
 * @param {string | null} you
 * @returns {SpotView}
 */
function spotView(book, kind, hands, you) {
  /** @type {StackView[]} */
  const stacks = [];
  for (const hand of hands) {
    for (const wager of hand.wagers) {
      if (!(ON_SPOT[kind] ?? [kind]).includes(wager.kind)) continue;
      const { staked, uncovered, matched, returned, outcome } = wager;
      stacks.push({ player: hand.player, wager: wager.kind, staked, uncovered, matched, returned, outcome, mine: hand.player === you });
    }
  }
  const lamp = stacks.length > 0 ? "on" : "off";
  return { kind, stacks, lamp: wagerOf(book, kind)?.side_bet ? lamp : null };
}

/**
 * The pot of a box at war: the player's two units and what is put against them.
 * @param {TableBook} book
 * @param {readonly Hand[]} hands
 * @param {string | null} you
 * @returns {number | null}
 */
function potOf(book, hands, you) {
  if (!hasPot(book)) return null;
  const hand = hands.find((each) => each.player === you) ?? hands[0];
  const war = hand?.wagers.find((wager) => wager.kind === "war");
  const primary = hand?.wagers.find((wager) => wager.kind === "primary");
  if (war === undefined || primary === undefined || war.outcome !== "") return null;
  const match = book.rules.banker === "player" ? war.matched : war.staked - war.uncovered;
  return primary.staked - primary.uncovered + war.staked - war.uncovered + match;
}

/**
 * The boxes whose cards are in the rack while others are still at war. The dealer's card goes last,
 * and a whole round stays in sight until the next one is bet on.
 * @param {Table} state
 * @returns {Set<number>}
 */
function collected(state) {
  const boxes = new Set();
  const shoe = state.shoe;
  if (shoe === null || state.round === null || state.round.closed) return boxes;
  for (const place of shoe.discards) {
    const card = shoe.drawn[place];
    if (card !== undefined && card.round_number === state.rounds && card.use === "original") boxes.add(card.box);
  }
  return boxes.has(0) ? new Set() : boxes;
}

/**
 * Every box as one person sees it.
 * @param {TableBook} book
 * @param {Table} state
 * @param {Round | null} previous
 * @param {string | null} you
 * @returns {BoxView[]}
 */
export function boxViews(book, state, previous, you) {
  const seats = book.community ? new Map() : seatsOf(state);
  const { round: shown, old } = shownRound(state, previous);
  const current = state.idle ? null : state.round;
  const banker = bankerOf(state);
  const gone = old ? new Set() : collected(state);
  const views = [];
  for (let box = 1; box <= boxesOf(book); box += 1) {
    const hands = current === null ? [] : current.hands.filter((hand) => hand.box === box);
    const results = shown === null ? [] : shown.hands.filter((hand) => hand.box === box);
    const seated = seats.get(box) ?? null;
    const guest = seated === null ? undefined : state.guests[seated];
    const mine = you !== null && (seated === you || [...hands, ...results].some((hand) => hand.player === you));
    // The visitor's own box speaks of nobody else's hand, even where the visitor has none.
    const told = (/** @type {readonly Hand[]} */ all) => (mine ? all.find((hand) => hand.player === you) : all[0]);
    const result = told(results);
    views.push({
      box,
      mine,
      bank: seated !== null && seated === banker,
      void: shown !== null && shown.void_boxes.includes(box),
      old,
      seated,
      players: [...new Set(hands.map((hand) => hand.player))],
      stack: guest === undefined ? null : guest.stack,
      leaving: guest !== undefined && guest.leaving,
      card: gone.has(box) ? null : (shown?.cards[box] ?? null),
      war: shown?.war_cards[box] ?? null,
      spots: spotsOf(book).map((kind) => spotView(book, kind, hands, you)),
      counted: told(hands)?.player ?? null,
      net: result === undefined ? null : resultOf(result),
      pot: potOf(book, hands, you),
      choice: old ? null : (result?.choice ?? null),
    });
  }
  return views;
}

/**
 * Who banks now, or took the bank for the next round; null if the house does.
 * @param {Table} state
 * @returns {string | null}
 */
export function bankerOf(state) {
  const round = state.round;
  if (round !== null && !round.closed && round.banker !== null) return round.banker;
  return state.bank.taken ?? state.bank.button;
}
