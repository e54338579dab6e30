// How each event changes the round: the view's side of the engine's own fold, event by event.

/** @typedef {import("./types.js").Event} Event */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./types.js").Hand} Hand */
/** @typedef {import("./types.js").Wager} Wager */

/**
 * The event of one type.
 * @template {Event["type"]} T
 * @typedef {Extract<Event, {type: T}>} Of
 */

/**
 * A round that nobody has opened.
 * @returns {Round}
 */
export function newRound() {
  return {
    opened: false,
    seats: {},
    banker: null,
    bank: null,
    bank_stack: null,
    hands: [],
    bets_closed: false,
    cards: {},
    war_cards: {},
    burned: [],
    void_boxes: [],
    spun: null,
    reading: null,
    void: null,
    closed: false,
  };
}

/**
 * The player's hand on that box; an event never names one that is not there.
 * @param {Round} round
 * @param {string} player
 * @param {number} box
 * @returns {Hand}
 */
function handOf(round, player, box) {
  const found = round.hands.find((hand) => hand.box === box && hand.player === player);
  if (found === undefined) {
    throw new Error(`The event names a hand that is not there: ${player} on box ${box}.`);
  }
  return found;
}

/**
 * @param {Hand} hand
 * @param {string} kind
 * @returns {Wager}
 */
function wagerOf(hand, kind) {
  const found = hand.wagers.find((wager) => wager.kind === kind);
  if (found === undefined) throw new Error(`The event names a wager that is not there: ${kind}.`);
  return found;
}

/**
 * @param {Round} round
 * @param {Hand} old
 * @param {Hand} changed
 * @returns {Round}
 */
function withHand(round, old, changed) {
  return { ...round, hands: round.hands.map((hand) => (hand === old ? changed : hand)) };
}

/**
 * @param {Round} round
 * @param {Hand} hand
 * @param {Wager} changed
 * @returns {Round}
 */
function withWager(round, hand, changed) {
  const wagers = hand.wagers.map((wager) => (wager.kind === changed.kind ? changed : wager));
  return withHand(round, hand, { ...hand, wagers });
}

/**
 * A box's hands stand together, the seated player's first and the others as they came.
 * @param {Round} round
 * @param {Hand} added
 * @returns {Round}
 */
function placeHand(round, added) {
  const seated = round.seats[added.box] === added.player;
  const before = round.hands.filter(
    (hand) => hand.box < added.box || (hand.box === added.box && !seated),
  ).length;
  const hands = [...round.hands.slice(0, before), added, ...round.hands.slice(before)];
  return { ...round, hands };
}

/**
 * @param {Round} round
 * @param {Of<"opened">} event
 * @returns {Round}
 */
function opened(round, event) {
  const { seats, banker, bank, bank_stack } = event;
  return { ...round, opened: true, seats, banker, bank, bank_stack };
}

/**
 * @param {Round} round
 * @param {Of<"placed">} event
 * @returns {Round}
 */
function placed(round, event) {
  const { player, box, wager: kind, amount } = event;
  let hand = round.hands.find((each) => each.box === box && each.player === player);
  if (hand === undefined) {
    hand = { box, player, wagers: [], choice: null, envy: 0, tie_declined: false, absent: false };
    round = placeHand(round, hand);
  }
  const wager = hand.wagers.find((each) => each.kind === kind);
  if (wager !== undefined) {
    return withWager(round, hand, { ...wager, staked: wager.staked + amount });
  }
  /** @type {Wager} */
  const added = { kind, staked: amount, uncovered: 0, matched: 0, returned: 0, outcome: "" };
  return withHand(round, hand, { ...hand, wagers: [...hand.wagers, added] });
}

/**
 * @param {Round} round
 * @param {Of<"withdrawn">} event
 * @returns {Round}
 */
function withdrawn(round, event) {
  const hand = handOf(round, event.player, event.box);
  const wagers = hand.wagers.filter((wager) => wager.kind !== event.wager);
  if (wagers.length > 0) return withHand(round, hand, { ...hand, wagers });
  return { ...round, hands: round.hands.filter((other) => other !== hand) };
}

/**
 * @param {Round} round
 * @param {Of<"declined">} event
 * @returns {Round}
 */
function declined(round, event) {
  const hand = handOf(round, event.player, event.box);
  return withHand(round, hand, { ...hand, tie_declined: true });
}

/**
 * @param {Round} round
 * @param {Of<"returned">} event
 * @returns {Round}
 */
function returned(round, event) {
  const hand = handOf(round, event.player, event.box);
  const wager = wagerOf(hand, event.wager);
  const uncovered = wager.uncovered + event.amount;
  const outcome = uncovered === wager.staked ? event.outcome : "";
  const back = wager.returned + event.amount;
  return withWager(round, hand, { ...wager, uncovered, returned: back, outcome });
}

/**
 * @param {Round} round
 * @param {Of<"dealt">} event
 * @returns {Round}
 */
function dealt(round, event) {
  const added = { [event.box]: event.card };
  return event.deal === "original"
    ? { ...round, cards: { ...round.cards, ...added } }
    : { ...round, war_cards: { ...round.war_cards, ...added } };
}

/**
 * @param {Round} round
 * @param {Of<"chosen">} event
 * @returns {Round}
 */
function chosen(round, event) {
  const hand = handOf(round, event.player, event.box);
  return withHand(round, hand, { ...hand, choice: event.choice });
}

/**
 * @param {Round} round
 * @param {Of<"matched">} event
 * @returns {Round}
 */
function matched(round, event) {
  const hand = handOf(round, event.player, event.box);
  return withWager(round, hand, { ...wagerOf(hand, event.wager), matched: event.amount });
}

/** The wagers that the round itself decides; every other is a side bet. */
const MAIN = new Set(["primary", "tie", "war", "war_tie"]);

/**
 * Whether a wager is a side bet, which a device takes and a meter may pay.
 * @param {string} kind
 * @returns {boolean}
 */
export function isSideBet(kind) {
  return !MAIN.has(kind);
}

/**
 * @param {Round} round
 * @param {Of<"settled">} event
 * @returns {Round}
 */
function settled(round, event) {
  const hand = handOf(round, event.player, event.box);
  const wager = wagerOf(hand, event.wager);
  const back = wager.returned + event.returned;
  const after = withWager(round, hand, { ...wager, outcome: event.outcome, returned: back });
  return isSideBet(event.wager) ? { ...after, reading: null } : after;
}

/**
 * @param {Round} round
 * @param {Of<"envy_paid">} event
 * @returns {Round}
 */
function envyPaid(round, event) {
  const hand = handOf(round, event.player, event.box);
  return withHand(round, hand, { ...hand, envy: hand.envy + event.amount });
}

/**
 * @param {Round} round
 * @param {Of<"left">} event
 * @returns {Round}
 */
function left(round, event) {
  const hands = round.hands.map((hand) =>
    hand.player === event.player ? { ...hand, absent: true } : hand,
  );
  return { ...round, hands };
}

/**
 * @param {Round} round
 * @param {Of<"box_voided">} event
 * @returns {Round}
 */
function boxVoided(round, event) {
  const hands = round.hands.map((hand) => {
    if (hand.box !== event.box) return hand;
    const wagers = hand.wagers.map((wager) =>
      wager.outcome ? wager : { ...wager, outcome: "not_dealt", returned: wager.staked },
    );
    return { ...hand, wagers };
  });
  return { ...round, hands, void_boxes: [...round.void_boxes, event.box] };
}

/**
 * @param {Round} round
 * @param {Of<"round_voided">} event
 * @returns {Round}
 */
function roundVoided(round, event) {
  const hands = round.hands.map((hand) => {
    const wagers = hand.wagers.map((wager) => ({
      ...wager,
      outcome: "void",
      returned: wager.staked,
    }));
    return { ...hand, wagers, envy: 0 };
  });
  return { ...round, hands, void: event.reason, reading: null };
}

/**
 * The round after the event; one that is not about the round leaves it as it was.
 * @param {Round} round
 * @param {Event} event
 * @returns {Round}
 */
export function foldRound(round, event) {
  switch (event.type) {
    case "opened":
      return opened(round, event);
    case "placed":
      return placed(round, event);
    case "withdrawn":
      return withdrawn(round, event);
    case "declined":
      return declined(round, event);
    case "bets_closed":
      return { ...round, bets_closed: true };
    case "returned":
      return returned(round, event);
    case "dealt":
      return dealt(round, event);
    case "burned":
      return { ...round, burned: [...round.burned, event.card] };
    case "chosen":
      return chosen(round, event);
    case "matched":
      return matched(round, event);
    case "spun":
      return { ...round, spun: event };
    case "meter_read":
      return { ...round, reading: event };
    case "settled":
      return settled(round, event);
    case "envy_paid":
      return envyPaid(round, event);
    case "left":
      return left(round, event);
    case "box_voided":
      return boxVoided(round, event);
    case "round_voided":
      return roundVoided(round, event);
    case "closed":
      return { ...round, closed: true };
    default:
      return round;
  }
}

/**
 * What a player gained on a hand so far, envy included; open wagers count nothing.
 * @param {Hand} hand
 * @returns {number}
 */
export function netOf(hand) {
  const settledWagers = hand.wagers.filter((wager) => wager.outcome !== "");
  return settledWagers.reduce((sum, wager) => sum + wager.returned - wager.staked, hand.envy);
}
